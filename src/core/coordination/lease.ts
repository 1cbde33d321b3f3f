/**
 * Leases in the database. Each acquisition gets the next fencing token, which exposes a process that lost the lease
 * while it was paused. A lease occupies no connection.
 */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { batched } from "../../../eventstore/query-batch.ts";
import type { Presence } from "../model/ports/presence.ts";
import { pause } from "./concurrency.ts";

export const LEASE_SECONDS = 5;
export const RENEW_MS = 1_500;

export type Lease = { name: string; holder: string; token: number };

/**
 * The time until this process next takes and renews its leases. All its leases share these moments, so that one
 * statement serves them.
 */
export const untilRenewal_ms = (every_ms = RENEW_MS): number =>
  // A timer may fire a little early, so this waits one millisecond longer.
  1 + every_ms - (performance.now() % every_ms);

export const untilNextTake = (signal: AbortSignal): Promise<void> => pause(untilRenewal_ms(), signal);

export type LeaseTable = { table: string; name: string };

/** Renewals within this time share a statement, because a process has about sixty leases. */
const TOGETHER_MS = 25;
const AGAIN_MS = 100;

type LeaseRequest = Pick<Lease, "name" | "holder">;
type RenewalRequest = { lease: Lease; tell(isHeld: boolean): void; fail(error: unknown): void };

export class Leases {
  readonly seconds: number;
  #renewing: RenewalRequest[] | undefined;
  readonly #pool: pg.Pool;
  readonly #table: string;
  readonly #name: string;
  readonly #take = batched((_: pg.Pool, requests: readonly LeaseRequest[]) => this.#takeThose(requests));

  constructor(pool: pg.Pool, { table, name }: LeaseTable, seconds = LEASE_SECONDS) {
    this.seconds = seconds;
    this.#pool = pool;
    this.#table = table;
    this.#name = name;
  }

  /** Undefined while another process has the lease. Simultaneous calls share a statement. */
  take(name: string, holder: string): Promise<Lease | undefined> {
    return this.#take(this.#pool, { name, holder });
  }

  async #takeThose(requests: readonly LeaseRequest[]): Promise<(Lease | undefined)[]> {
    // Skips locked rows and inserts names in one order, so that two such statements never deadlock.
    const { rows } = await this.#pool.query<Lease>(
      `with requested as (select * from unnest($1::text[], $2::uuid[]) as one (name, holder)),
         free as (select t.${this.#name} as name, requested.holder from ${this.#table} t join requested on t.${this.#name} = requested.name
           where t.held_until < clock_timestamp() or t.holder = requested.holder for no key update of t skip locked),
         taken as (update ${this.#table} t
           set holder = free.holder, token = token + 1, held_until = clock_timestamp() + make_interval(secs => $3)
           from free where t.${this.#name} = free.name returning t.${this.#name} as name, t.holder, t.token),
         made as (insert into ${this.#table} (${this.#name}, holder, token, held_until)
           select distinct on (name) name, holder, 1, clock_timestamp() + make_interval(secs => $3)
             from requested where not exists (select from ${this.#table} t where t.${this.#name} = requested.name) order by name
           on conflict do nothing returning ${this.#name} as name, holder, token)
       select * from taken union all select * from made`,
      [requests.map(({ name }) => name), requests.map(({ holder }) => holder), this.seconds],
    );
    const taken = new Map(rows.map((lease) => [`${lease.name}\n${lease.holder}`, lease]));
    return requests.map(({ name, holder }) => taken.get(`${name}\n${holder}`));
  }

  /** False when another process has taken the lease. A locked row delays only its own lease. */
  renew(lease: Lease): Promise<boolean> {
    return new Promise((tell, fail) => this.#renewSoon({ lease, tell, fail }));
  }

  #renewSoon(renewal: RenewalRequest): void {
    if (this.#renewing) {
      this.#renewing.push(renewal);
      return;
    }
    const renewals = [renewal];
    this.#renewing = renewals;
    setTimeout(() => {
      this.#renewing = undefined;
      this.#renewThose(renewals).catch((error) => {
        for (const { fail } of renewals) fail(error);
      });
    }, TOGETHER_MS);
  }

  /** Skips locked rows, so that two such statements never deadlock. */
  async #renewThose(renewals: readonly RenewalRequest[]): Promise<void> {
    const { rows } = await this.#pool.query<{ lease: number; renewed: boolean }>(
      `with requested as (select * from unnest($1::text[], $2::bigint[]) with ordinality as one (name, token, lease)),
         free as (select t.${this.#name} as name from ${this.#table} t join requested on t.${this.#name} = requested.name and t.token = requested.token
           for no key update of t skip locked),
         renewed as (update ${this.#table} t set held_until = clock_timestamp() + make_interval(secs => $3)
           from free where t.${this.#name} = free.name returning t.${this.#name} as name, t.token)
       select requested.lease::int, renewed.name is not null as renewed
         from requested left join renewed using (name, token) left join ${this.#table} t on t.${this.#name} = requested.name and t.token = requested.token
        where renewed.name is not null or t.token is null`,
      [renewals.map(({ lease }) => lease.name), renewals.map(({ lease }) => lease.token), this.seconds],
    );
    const results = new Map(rows.map(({ lease, renewed }) => [lease, renewed]));
    const locked = renewals.filter((renewal, n) => {
      const isHeld = results.get(n + 1);
      if (isHeld !== undefined) renewal.tell(isHeld);
      return isHeld === undefined;
    });
    if (locked.length === 0) return;
    setTimeout(() => {
      for (const renewal of locked) this.#renewSoon(renewal);
    }, AGAIN_MS);
  }

  async isHeld({ name, token }: Lease): Promise<boolean> {
    const sql = `select 1 from ${this.#table}
      where ${this.#name} = $1 and token = $2 and held_until > clock_timestamp()`;
    return (await this.#pool.query(sql, [name, token])).rowCount === 1;
  }

  async heldFor(name: string): Promise<number> {
    const sql = `select (extract(epoch from held_until - clock_timestamp()) * 1000)::float8 as ms
      from ${this.#table} where ${this.#name} = $1 and held_until > clock_timestamp()`;
    const { rows } = await this.#pool.query<{ ms: number }>(sql, [name]);
    return rows[0]?.ms ?? 0;
  }

  /** Deletes leases that expired over a day ago: their names may never be used again. */
  async forgetOld(): Promise<void> {
    await this.#pool.query(
      `delete from ${this.#table} where held_until < clock_timestamp() - interval '1 day'`,
    );
  }

  /** No other process can take the lease until the work ends. Rejects with LeaseLost. */
  async transaction<T>({ name, token }: Lease, work: (tx: pg.ClientBase) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      await client.query("begin");
      const sql = `select 1 from ${this.#table} where ${this.#name} = $1 and token = $2 for share`;
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
    const sql = `update ${this.#table} set holder = null, held_until = '-infinity', token = token + 1
      where ${this.#name} = $1 and holder = $2`;
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
  // Measured before the call, so that this process never overestimates how long its lease lasts.
  const requested_at = performance.now();
  const lease = await leases.take(name, randomUUID());
  if (!lease) return "taken";
  const losing = new AbortController();
  const heart = renewal === "heart" ? beat(leases, lease, requested_at, () => losing.abort()) : undefined;
  try {
    return await work({
      lease,
      lost: losing.signal,
      confirm: async () => {
        if (losing.signal.aborted || !(await leases.isHeld(lease))) throw new LeaseLost(name);
      },
      transaction: (inside) => leases.transaction(lease, inside),
    });
  } finally {
    heart?.stop();
    await leases.handBack(lease);
  }
}

/** Renews a lease by a timer. A lease that was not renewed in time counts as lost, whatever the database says. */
function beat(leases: Leases, lease: Lease, taken_at: number, onLost: () => void): { stop(): void } {
  const holds_ms = leases.seconds * 1_000;
  let renewed_at = taken_at;
  let isAsking = false;
  const renew = async () => {
    const requested_at = performance.now();
    if (await leases.renew(lease)) renewed_at = requested_at;
    else lose();
  };
  const tick = () => {
    if (performance.now() - renewed_at >= holds_ms) return lose();
    if (isAsking) return;
    isAsking = true;
    renew()
      .catch(() => undefined)
      .finally(() => {
        isAsking = false;
      });
  };
  const stop = everyRenewal(holds_ms, tick);
  const lose = () => {
    stop();
    onLost();
  };
  return { stop };
}

/**
 * Calls `renew` at the common renewal times for leases of this duration, until stopped. Its timer does not keep the
 * process alive.
 */
function everyRenewal(holds_ms: number, renew: () => void): () => void {
  const every_ms = Math.min(RENEW_MS, holds_ms / 4);
  let timer: NodeJS.Timeout;
  const wait = () => {
    timer = setTimeout(() => {
      wait();
      renew();
    }, untilRenewal_ms(every_ms)).unref();
  };
  wait();
  return () => clearTimeout(timer);
}

/** Registers this process as alive, and renews the entry until the process leaves. */
export async function enter(pool: pg.Pool): Promise<Presence> {
  const leases = new Leases(pool, { table: "access.processes", name: "process" });
  const name = randomUUID();
  const holds_ms = leases.seconds * 1_000;
  let live_until = 0;
  const say = async () => {
    const requested_at = performance.now();
    if (await leases.take(name, name)) live_until = requested_at + holds_ms;
  };
  await leases.forgetOld();
  await say();
  let saying: Promise<void> | undefined;
  const stop = everyRenewal(holds_ms, () => {
    saying ??= say()
      .catch(() => undefined)
      .finally(() => {
        saying = undefined;
      });
  });
  return {
    name,
    isLive: () => performance.now() < live_until,
    livesFor: (other) => leases.heldFor(other),
    leave: async () => {
      stop();
      live_until = 0;
      await saying;
      await leases.handBack({ name, holder: name });
    },
  };
}
