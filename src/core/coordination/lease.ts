/**
 * Leases in the database. Each acquisition gets the next fencing token, which exposes a process that lost the lease
 * while it was paused. A lease occupies no connection.
 */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { type LeaseTable, renewLease, type TakeResult, takeLease } from "./lease-statement.ts";

export const LEASE_SECONDS = 5;
/** Renewed after this share of its time, a lease survives two renewals that fail. */
const RENEWED_AFTER = 0.4;
export const RENEW_MS = RENEWED_AFTER * LEASE_SECONDS * 1_000;

export type Lease = { name: string; holder: string; token: number };

/**
 * The time until this process next takes and renews its leases. All its leases share these moments, so that one
 * statement serves them.
 */
export const untilRenewal_ms = (every_ms = RENEW_MS): number =>
  // A timer may fire a little early, so this waits one millisecond longer.
  1 + every_ms - (performance.now() % every_ms);

/** Requests within this time share a statement, because a process has about seventy leases. */
const TOGETHER_MS = 25;
const AGAIN_MS = 100;

let gathering: Promise<void> | undefined;

/** Resolves for all callers at once, so that their requests share a statement. */
export function together(): Promise<void> {
  gathering ??= new Promise((go) => {
    setTimeout(() => {
      gathering = undefined;
      go();
    }, TOGETHER_MS);
  });
  return gathering;
}

export class Leases {
  readonly seconds: number;
  readonly #pool: pg.Pool;
  readonly #at: LeaseTable;

  constructor(pool: pg.Pool, at: LeaseTable, seconds = LEASE_SECONDS) {
    this.seconds = seconds;
    this.#pool = pool;
    this.#at = at;
  }

  /** Undefined while another process has the lease. Simultaneous calls share a statement. */
  async take(name: string, holder: string): Promise<Lease | undefined> {
    const { token } = await this.tryTake(name, holder);
    return token === undefined ? undefined : { name, holder, token };
  }

  /** As `take`; also says how much longer another process has the lease. */
  tryTake(name: string, holder: string): Promise<TakeResult> {
    return takeLease(this.#pool, { at: this.#at, seconds: this.seconds, name, holder });
  }

  /** False when another process has taken the lease. A locked row delays only its own lease. */
  async renew({ name, token }: Lease): Promise<boolean> {
    for (;;) {
      await together();
      const renewed = await renewLease(this.#pool, { at: this.#at, seconds: this.seconds, name, token });
      if (renewed !== undefined) return renewed;
      await new Promise((again) => setTimeout(again, AGAIN_MS));
    }
  }

  async isHeld({ name, token }: Lease): Promise<boolean> {
    const sql = `select 1 from ${this.#at.table}
      where ${this.#at.name} = $1 and token = $2 and held_until > clock_timestamp()`;
    return (await this.#pool.query(sql, [name, token])).rowCount === 1;
  }

  async heldFor(name: string): Promise<number> {
    const sql = `select (extract(epoch from held_until - clock_timestamp()) * 1000)::float8 as ms
      from ${this.#at.table} where ${this.#at.name} = $1 and held_until > clock_timestamp()`;
    const { rows } = await this.#pool.query<{ ms: number }>(sql, [name]);
    return rows[0]?.ms ?? 0;
  }

  /** Deletes leases that expired over a day ago: their names may never be used again. */
  async forgetOld(): Promise<void> {
    await this.#pool.query(
      `delete from ${this.#at.table} where held_until < clock_timestamp() - interval '1 day'`,
    );
  }

  /** No other process can take the lease until the work ends. Rejects with LeaseLost. */
  async transaction<T>({ name, token }: Lease, work: (tx: pg.ClientBase) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      await client.query("begin");
      const sql = `select 1 from ${this.#at.table} where ${this.#at.name} = $1 and token = $2 for share`;
      if ((await client.query(sql, [name, token])).rowCount !== 1) throw new LeaseLost(name);
      const result = await work(client);
      await client.query("commit");
      return result;
    } catch (error) {
      await client.query("rollback").catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }

  /** A lease that cannot be released expires. */
  async handBack({ name, holder }: Pick<Lease, "name" | "holder">): Promise<void> {
    // The new token makes a renewal in flight fail.
    const sql = `update ${this.#at.table} set holder = null, held_until = '-infinity', token = token + 1
      where ${this.#at.name} = $1 and holder = $2`;
    await this.#pool.query(sql, [name, holder]).catch(() => undefined);
  }
}

export class LeaseLost extends Error {
  override readonly name = "LeaseLost";

  constructor(lease: string) {
    super(`the lease of ${lease} was lost`);
  }
}

/** The renewer of the lease: `heart` is a timer; `work` is the work itself, with each of its results. */
export type Renewal = "heart" | "work";

export type HeldLease = {
  readonly lease: Lease;
  /** Aborts once the timer finds the lease lost. Work that renews the lease notices the loss by itself. */
  readonly lost: AbortSignal;
  /** Call before any send. Rejects with LeaseLost. */
  confirm(): Promise<void>;
  /** No other process can take the lease until the work ends. Rejects with LeaseLost. */
  transaction<T>(work: (tx: pg.ClientBase) => Promise<T>): Promise<T>;
};

/** Runs the work under a lease; "taken" if another process has the lease. */
export async function underLease<T>(
  leases: Leases,
  name: string,
  work: (held: HeldLease) => Promise<T>,
  renewal: Renewal = "heart",
): Promise<T | "taken"> {
  const outcome = await tryUnderLease(leases, name, work, renewal);
  return "result" in outcome ? outcome.result : "taken";
}

/** `held_ms`: another process has the lease this much longer; undefined if that is unknown. */
export type TenureResult<T> = { result: T } | { held_ms: number | undefined };

export async function tryUnderLease<T>(
  leases: Leases,
  name: string,
  work: (held: HeldLease) => Promise<T>,
  renewal: Renewal,
): Promise<TenureResult<T>> {
  // Measured before the call, so that this process never overestimates how long its lease lasts.
  const requested_at = performance.now();
  const holder = randomUUID();
  const taken = await leases.tryTake(name, holder);
  if (taken.token === undefined) return taken;
  const lease = { name, holder, token: taken.token };
  const losing = new AbortController();
  const heart = renewal === "heart" ? beat(leases, lease, requested_at, () => losing.abort()) : undefined;
  try {
    const result = await work({
      lease,
      lost: losing.signal,
      confirm: async () => {
        if (losing.signal.aborted || !(await leases.isHeld(lease))) throw new LeaseLost(name);
      },
      transaction: (inside) => leases.transaction(lease, inside),
    });
    return { result };
  } finally {
    heart?.stop();
    await leases.handBack(lease);
  }
}

/** Renews a lease by a timer. A lease that was not renewed in time counts as lost, whatever the database says. */
function beat(leases: Leases, lease: Lease, taken_at: number, onLost: () => void): { stop(): void } {
  const holds_ms = leases.seconds * 1_000;
  let expiry: NodeJS.Timeout;
  let isAsking = false;
  let hasEnded = false;
  const holdFrom = (requested_at: number) => {
    clearTimeout(expiry);
    expiry = setTimeout(lose, requested_at + holds_ms - performance.now()).unref();
  };
  const renew = async () => {
    const requested_at = performance.now();
    const isHeld = await leases.renew(lease);
    if (hasEnded) return;
    if (isHeld) holdFrom(requested_at);
    else lose();
  };
  const stopRenewing = everyRenewal(holds_ms, () => {
    if (isAsking) return;
    isAsking = true;
    renew()
      .catch(() => undefined)
      .finally(() => {
        isAsking = false;
      });
  });
  const stop = () => {
    hasEnded = true;
    stopRenewing();
    clearTimeout(expiry);
  };
  const lose = () => {
    stop();
    onLost();
  };
  holdFrom(taken_at);
  return { stop };
}

/**
 * Calls `renew` at the common renewal times for leases of this duration, until stopped. Its timer does not keep the
 * process alive.
 */
export function everyRenewal(holds_ms: number, renew: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = () => {
    timer = setTimeout(
      () => {
        wait();
        renew();
      },
      untilRenewal_ms(RENEWED_AFTER * holds_ms),
    ).unref();
  };
  wait();
  return () => clearTimeout(timer);
}
