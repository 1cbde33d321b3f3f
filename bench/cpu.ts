/** Processor time of other processes, as Linux tells it (proc(5)). */
import { readFileSync } from "node:fs";

/** Ticks are hundredths of a second on every Linux that we know. */
const TICK_MS = 10;

/** Milliseconds that a process has spent on all processors so far, in its own code and in the kernel's. */
export function cpuOf(pid: number): number {
  // The name before the fields may hold blanks and brackets.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
