/** Credited deposits of the lounge's accounts, by block. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import type { Deposit } from "../../domain/lounge/account.ts";
import * as account from "../../domain/lounge/account.ts";

export const depositsProjection = projection({
  name: "lounge",
  version: 1,
  ddl: `
    create table if not exists read.lounge_deposits_v1 (
      block_hash   text not null,
      log_index    int not null,
      block_number bigint not null,
      tenant       text not null,
      primary key (block_hash, log_index)
    );
    create index if not exists lounge_deposits_v1_number on read.lounge_deposits_v1 (block_number);`,
  of: [account],
  async fold(events, tx) {
    for (const { type, tenant, data } of events) {
      if (type === "DepositCredited")
        await tx.query("insert into read.lounge_deposits_v1 values ($1, $2, $3, $4)", [
          data.block_hash,
          data.log_index,
          data.block_number,
          tenant,
        ]);
      if (type === "DepositTakenBack")
        await tx.query("delete from read.lounge_deposits_v1 where block_hash = $1 and log_index = $2", [
          data.block_hash,
          data.log_index,
        ]);
    }
  },
});

export type CreditedDeposit = Pick<Deposit, "block_hash" | "log_index" | "block_number"> & { tenant: string };

/** The deposits credited from this block on. */
export async function creditedFrom(pool: pg.Pool, block_number: bigint): Promise<CreditedDeposit[]> {
  const sql = `select block_hash, log_index, block_number::float8 as block_number, tenant
    from read.lounge_deposits_v1 where block_number >= $1`;
  return (await pool.query<CreditedDeposit>(sql, [String(block_number)])).rows;
}
