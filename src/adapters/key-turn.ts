/**
 * The turn of a gas key among the processes that send by it: one of them at a time has a transaction under way, as each would sign the
 * same next nonce, and whoever is overtaken has to wait until that is certain. Nonces are safe without it: a process that gets no turn in
 * time, or loses it, sends all the same.
 */
import type pg from "pg";
import type { Hex } from "../domain/chain.ts";

/** Does the work in this process's turn, which ends with it. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Longer is no turn waited for: another process's transaction is stuck, or the database is away. */
const WAIT_MS = 8_000;
/** So long a turn is kept for a process that is silent; one whose transaction is stuck for longer goes on without it. */
const SILENT_MS = 60_000;

/** `pool`: of one connection that nothing else uses, so that calls that fill their pool stop no transaction. */
export function keyTurn(pool: pg.Pool, network: string, sender: Hex, wait_ms = WAIT_MS): InTurn {
  const take = async () => {
    const client = await pool.connect();
    try {
      // By the transaction: a pooler lends connections for no longer.
      await client.query("begin");
      await client.query(
        `select set_config('lock_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $2, true)`,
        [`${wait_ms}ms`, `${SILENT_MS}ms`],
      );
      await client.query("select pg_advisory_xact_lock(hashtextextended('chain.sender ' || $1, 0))", [
        `${network} ${sender}`,
      ]);
    } catch (error) {
      client.release(true);
      throw error;
    }
    return () =>
      client.query("commit").then(
        () => client.release(),
        () => client.release(true),
      );
  };
  return async (work) => {
    const release = await take().catch(() => undefined);
    try {
      return await work();
    } finally {
      await release?.();
    }
  };
}
