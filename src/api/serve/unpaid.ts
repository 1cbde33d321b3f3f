/** Serves calls without a payment. Calls with the same Idempotency-Key get the same answer. */
import { transact } from "../../core/commands/transact.ts";
import { decidesNothing } from "../../core/commands/unit.ts";
import type { EventName } from "../../core/model/refusal.ts";
import { type AnswerParts, finishedAnswer, type PreparedAnswer, prepareAnswer } from "./answer.ts";
import { type Call, commandOf, idempotencyOf } from "./call.ts";
import { isNoRoom } from "./problem.ts";
import { repeatName } from "./repeats.ts";
import { eventGiven, givenBefore } from "./x402/replay.ts";

export async function unpaid(
  parts: AnswerParts,
  requested: Call,
): Promise<{ made: PreparedAnswer; event?: EventName | undefined }> {
  const repeat_name = await repeatName(parts.app, requested);
  const call = repeat_name === undefined ? requested : { ...requested, repeat_name };
  if (call.operation.output.kind === "stream")
    return {
      made: await prepareAnswer(parts, call, { ...decidesNothing(refuseDecision), command: commandOf(call) }),
    };
  // The cache is skipped for a call with an idempotency key, because its answer must be stored.
  const finished = call.idempotency_key === undefined ? finishedAnswer(parts, call) : undefined;
  if (finished) return { made: finished };
  const given = await givenBefore(parts, call);
  if (given) return { made: given.made, event: await eventGiven(parts.app, call) };
  return decided(parts, call);
}

async function decided(parts: AnswerParts, call: Call) {
  const { unit, answers, readers } = parts.app;
  const once = idempotencyOf(call);
  const { result: made, events } = await transact(unit, commandOf(call, once), (of) =>
    prepareAnswer(parts, call, of),
  );
  if (once && made.kind === "body" && call.operation.stores_answer !== false) {
    const { status, body, subjects } = made;
    const answer = { request_sha256: call.request_sha256, status, body, payment_id: null };
    await answers.keep(once.idem_key, answer, subjects).catch((error) => {
      // The answer could not be stored for lack of room. The events exist, so a repeat computes it again.
      if (events.length === 0 || !isNoRoom(error)) throw error;
    });
  }
  const last = events.at(-1);
  if (last) readers.appended(call.caller.tenant, last.position);
  return { made, event: made.event ?? last };
}

const refuseDecision = () => {
  throw new Error("a stream decides nothing");
};
