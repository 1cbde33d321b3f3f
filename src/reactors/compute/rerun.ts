/** The service's own run of a built-in task. Only two equal runs prove a result wrong. */
import { canonicalText } from "../../../eventstore/canonical.ts";
import type { JsonObject } from "../../../eventstore/types.ts";
import type { App } from "../../core/app.ts";
import { digestOf, objectName } from "../../core/model/objects.ts";
import { isBuiltIn, readKind } from "../../domain/compute/kinds.ts";
import { ownerOf } from "../../domain/compute/quorum.ts";
import type { TaskFacts } from "../../domain/compute/task-events.ts";

/** The second run starts this much later, so a task that reads the clock differs. */
const APART_MS = 1_100;

export type Output = { output_sha256: string; exit: string };

/** `unknown`: no run finished in time. `void`: two runs differ. */
export type Rerun = Output | "unknown" | "void";

export type RerunParts = Pick<App, "executor" | "objects">;

export const isSame = (a: Output, b: Output): boolean =>
  a.output_sha256 === b.output_sha256 && a.exit === b.exit;

/** The longest duration of one or two runs. */
export const mostMs = ({ terms }: TaskFacts): number => 2 * terms.limit_s * 1_000;

/** Runs the task; again in a new process if the run differs from one of these results. */
export async function rerun(parts: RerunParts, facts: TaskFacts, results: readonly Output[]): Promise<Rerun> {
  const first = await runOnce(parts, facts);
  if (first === "unknown" || results.every((result) => isSame(result, first))) return first;
  await new Promise((done) => setTimeout(done, APART_MS));
  const second = await runOnce(parts, facts);
  if (second === "unknown") return "unknown";
  return isSame(first, second) ? first : "void";
}

async function runOnce(
  { executor, objects }: RerunParts,
  { kind, task_id, input_sha256, terms }: TaskFacts,
): Promise<Output | "unknown"> {
  // The original task stores the input of its copies.
  const bytes = await objects.get(objectName("task", ownerOf(task_id), input_sha256));
  if (!bytes || !isBuiltIn(kind)) return "unknown";
  const input = readKind(kind, JSON.parse(bytes.toString()));
  const ran = await executor.run({ kind, input, limit_s: terms.limit_s });
  if (ran.exit === "failed") return "unknown";
  return { output_sha256: digestOf(canonicalText(ran.output as JsonObject, "output")), exit: ran.exit };
}
