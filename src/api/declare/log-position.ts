/**
 * `Log-Position` is the position of the events that a call appended. A request's `Min-Log-Position` requires an
 * answer that includes this position, from any copy of the database.
 */
import { MAIN_LOG } from "../../../eventstore/types.ts";
import type { App } from "../../core/app.ts";
import { refuse } from "../../core/model/refusal.ts";
import { replayProblems } from "../../domain/replay/problems.ts";
import type { Operation } from "./operation.ts";
import { readsOf } from "./operation-facts.ts";

/** `<epoch>.<position>`: the epoch names the log, because a position is valid in one log only. */
export async function logPositionOf({ store }: App, position: number): Promise<string> {
  return `${(await store.identity(MAIN_LOG)).epoch}.${position}`;
}

/**
 * The required position; 0 without a header. A position of another history is a conflict: the caller saw events that
 * this log lacks.
 */
export async function wantedPosition(
  { store }: App,
  operation: Operation,
  text: string | undefined,
): Promise<number> {
  if (text === undefined || !readsOf(operation)) return 0;
  const [, epoch, digits] = /^([0-9A-Za-z-]{1,64})\.(\d{1,15})$/.exec(text) ?? [];
  if (epoch === undefined)
    refuse("invalid", "invalid Min-Log-Position", {
      errors: [{ path: "Min-Log-Position", message: "is a complete Log-Position from an answer" }],
    });
  const position = Number(digits);
  const own = await store.identity(MAIN_LOG);
  if (epoch !== own.epoch)
    refuse(
      replayProblems["history-diverged"],
      `Min-Log-Position is of another log: this one has the epoch ${own.epoch}`,
    );
  const head = await store.head(MAIN_LOG);
  if (position > head.position)
    refuse(
      replayProblems["history-diverged"],
      `Min-Log-Position is beyond the head of the log, ${head.position}: the log has lost its end. Compare the log with your copy before you go on.`,
    );
  return position;
}
