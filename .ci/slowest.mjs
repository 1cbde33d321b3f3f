// A vitest reporter: the files that took longest, loading and hooks included, and the tests that passed at their second try only.
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
    for (const module of modules)
      for (const test of module.children.allTests())
        if (test.diagnostic()?.flaky)
          console.log(`passed at its second try: ${module.relativeModuleId} > ${test.fullName}`);
  }
}
