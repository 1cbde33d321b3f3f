/** The one record of what transactions have cost: every one that the service sends, in every process. */
import type pg from "pg";
import type { Hex, Purpose } from "../core/model/chain.ts";

/** A transaction of ours. `day`: the UTC day, YYYY-MM-DD; `fee_wei` undefined while it is not known to be mined. */
export type Sent = { transaction: Hex; day: string; purpose: Purpose; fee_wei: bigint | undefined };

/** One purpose alone, or all without some. */
export type Purposes = { only: Purpose } | { without: readonly Purpose[] };

export type GasRecord = {
  /** Writes transactions down; one that was written before keeps its day and gets its fee. */
  add(sent: readonly Sent[]): Promise<void>;
  /** The wei of all that was sent on a day, by whatever process, each transaction once, without those in `except`. */
  spent(day: string, except?: readonly Hex[], of?: Purposes): Promise<bigint>;
  /** The same by purpose. */
  byPurpose(day: string): Promise<{ purpose: Purpose; wei: bigint }[]>;
  /** Those of a day whose fee is not known. */
  open(day: string): Promise<{ transaction: Hex; purpose: Purpose }[]>;
};

export function gasRecord(pool: pg.Pool, network: string): GasRecord {
  return {
    add: async (sent) => {
      const rows = sent.map(({ fee_wei, ...row }) => ({ ...row, fee_wei: fee_wei?.toString() ?? null }));
      await pool.query(
        `insert into chain.gas as known (network, transaction, day, purpose, fee_wei)
           select $1, transaction, day, purpose, fee_wei
             from jsonb_to_recordset($2) as t (transaction text, day text, purpose text, fee_wei numeric)
         on conflict (network, transaction) do update set fee_wei = coalesce(known.fee_wei, excluded.fee_wei)`,
        [network, JSON.stringify(rows)],
      );
    },
    spent: async (day, except = [], of = { without: [] }) => {
      const sql = `select coalesce(sum(fee_wei), 0)::text as wei from chain.gas
        where network = $1 and day = $2 and transaction <> all($3)
          and ($4::text is null or purpose = $4) and purpose <> all($5)`;
      const [only, without] = "only" in of ? [of.only, []] : [null, of.without];
      const { rows } = await pool.query<{ wei: string }>(sql, [network, day, except, only, without]);
      return BigInt(rows[0]!.wei);
    },
    byPurpose: async (day) => {
      const sql = `select purpose, coalesce(sum(fee_wei), 0)::text as wei from chain.gas
        where network = $1 and day = $2 group by purpose order by purpose`;
      const { rows } = await pool.query<{ purpose: Purpose; wei: string }>(sql, [network, day]);
      return rows.map(({ purpose, wei }) => ({ purpose, wei: BigInt(wei) }));
    },
    open: async (day) => {
      const sql =
        "select transaction, purpose from chain.gas where network = $1 and day = $2 and fee_wei is null";
      return (await pool.query<{ transaction: Hex; purpose: Purpose }>(sql, [network, day])).rows;
    },
  };
}
