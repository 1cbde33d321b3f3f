/** Appends each test file's cost to the file named by COSTS: a JSON object per line. */
import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { afterAll, expect } from "vitest";

const TICKS_PER_SECOND = 100;

/** CPU milliseconds of this process's ended children. */
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
