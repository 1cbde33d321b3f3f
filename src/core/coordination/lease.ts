/**
 * Leases: what only one process at a time may do. Each taking of a lease gets the next fencing token, so that whoever
 * lost it while paused can be told from whoever holds it now. No connection is held meanwhile.
 */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { gathered } from "../../../eventstore/gathered.ts";
import type { Presence } from "../model/ports/presence.ts";
import { pause } from "./concurrency.ts";

export const LEASE_SECONDS = 5;
export const RENEW_MS = 1_500;

export type Lease = { name: string; holder: string; token: number };

/** Until whoever waits for a lease asks again: all who wait in a process ask at the same moments, so that they are one statement. */
export const untilNextTake = (signal: AbortSignal): Promise<void> =>
  pause(RENEW_MS - (performance.now() % RENEW_MS), signal);

/** A table whose rows are leased; it has the columns `holder`, `token` and `held_until`. */
export type LeaseTable = { table: string; name: string };

/** Renewals that are asked for within so long of each other are one statement: a process holds some sixty leases. */
const TOGETHER_MS = 25;
/** A renewal that found its row locked is tried again after so long. */
const AGAIN_MS = 100;

type Asked = Pick<Lease, "name" | "holder">;
type RenewalRequest = { lease: Lease; tell(isHeld: boolean): void; fail(error: unknown): void };

/** The leases in one table. `seconds`: how long one holds when it is not renewed. */
export class Leases {
  readonly seconds: number;
  #renewing: RenewalRequest[] | undefined;
  readonly #pool: pg.Pool;
  readonly #table: string;
  readonly #name: string;
  readonly #take = gathered((_: pg.Pool, asked: readonly Asked[]) => this.#takeThose(asked));

  constructor(pool: pg.Pool, { table, name }: LeaseTable, seconds = LEASE_SECONDS) {
    this.seconds = seconds;
    this.#pool = pool;
    this.#table = table;
    this.#name = name;
  }

  /** Takes the lease; undefined while another holds it. Those that are asked for at one moment are one statement. */
  take(name: string, holder: string): Promise<Lease | undefined> {
    return this.#take(this.#pool, { name, holder });
  }

  async #takeThose(asked: readonly Asked[]): Promise<(Lease | undefined)[]> {
    // A row that is locked is not free: it is not waited for, so that two such statements never wait for each other. Names are new in one
    // order everywhere, for the same reason.
    const { rows } = await this.#pool.query<Lease>(
      `with asked as (select * from unnest($1::text[], $2::uuid[]) as one (name, holder)),
         free as (select t.${this.#name} as name, asked.holder from ${this.#table} t join asked on t.${this.#name} = asked.name
           where t.held_until < clock_timestamp() or t.holder = asked.holder for no key update of t skip locked),
         taken as (update ${this.#table} t
           set holder = free.holder, token = token + 1, held_until = clock_timestamp() + make_interval(secs => $3)
           from free where t.${this.#name} = free.name returning t.${this.#name} as name, t.holder, t.token),
         made as (insert into ${this.#table} (${this.#name}, holder, token, held_until)
           select distinct on (name) name, holder, 1, clock_timestamp() + make_interval(secs => $3)
             from asked where not exists (select from ${this.#table} t where t.${this.#name} = asked.name) order by name
           on conflict do nothing returning ${this.#name} as name, holder, token)
       select * from taken union all select * from made`,
      [asked.map(({ name }) => name), asked.map(({ holder }) => holder), this.seconds],
    );
    const taken = new Map(rows.map((lease) => [`${lease.name}\n${lease.holder}`, lease]));
    return asked.map(({ name, holder }) => taken.get(`${name}\n${holder}`));
  }

  /** Prolongs a lease; false when another has taken it since. While its row is locked it waits, and no other lease does. */
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

  /** Renews what is free: it waits for no lock while it has others, so that two such statements never wait for each other. */
  async #renewThose(renewals: readonly RenewalRequest[]): Promise<void> {
    const { rows } = await this.#pool.query<{ lease: number; renewed: boolean }>(
      `with asked as (select * from unnest($1::text[], $2::bigint[]) with ordinality as one (name, token, lease)),
         free as (select t.${this.#name} as name from ${this.#table} t join asked on t.${this.#name} = asked.name and t.token = asked.token
           for no key update of t skip locked),
         renewed as (update ${this.#table} t set held_until = clock_timestamp() + make_interval(secs => $3)
           from free where t.${this.#name} = free.name returning t.${this.#name} as name, t.token)
       select asked.lease::int, renewed.name is not null as renewed
         from asked left join renewed using (name, token) left join ${this.#table} t on t.${this.#name} = asked.name and t.token = asked.token
        where renewed.name is not null or t.token is null`,
      [renewals.map(({ lease }) => lease.name), renewals.map(({ lease }) => lease.token), this.seconds],
    );
    const told = new Map(rows.map(({ lease, renewed }) => [lease, renewed]));
    const locked = renewals.filter((renewal, n) => {
      const isHeld = told.get(n + 1);
      if (isHeld !== undefined) renewal.tell(isHeld);
      return isHeld === undefined;
    });
    if (locked.length === 0) return;
    setTimeout(() => {
      for (const renewal of locked) this.#renewSoon(renewal);
    }, AGAIN_MS);
  }

  /** Whether a lease is held at this moment. */
  async isHeld({ name, token }: Lease): Promise<boolean> {
    const sql = `select 1 from ${this.#table}
      where ${this.#name} = $1 and token = $2 and held_until > clock_timestamp()`;
    return (await this.#pool.query(sql, [name, token])).rowCount === 1;
  }

  /** For how much longer the lease of this name is held, in milliseconds; 0 when nobody holds it. */
  async heldFor(name: string): Promise<number> {
    const sql = `select (extract(epoch from held_until - clock_timestamp()) * 1000)::float8 as ms
      from ${this.#table} where ${this.#name} = $1 and held_until > clock_timestamp()`;
    const { rows } = await this.#pool.query<{ ms: number }>(sql, [name]);
    return rows[0]?.ms ?? 0;
  }

  /** Forgets the leases that nobody has held for a day: of names that are never used again. */
  async forgetOld(): Promise<void> {
    await this.#pool.query(
      `delete from ${this.#table} where held_until < clock_timestamp() - interval '1 day'`,
    );
  }

  /** Does the work in a transaction during which nobody else can take the lease. Rejects with LeaseLost where another has it. */
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

  /** Hands a lease back. One that cannot be handed back runs out by itself. */
  async handBack({ name, holder }: Pick<Lease, "name" | "holder">): Promise<void> {
    // A renewal that is still on its way is no longer of this token.
    const sql = `update ${this.#table} set holder = null, held_until = '-infinity', token = token + 1
      where ${this.#name} = $1 and holder = $2`;
    await this.#pool.query(sql, [name, holder]).catch(() => undefined);
  }
}

/** Another process may hold the lease by now. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";

  constructor(lease: string) {
    super(`the lease of ${lease} was lost`);
  }
}

/** `heart`: now and then, for as long as the work goes on. `work`: by the work, which writes each renewal beside its results. */
export type Renewal = "heart" | "work";

/** A lease for as long as the work under it goes on. */
export type HeldLease = {
  readonly lease: Lease;
  /** Aborts once the heart has lost the lease; work that renews it finds out by itself. */
  readonly lost: AbortSignal;
  /** Resolves while the lease is held, and rejects with LeaseLost otherwise: asked before anything is sent. */
  confirm(): Promise<void>;
  /** A transaction that cannot be committed late: nobody else takes the lease before it ends. Rejects with LeaseLost. */
  transaction<T>(work: (tx: pg.ClientBase) => Promise<T>): Promise<T>;
};

/** Does the work under a lease, which is handed back afterwards; "taken" while another process holds it. */
export async function underLease<T>(
  leases: Leases,
  name: string,
  work: (held: HeldLease) => Promise<T>,
  renewal: Renewal = "heart",
): Promise<T | "taken"> {
  // Whatever time the taking itself takes is not held.
  const asked_at = performance.now();
  const lease = await leases.take(name, randomUUID());
  if (!lease) return "taken";
  const losing = new AbortController();
  const heart = renewal === "heart" ? beat(leases, lease, asked_at, () => losing.abort()) : undefined;
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

/** Renews a lease now and then; one that could not be renewed in its time counts as lost, whatever the database would say. */
function beat(leases: Leases, lease: Lease, taken_at: number, onLost: () => void): { stop(): void } {
  const holds_ms = leases.seconds * 1_000;
  let renewed_at = taken_at;
  let isAsking = false;
  const renew = async () => {
    const asked_at = performance.now();
    if (await leases.renew(lease)) renewed_at = asked_at;
    else lose();
  };
  const timer = setInterval(
    () => {
      if (performance.now() - renewed_at >= holds_ms) return lose();
      if (isAsking) return;
      isAsking = true;
      // A database that is away for a moment is asked again at the next beat.
      renew()
        .catch(() => undefined)
        .finally(() => {
          isAsking = false;
        });
    },
    Math.min(RENEW_MS, holds_ms / 4),
  );
  const stop = () => clearInterval(timer);
  const lose = () => {
    stop();
    onLost();
  };
  return { stop };
}

/** Enters among the processes of a database, and goes on saying so until it leaves. */
export async function enter(pool: pg.Pool): Promise<Presence> {
  const leases = new Leases(pool, { table: "access.processes", name: "process" });
  const name = randomUUID();
  const holds_ms = leases.seconds * 1_000;
  let live_until = 0;
  const say = async () => {
    const asked_at = performance.now();
    if (await leases.take(name, name)) live_until = asked_at + holds_ms;
  };
  await leases.forgetOld();
  await say();
  let saying: Promise<void> | undefined;
  const timer = setInterval(
    () => {
      // A database that is away for a moment is told at the next beat.
      saying ??= say()
        .catch(() => undefined)
        .finally(() => {
          saying = undefined;
        });
    },
    Math.min(RENEW_MS, holds_ms / 4),
  );
  timer.unref();
  return {
    name,
    isLive: () => performance.now() < live_until,
    livesFor: (other) => leases.heldFor(other),
    leave: async () => {
      clearInterval(timer);
      live_until = 0;
      await saying;
      await leases.handBack({ name, holder: name });
    },
  };
}
