/**
 * The nonces of a gas key among the processes that send by it: each takes its own, so that their transactions may stand in one block. Nothing
 * is lost without it: a process that cannot ask goes by what the chain says, and whoever is overtaken sends again.
 */
import type pg from "pg";
import type { Hex } from "../domain/chain.ts";

export type Nonces = {
  /** The first that is free: `known`, the first that the chain has not seen, or a later one where others were taken lately. `anew`: the chain went back, and those count no more. */
  take(known: number, anew?: boolean): Promise<number>;
  /** Nothing will be sent by this one. */
  giveBack(nonce: number): Promise<void>;
  /** This one lies far too high: `free` is the next, unless another has said so since. */
  leave(nonce: number, free: number): Promise<void>;
};

/** Nobody else sends by the key: the chain knows what is free. */
export const ALONE: Nonces = {
  take: async (known) => known,
  giveBack: async () => {},
  leave: async () => {},
};

/** `pool`: of one connection that nothing else uses, so that calls that fill their pool stop no transaction. */
export function sharedNonces(pool: pg.Pool, network: string, sender: Hex): Nonces {
  const key = [network, sender];
  return {
    take: async (known, anew = false) => {
      const sql = "select chain.take_nonce($1, $2, $3, $4) as nonce";
      const asked = pool.query<{ nonce: number }>(sql, [...key, known, anew]);
      return asked.then(
        ({ rows }) => rows[0]!.nonce,
        () => known,
      );
    },
    giveBack: async (nonce) => {
      const sql =
        "update chain.nonces set next_nonce = $3 where network = $1 and sender = $2 and next_nonce = $3 + 1";
      await pool.query(sql, [...key, nonce]).catch(() => undefined);
    },
    leave: async (nonce, free) => {
      const sql =
        "update chain.nonces set next_nonce = $4 where network = $1 and sender = $2 and next_nonce > $3";
      await pool.query(sql, [...key, nonce, free]).catch(() => undefined);
    },
  };
}
