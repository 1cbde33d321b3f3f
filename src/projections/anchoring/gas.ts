/** What the anchors of the log cost in gas. */
import type pg from "pg";
import * as anchor from "../../domain/anchoring/anchor.ts";
import type { Hex } from "../../domain/chain.ts";
import { projection } from "../projection.ts";

export const anchorGasProjection = projection({
  name: "anchor_gas",
  version: 1,
  ddl: `
    create table if not exists read.anchor_gas_v1 (
      transaction text primary key,
      day         text not null,
      fee_wei     numeric not null
    );
    create index if not exists anchor_gas_v1_day on read.anchor_gas_v1 (day);`,
  of: [anchor],
  async fold(events, tx) {
    for (const { type, data } of events) {
      if (type === "Anchored") await add(tx, data);
      if (type === "AnchorReorged")
        await tx.query("delete from read.anchor_gas_v1 where transaction = $1", [data.transaction]);
    }
  },
});

/** A transaction that moved to another block is paid for once. */
const add = (
  tx: pg.ClientBase,
  { transaction, anchored_at, fee_wei }: { transaction: Hex; anchored_at: string; fee_wei: string },
) =>
  tx.query("insert into read.anchor_gas_v1 values ($1, $2, $3) on conflict do nothing", [
    transaction,
    anchored_at.slice(0, 10),
    fee_wei,
  ]);

/** What the anchors of a UTC day (YYYY-MM-DD) cost, without the transactions in `except`; in wei. */
export async function anchorGas(pool: pg.Pool, day: string, except: readonly Hex[] = []): Promise<bigint> {
  const sql = `select coalesce(sum(fee_wei), 0)::text as wei from read.anchor_gas_v1
    where day = $1 and transaction <> all($2)`;
  const { rows } = await pool.query<{ wei: string }>(sql, [day, except]);
  return BigInt(rows[0]!.wei);
}
