/** CPU time of other processes, from Linux (proc(5)). */
import { readFileSync } from "node:fs";

/** A tick is a hundredth of a second on every known Linux. */
const TICK_MS = 10;

/** Milliseconds that a process has spent on all CPUs, in user and kernel mode. */
export function cpuOf(pid: number): number {
  // The name before the fields may have blanks and brackets.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
