/** Totals of the market, updated with each change: counting all past tasks would take longer with every task. */
import type pg from "pg";
import type { Task } from "../../domain/compute/task.ts";

const counts = [
  "running",
  "queued",
  "settled",
  "settled_micro",
  "refunded",
  "audited",
  "mismatches",
] as const;

type Counts = Record<(typeof counts)[number], number>;

export const sumsDdl = `
    create table if not exists read.compute_sums_v4 (
      only_row      boolean primary key default true check (only_row),
      ${counts.map((count) => `${count} bigint not null`).join(",\n      ")}
    );`;

/** A quorum task is neither settled nor audited; its copies are. */
function countsOf({ status, facts, settled, judged, refunded, audit }: Task): Counts {
  const is = (holds: boolean) => (holds ? 1 : 0);
  const verdict = audit?.verdict;
  return {
    running: is(status === "leased"),
    queued: is(status === "queued"),
    settled: is(status === "settled" && judged === null),
    settled_micro: status === "settled" ? (settled?.price_micro ?? 0) : 0,
    refunded: is(refunded !== null && facts.copy_of === null),
    audited: is(verdict === "valid" || verdict === "mismatch"),
    mismatches: is(verdict === "mismatch"),
  };
}

/** Changes of the totals by a batch of events. */
export class Sums {
  readonly #changes = Object.fromEntries(counts.map((count) => [count, 0])) as Counts;

  changed(before: Task | undefined, after: Task): void {
    const [was, is] = [before && countsOf(before), countsOf(after)];
    for (const count of counts) this.#changes[count] += is[count] - (was?.[count] ?? 0);
  }

  async save(tx: pg.ClientBase): Promise<void> {
    await tx.query(
      `insert into read.compute_sums_v4 as known (${counts.join(", ")}) values (${counts.map((_, n) => `$${n + 1}`).join(", ")})
       on conflict (only_row) do update set ${counts.map((count) => `${count} = known.${count} + excluded.${count}`).join(", ")}`,
      counts.map((count) => this.#changes[count]),
    );
  }
}

export type MarketSums = {
  online: number;
  slots: number;
  running: number;
  queued: number;
  quartiles: [number, number, number] | null;
  settled: number;
  settled_micro: number;
  refunded: number;
  audited: number;
  mismatches: number;
};

/** A moment old; `quartiles` of the hourly rates of available nodes, in micro-USDC. */
export async function marketSums(pool: pg.Pool): Promise<MarketSums> {
  const text = `select
    (select count(*)::int from read.compute_nodes_v3 where online) as online,
    (select coalesce(sum(greatest(0, max_concurrent - running)), 0)::int from read.compute_nodes_v3 where online and status = 'available') as slots,
    (select to_json(percentile_disc(array[0.25, 0.5, 0.75]) within group (order by hourly_rate_micro))
       from read.compute_nodes_v3 where online and status = 'available') as quartiles,
    ${counts.map((count) => `coalesce(s.${count}, 0) as ${count}`).join(", ")}
    from (values (true)) one (only_row) left join read.compute_sums_v4 s using (only_row)`;
  return (await pool.query<MarketSums>({ name: "compute_market", text })).rows[0]!;
}
