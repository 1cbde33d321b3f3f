/** Histories of list-append transactions in the form that elle-cli reads (github.com/ligurio/elle-cli): one JSON object an operation. */
import type { Op, Transaction } from "../histories/list-append.ts";

const TYPES = { ok: "ok", failed: "fail", unknown: "info" } as const;

const micro = (op: Op, isAnswered: boolean) =>
  "append" in op ? ["append", op.append, op.value] : ["r", op.read, isAnswered ? op.values : null];

/** Each transaction is a process of its own. One without an answer ends unknown, after all others. */
export function historyLines(history: readonly Transaction[]): string[] {
  const last = Math.max(...history.map(({ begun, ended = 0 }) => Math.max(begun, ended)));
  const ends = history.flatMap((one, process) => {
    const value = (isAnswered: boolean) => one.ops.map((op) => micro(op, isAnswered));
    const isOk = one.outcome === "ok";
    return [
      { at: one.begun, process, type: "invoke", value: value(false) },
      { at: one.ended ?? last, process, type: TYPES[one.outcome], value: value(isOk) },
    ];
  });
  return ends
    .sort((a, b) => a.at - b.at)
    .map(({ at, process, type, value }, index) =>
      JSON.stringify({ index, time: Math.round(at * 1e6), process, type, f: "txn", value }),
    );
}
