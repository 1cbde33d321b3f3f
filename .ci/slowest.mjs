// A vitest reporter: the files that took longest, loading and hooks included.
const SHOWN = 10;

export default class Slowest {
  onTestRunEnd(modules) {
    const files = modules.map((module) => {
      const { collectDuration, duration } = module.diagnostic();
      return { name: module.relativeModuleId, ms: collectDuration + duration };
    });
    const slowest = files.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN);
    console.log(`\nThe ${slowest.length} slowest files:`);
    for (const { name, ms } of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`);
  }
}
