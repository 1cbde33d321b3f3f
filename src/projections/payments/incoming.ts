/** Transfers to the payee account, copied from the chain, and up to which block they were compared with the log. */
import type pg from "pg";
import type { Hex } from "../../core/model/chain.ts";

/** USDC of one account on one network. */
export type ChainAccount = { network: string; account: Hex; token: Hex };

/** A block and its transactions with incoming transfers. */
export type IncomingBlock = { block_number: bigint; transactions: Hex[] };

/** Blocks with transfers that were not compared yet, oldest first. */
export async function incomingBlocks(
  pool: pg.Pool,
  { network, account, token }: ChainAccount,
  limit: number,
): Promise<IncomingBlock[]> {
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

/** Records that the log has every transfer up to a block. */
export async function recordCompared(
  tx: pg.ClientBase,
  { network, account }: ChainAccount,
  block_number: bigint,
): Promise<void> {
  await tx.query(
    `insert into access.payments_looked_for as l values ($1, $2, $3)
     on conflict (network, account) do update set block_number = greatest(l.block_number, excluded.block_number)`,
    [network, account, String(block_number)],
  );
}
