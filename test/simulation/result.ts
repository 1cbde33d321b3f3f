/** The outcome of a run, the same for all worlds. */
import { createHash } from "node:crypto";

export type Timed = { at: number };

export type RunResult = { violations: string[]; fingerprint: string; trace: string[] };

/** The fingerprint covers everything that happened, so that a replay can be compared. */
export function resultOf(
  violations: readonly string[],
  trace: string[],
  lines: readonly string[],
): RunResult {
  const fingerprint = createHash("sha256")
    .update([...lines, ...trace].join("\n"))
    .digest("hex");
  return { violations: [...new Set(violations)], fingerprint, trace };
}

/** One line a step, for people. */
export const linesOf = (steps: readonly (Timed & { do: string })[]): string[] =>
  steps.map(({ at, do: what, ...facts }) => `${String(at).padStart(6)} ms  ${what} ${JSON.stringify(facts)}`);
