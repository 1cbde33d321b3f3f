/** Transfers to the account that payments go to, as they are kept from the chain, and how far they were compared with the log. */
import type pg from "pg";
import type { Hex } from "../../core/model/chain.ts";

/** USDC of one account on one network. */
export type Account = { network: string; account: Hex; token: Hex };

/** A block, and the transactions in it that brought something. */
export type Incoming = { block_number: bigint; transactions: Hex[] };

/** The blocks in which something came in that was not compared yet, oldest first. */
export async function incoming(
  pool: pg.Pool,
  { network, account, token }: Account,
  limit: number,
): Promise<Incoming[]> {
  const sql = `select block_number::text, jsonb_agg(distinct transaction) as transactions
    from read.transfers_v1
    where network = $1 and account = $2 and token = $3 and recipient = $2 and block_number > coalesce(
      (select l.block_number from access.payments_looked_for l where l.network = $1 and l.account = $2), -1)
    group by transfers_v1.block_number order by transfers_v1.block_number limit $4`;
  const { rows } = await pool.query<{ block_number: string; transactions: Hex[] }>(sql, [
    network,
    account,
    token,
    limit,
  ]);
  return rows.map(({ block_number, transactions }) => ({ block_number: BigInt(block_number), transactions }));
}

/** Notes that every transfer up to a block is in the log. */
export async function lookedFor(
  tx: pg.ClientBase,
  { network, account }: Account,
  block_number: bigint,
): Promise<void> {
  await tx.query(
    `insert into access.payments_looked_for as l values ($1, $2, $3)
     on conflict (network, account) do update set block_number = greatest(l.block_number, excluded.block_number)`,
    [network, account, String(block_number)],
  );
}
