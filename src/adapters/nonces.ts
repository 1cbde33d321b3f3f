/**
 * The nonces of a gas key among the processes that send by it: each takes its own, so that their transactions may stand in one block. Nothing
 * is lost without it: whoever goes by what the chain says alone may be overtaken, and sends again.
 */
import type pg from "pg";
import type { Hex } from "../core/model/chain.ts";

export type Nonces = {
  /** The first that is free: `known`, the first that the chain has not seen, or a later one where others were taken lately. Rejects where nobody can say. */
  take(known: number): Promise<number>;
  /** Nothing will be sent by this one. */
  giveBack(nonce: number): Promise<void>;
  /** This one lies far too high: `free` is the next, unless another has said so since. */
  leave(nonce: number, free: number): Promise<void>;
  /** The highest that was taken within a day, by whomever, also of those that were given back or left; -1: none. */
  highest(): Promise<number>;
};

/** Nobody else sends by the key: the chain knows what is free. */
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

/** A question holds up all that waits to be sent. */
const PATIENCE_MS = 3_000;

/** `pool`: of one connection that nothing else uses, so that calls that fill their pool stop no transaction. */
export function sharedNonces(pool: pg.Pool, network: string, sender: Hex): Nonces {
  const ask = async (text: string, ...values: number[]): Promise<number | undefined> => {
    const asked = { text, values: [network, sender, ...values], query_timeout: PATIENCE_MS };
    return (await pool.query<{ nonce: number }>(asked as pg.QueryConfig)).rows[0]?.nonce;
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
