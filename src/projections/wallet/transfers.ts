/** Transfers of the platform's own accounts, stored from the logs of final blocks, which no reorg removes. */
import type pg from "pg";
import type { Hex } from "../../core/model/chain.ts";
import type { Transfer } from "../../domain/wallet/token.ts";

/** One token of one account on one network. */
export type FollowedAccount = { network: string; account: Hex; token: Hex };

/** Blocks that were read, both included; `to_hash` is the last one's. */
export type Reach = { from_block: bigint; to_block: bigint; to_hash: Hex };

/** The block up to which transfers were read; undefined before the first read. */
export async function reachOf(
  pool: pg.Pool,
  { network, account, token }: FollowedAccount,
): Promise<Reach | undefined> {
  const sql = `select from_block::text, to_block::text, to_hash from read.transfers_followed_v1
    where network = $1 and account = $2 and token = $3`;
  const { rows } = await pool.query<{ from_block: string; to_block: string; to_hash: Hex }>(sql, [
    network,
    account,
    token,
  ]);
  const [row] = rows;
  return row && { ...row, from_block: BigInt(row.from_block), to_block: BigInt(row.to_block) };
}

/** Keeps what was read after `last`, or from the beginning where that is undefined; nothing if another process was faster. */
export async function storeTransfers(
  tx: pg.ClientBase,
  { network, account, token }: FollowedAccount,
  { from_block, to_block, to_hash }: Reach,
  last: Reach | undefined,
  transfers: readonly Transfer[],
): Promise<void> {
  const values = transfers.map(({ block_number, index, block_hash, transaction, from, to, amount }) => ({
    block_number: String(block_number),
    index,
    block_hash,
    transaction,
    sender: from,
    recipient: to,
    amount: String(amount),
  }));
  // One statement stores the transfers together with the block that they reach.
  await tx.query(
    `with moved as (
       insert into read.transfers_followed_v1 as known values ($1, $2, $3, $4, $5, $6)
       on conflict (network, account, token) do update set to_block = $5, to_hash = $6
         where known.to_block = $7
       returning 1)
     insert into read.transfers_v1
       select $1, $2, $3, block_number, index, block_hash, transaction, sender, recipient, amount
         from jsonb_to_recordset($8) as t (block_number bigint, index int, block_hash text, transaction text,
           sender text, recipient text, amount numeric), moved
     on conflict do nothing`,
    [network, account, token, from_block, to_block, to_hash, last?.to_block ?? null, JSON.stringify(values)],
  );
}

/** Forgets what was read of a token, where the chain turned out to be another one. */
export async function forgetTransfers(
  tx: pg.ClientBase,
  { network, account, token }: FollowedAccount,
): Promise<void> {
  await tx.query(
    `with gone as (
       delete from read.transfers_followed_v1 where network = $1 and account = $2 and token = $3)
     delete from read.transfers_v1 where network = $1 and account = $2 and token = $3`,
    [network, account, token],
  );
}

/** A place among the logs of a chain: those before it have a lower block, or the same and a lower index. */
export type TransferPosition = { block_number: bigint; index: number };

type Row = Omit<Transfer, "from" | "to" | "amount" | "block_number"> & {
  sender: Hex;
  recipient: Hex;
  amount: string;
  block_number: string;
};

/** Stored transfers of an account in these tokens, before a place, newest first. */
export async function storedTransfers(
  pool: pg.Pool,
  { network, account, tokens }: { network: string; account: Hex; tokens: readonly Hex[] },
  before: TransferPosition,
  limit: number,
): Promise<Transfer[]> {
  const sql = `select token, block_number::text, index, block_hash, transaction, sender, recipient, amount::text
    from read.transfers_v1
    where network = $1 and account = $2 and token = any($3) and (block_number, index) < ($4::bigint, $5::int)
    order by transfers_v1.block_number desc, index desc limit $6`;
  const values = [network, account, tokens, before.block_number, before.index, limit];
  const { rows } = await pool.query<Row>(sql, values);
  return rows.map(({ sender, recipient, amount, block_number, ...row }) => ({
    ...row,
    from: sender,
    to: recipient,
    amount: BigInt(amount),
    block_number: BigInt(block_number),
  }));
}
