/**
 * The heartbeat of a process. The statement that renews its leases also shows the other processes that it lives, and
 * reads the log's head and the database's time. So an idle process sends little else.
 */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Presence } from "../model/ports/presence.ts";
import { everyRenewal, type Lease, Leases, together } from "./lease.ts";
import { type LookResult, lookAtLog } from "./lease-statement.ts";

export type Heartbeat = Presence & {
  /** Called at each beat. A beat that fails is left out. */
  onBeat(listener: (look: LookResult) => void): void;
};

/** Registers this process as alive, and renews the entry until the process leaves. */
export async function startHeartbeat(pool: pg.Pool): Promise<Heartbeat> {
  const leases = new Leases(pool, { table: "access.processes", name: "process" });
  const name = randomUUID();
  const holds_ms = leases.seconds * 1_000;
  const listeners: ((look: LookResult) => void)[] = [];
  let entry: Lease | undefined;
  let live_until = 0;
  const enter = async () => {
    const requested_at = performance.now();
    // A database that was set back has lost the entry.
    const isHeld = entry !== undefined && (await leases.renew(entry));
    if (!isHeld) entry = await leases.take(name, name);
    if (entry) live_until = requested_at + holds_ms;
  };
  const look = async () => {
    await together();
    const seen = await lookAtLog(pool);
    for (const listener of listeners) listener(seen);
  };
  await leases.forgetOld();
  await enter();
  let beating: Promise<unknown> | undefined;
  const stop = everyRenewal(holds_ms, () => {
    beating ??= Promise.allSettled([enter(), look()]).finally(() => {
      beating = undefined;
    });
  });
  return {
    name,
    isLive: () => performance.now() < live_until,
    livesFor: (other) => leases.heldFor(other),
    onBeat: (listener) => void listeners.push(listener),
    leave: async () => {
      stop();
      await beating;
      live_until = 0;
      await leases.handBack({ name, holder: name });
    },
  };
}
