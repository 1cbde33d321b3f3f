/**
 * Distributes a gas key's nonces among the processes that send by it, so that their transactions can share a block.
 * Without it nothing is lost: a process that follows the chain alone may be overtaken, and then sends again.
 */
import type pg from "pg";
import type { Hex } from "../core/model/chain.ts";

export type Nonces = {
  /**
   * The first free nonce: `known`, the first unused on the chain, or a later one if others were taken recently.
   * Rejects if it cannot be determined.
   */
  take(known: number): Promise<number>;
  /** The nonce was not used. */
  giveBack(nonce: number): Promise<void>;
  /** This nonce is far too high: `free` is the next one, unless another process set it since. */
  leave(nonce: number, free: number): Promise<void>;
  /** The highest nonce taken within a day by any process, returned and skipped ones included; -1 if none. */
  highest(): Promise<number>;
};

/** For a key with one sender: the chain knows the free nonce. */
export function alone(): Nonces {
  let highest = -1;
  return {
    take: async (known) => {
      highest = Math.max(highest, known);
      return known;
    },
    giveBack: async () => {},
    leave: async () => {},
    highest: async () => highest,
  };
}

/** A query delays everything that waits to be sent. */
const PATIENCE_MS = 3_000;

/** `pool`: a dedicated connection, so that calls filling their pool block no transaction. */
export function sharedNonces(pool: pg.Pool, network: string, sender: Hex): Nonces {
  const ask = async (text: string, ...values: number[]): Promise<number | undefined> => {
    const query = { text, values: [network, sender, ...values], query_timeout: PATIENCE_MS };
    return (await pool.query<{ nonce: number }>(query as pg.QueryConfig)).rows[0]?.nonce;
  };
  return {
    take: async (known) => (await ask("select chain.take_nonce($1, $2, $3) as nonce", known))!,
    giveBack: async (nonce) => {
      const sql =
        "update chain.nonces set next_nonce = $3 where network = $1 and sender = $2 and next_nonce = $3 + 1";
      await ask(sql, nonce).catch(() => undefined);
    },
    leave: async (nonce, free) => {
      const sql =
        "update chain.nonces set next_nonce = $4 where network = $1 and sender = $2 and next_nonce > $3";
      await ask(sql, nonce, free).catch(() => undefined);
    },
    highest: async () => {
      const sql = `select highest as nonce from chain.nonces
        where network = $1 and sender = $2 and highest_at > clock_timestamp() - interval '1 day'`;
      return (await ask(sql)) ?? -1;
    },
  };
}
