/**
 * A call to which its caller gives no name is named by its content, so that a repeat within some minutes is the same
 * command.
 */
import type { RecordedCommit } from "../../../eventstore/store.ts";
import type { App } from "../../core/app.ts";
import { type Call, idempotencyOf } from "./call.ts";

type Unnamed = Pick<Call, "caller" | "idempotency_key" | "request_sha256"> & {
  operation: Pick<Call["operation"], "stores_answer" | "repeats_within_s">;
};

/**
 * Equal calls of a caller are numbered. A number is used again until its commit is `repeats_within_s` old. Two
 * processes that both find no recent commit choose the same number; the log accepts one commit per name.
 */
export async function repeatName({ store, clock }: App, call: Unnamed): Promise<string | undefined> {
  const within_s = call.operation.repeats_within_s;
  if (within_s === undefined || call.idempotency_key !== undefined) return undefined;
  const nameOf = (number: number) => `repeat-${number}-${call.request_sha256}`;
  const commitOf = async (number: number) => {
    const once = idempotencyOf({ ...call, repeat_name: nameOf(number) });
    return once && store.findCommit(once);
  };
  const { number, commit } = await newest(commitOf);
  const recorded_at_us = commit?.events.at(-1)?.recorded_at_us;
  if (recorded_at_us === undefined) return nameOf(0);
  const age_ms = clock.now().getTime() - recorded_at_us / 1_000;
  return nameOf(age_ms <= within_s * 1_000 ? number : number + 1);
}

type Find = (number: number) => Promise<RecordedCommit | undefined>;

/** Numbers are used without a gap, so a search by doubling and halving finds the highest; -1: none. */
async function newest(find: Find): Promise<{ number: number; commit: RecordedCommit | undefined }> {
  let number = -1;
  let commit: RecordedCommit | undefined;
  let isDoubling = true;
  for (let step = 1; step >= 1; step = isDoubling ? step * 2 : step / 2) {
    const found = await find(number + step);
    if (found) {
      number += step;
      commit = found;
    } else isDoubling = false;
  }
  return { number, commit };
}
