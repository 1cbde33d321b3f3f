/**
 * Names a call by its content if the caller gives it no name, so that a repeat within some minutes is the same
 * command.
 */
import type { RecordedCommit } from "../../../eventstore/store.ts";
import type { App } from "../../core/app.ts";
import { type Call, idempotencyOf } from "./call.ts";

type Unnamed = Pick<Call, "caller" | "idempotency_key" | "request_sha256"> & {
  operation: Pick<Call["operation"], "stores_answer" | "repeats_within_s">;
};

/**
 * Equal calls of a caller are numbered. A number is reused until its commit is `repeats_within_s` old. If two
 * processes find no recent commit, both choose the same number, and the log accepts one of the commits.
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

/** Finds the highest number by doubling and halving, because numbers are used without gaps; -1 if there is none. */
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
