/** Records the cost of every transaction that the service sends, in every process. */
import type pg from "pg";
import type { Hex, Purpose } from "../core/model/chain.ts";
import type { SignedTransaction } from "./send-queue/gas-account.ts";

/** A UTC day, YYYY-MM-DD. */
export type Day = string;

/** A single purpose, or all except some. */
export type Purposes = { only: Purpose } | { without: readonly Purpose[] };

/** A transaction without a known result. `sender` and `nonce` are null where they were not recorded. */
export type OpenTransaction = { transaction: Hex; sender: Hex | null; nonce: number | null };

/** A mined transaction. `day` and `purpose` are used if it was not recorded before it was sent. */
export type MinedTransaction = { transaction: Hex; fee_wei: bigint; day: Day; purpose: Purpose };

export type GasRecord = {
  /** Records a transaction before it is sent. */
  signed(sent: SignedTransaction & { day: Day }): Promise<void>;
  /** Adds the fee. Others with the same nonce cost nothing. */
  mined(mined: MinedTransaction): Promise<void>;
  /** Transactions that can no longer be mined cost nothing. */
  replaced(transactions: readonly Hex[]): Promise<void>;
  /** The wei of a day's mined transactions. */
  spent(day: Day, of?: Purposes): Promise<bigint>;
  /** `spent` plus the highest cost of open transactions; at most one of a nonce is mined. */
  committed(day: Day, of?: Purposes): Promise<bigint>;
  /** `spent` by purpose. */
  byPurpose(day: Day): Promise<{ purpose: Purpose; wei: bigint }[]>;
  /** Transactions of any day without a known result. */
  open(): Promise<OpenTransaction[]>;
};

/** A transaction waits at most this long to be recorded. */
const PATIENCE_MS = 3_000;

const OF = "network = $1 and day = $2 and ($3::text is null or purpose = $3) and purpose <> all($4)";
const valuesOf = (of: Purposes) => ("only" in of ? [of.only, []] : [null, of.without]);

export function gasRecord(pool: pg.Pool, network: string): GasRecord {
  const sum = async (sql: string, day: Day, of: Purposes) => {
    const { rows } = await pool.query<{ wei: string }>(sql, [network, day, ...valuesOf(of)]);
    return BigInt(rows[0]!.wei);
  };
  return {
    signed: async ({ transaction, day, purpose, sender, nonce, most_wei }) => {
      const query = {
        text: `insert into chain.gas (network, transaction, day, purpose, sender, nonce, most_wei)
          values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
        values: [network, transaction, day, purpose, sender, nonce, most_wei.toString()],
        query_timeout: PATIENCE_MS,
      };
      await pool.query(query as pg.QueryConfig);
    },
    mined: async ({ transaction, fee_wei, day, purpose }) => {
      const sql = `with mined as (
          insert into chain.gas as known (network, transaction, day, purpose, fee_wei) values ($1, $2, $3, $4, $5)
          on conflict (network, transaction) do update set fee_wei = coalesce(known.fee_wei, excluded.fee_wei)
          returning sender, nonce)
        update chain.gas as other set fee_wei = 0 from mined
         where other.network = $1 and other.sender = mined.sender and other.nonce = mined.nonce
           and other.transaction <> $2 and other.fee_wei is null`;
      await pool.query(sql, [network, transaction, day, purpose, fee_wei.toString()]);
    },
    replaced: async (transactions) => {
      const sql =
        "update chain.gas set fee_wei = 0 where network = $1 and transaction = any($2) and fee_wei is null";
      await pool.query(sql, [network, transactions]);
    },
    spent: (day, of = { without: [] }) =>
      sum(`select coalesce(sum(fee_wei), 0)::text as wei from chain.gas where ${OF}`, day, of),
    committed: (day, of = { without: [] }) =>
      sum(
        `select coalesce(sum(wei), 0)::text as wei from (
           select coalesce(sum(fee_wei), max(most_wei), 0) as wei from chain.gas where ${OF}
            group by sender, coalesce(nonce::text, transaction)) by_nonce`,
        day,
        of,
      ),
    byPurpose: async (day) => {
      const sql = `select purpose, coalesce(sum(fee_wei), 0)::text as wei from chain.gas
        where network = $1 and day = $2 group by purpose order by purpose`;
      const { rows } = await pool.query<{ purpose: Purpose; wei: string }>(sql, [network, day]);
      return rows.map(({ purpose, wei }) => ({ purpose, wei: BigInt(wei) }));
    },
    open: async () => {
      const sql = `select transaction, sender, nonce::float8 as nonce from chain.gas
        where network = $1 and fee_wei is null order by day, nonce`;
      return (await pool.query<OpenTransaction>(sql, [network])).rows;
    },
  };
}
