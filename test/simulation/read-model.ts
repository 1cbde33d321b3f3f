/** The payments' read model, folded from the log in memory: it answers the statements of projections/payments/watched.ts. */
import { StoreUnavailable } from "../../eventstore/errors.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import type { Host } from "./host.ts";
import { LEASE_ANSWERS, type ModelLeases } from "./model-leases.ts";
import type { ModelLog } from "./model-store.ts";

type Row = { id: string; state: NonNullable<payments.PaymentState>; settled_position: number };

/** The payments by the log as it is. */
export function paymentsIn(log: ModelLog): Row[] {
  return [...log.streams].flatMap(([key, recorded]) => {
    const stream_id = key.slice(key.indexOf("\n") + 1);
    if (!stream_id.startsWith(payments.prefix)) return [];
    let state: payments.PaymentState;
    let settled_position = 0;
    for (const { type, payload, position } of recorded) {
      state = payments.evolve(state, { type, data: payload } as never);
      if (type === "PaymentSettled") settled_position = position;
    }
    return state ? [{ id: stream_id.slice(payments.prefix.length), state, settled_position }] : [];
  });
}

function confirmedIn(log: ModelLog): { block_number: number } | undefined {
  const last = log.events.findLast(({ type }) => type === "ChainConfirmed");
  return last?.payload as { block_number: number } | undefined;
}

/** A settlement at or below the confirmed block is final. */
const isFinal = ({ state }: Row, confirmed: number) =>
  state.status === "settled"
    ? state.settlement.block_number <= confirmed
    : state.status === "failed" && state.for_good;

type Answer = (values: readonly unknown[], log: ModelLog) => object[];

const ANSWERS: { marks: string; answer: Answer }[] = [
  {
    marks: "as unsettled",
    answer: ([, claimed_before], log) => {
      const confirmed = confirmedIn(log);
      const open = paymentsIn(log).filter((row) => !isFinal(row, confirmed?.block_number ?? -1));
      const unsettled = open
        .filter(
          ({ state }) =>
            state.status !== "settled" &&
            (state.status !== "claimed" || state.claim.claimed_at < String(claimed_before)),
        )
        .map(({ id }) => id);
      const blocks = open
        .flatMap(({ state }) => (state.status === "settled" ? [state.settlement] : []))
        .map(({ block_number, block_hash }) => ({ block_number, block_hash }))
        .sort((a, b) => a.block_number - b.block_number);
      return [{ as_of_position: log.events.length, confirmed: confirmed ?? null, unsettled, blocks }];
    },
  },
  {
    marks: "and block_hash = any",
    answer: ([hashes], log) => [
      {
        settled: paymentsIn(log)
          .filter(
            ({ state }) =>
              state.status === "settled" && (hashes as string[]).includes(state.settlement.block_hash),
          )
          .map(({ id }) => id),
        refunded: [],
      },
    ],
  },
  {
    marks: "as settled_micro",
    answer: ([, block_number, as_of], log) => {
      const before = confirmedIn(log)?.block_number ?? -1;
      const rows = paymentsIn(log).filter(
        (row) =>
          row.state.status === "settled" &&
          !isFinal(row, before) &&
          row.state.settlement.block_number <= Number(block_number) &&
          row.settled_position <= Number(as_of),
      );
      const settled_micro = rows.reduce((sum, { state }) => sum + state.claim.amount_micro, 0);
      return [{ payments: rows.length, settled_micro, refunds: 0, refunded_micro: 0 }];
    },
  },
  {
    marks: "and not answered",
    answer: ([, settled_before], log) => {
      const confirmed = confirmedIn(log)?.block_number ?? -1;
      return paymentsIn(log)
        .filter(
          (row) =>
            row.state.status === "settled" &&
            isFinal(row, confirmed) &&
            !row.state.answer &&
            !row.state.refund,
        )
        .filter(
          ({ state }) => state.status === "settled" && state.settlement.settled_at < String(settled_before),
        )
        .map(({ id }) => ({ id }));
    },
  },
];

/** Throws for any other statement, so that none goes unanswered by chance. */
export const readModel = (log: ModelLog, leases: ModelLeases, host: Host) => ({
  async query(sql: string, values: readonly unknown[]) {
    await host.io(1, 15);
    if (log.clock.now < log.away_until) throw new StoreUnavailable("the database is away");
    const lease = LEASE_ANSWERS.find(({ marks }) => sql.includes(marks));
    if (lease) {
      const rows = lease.answer(values, leases, sql);
      return { rows, rowCount: rows.length };
    }
    const found = ANSWERS.find(({ marks }) => sql.includes(marks));
    if (!found) throw new Error(`the model of the read models does not know: ${sql.slice(0, 80)}`);
    const rows = found.answer(values, log);
    return { rows, rowCount: rows.length };
  },
});
