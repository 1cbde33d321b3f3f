/** Appends what each test file cost to the file that COSTS names: a JSON object a line. */
import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { afterAll, expect } from "vitest";

const TICKS_PER_SECOND = 100;

/** Processor milliseconds of the processes that this one has started and that have ended since. */
function childrenMs(): number {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return ((Number(fields[13]) + Number(fields[14])) * 1000) / TICKS_PER_SECOND;
}

const { COSTS } = process.env;
if (COSTS) {
  const file = relative(process.cwd(), expect.getState().testPath ?? "");
  const start = { wall: performance.now(), cpu: process.cpuUsage(), children: childrenMs() };
  afterAll(() => {
    const { user, system } = process.cpuUsage(start.cpu);
    const cost = {
      file,
      wall_ms: Math.round(performance.now() - start.wall),
      cpu_ms: Math.round((user + system) / 1000),
      children_ms: Math.round(childrenMs() - start.children),
    };
    appendFileSync(COSTS, `${JSON.stringify(cost)}\n`);
  });
}
