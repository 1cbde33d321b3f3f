/**
 * Reactors. A reactor declares the work of one tick and the failures that may block it. One loop runs all ticks until
 * the service stops. Only one process at a time runs a given reactor.
 */
import type pg from "pg";
import { type App, withParts } from "../app.ts";
import { pause } from "../coordination/concurrency.ts";
import { type HeldLease, LeaseLost, Leases } from "../coordination/lease.ts";
import { startLeasedLoop } from "../coordination/leased-loop.ts";
import { ChainUnavailable, TransactionPending } from "../model/ports/chain.ts";
import { NotSettled } from "../model/ports/settlement.ts";
import { Refusal } from "../model/refusal.ts";
import { inTick } from "../tracing.ts";

export type ReactorLog = Record<"info" | "warn" | "error", (facts: object, message: string) => void>;

/**
 * A tick's outcome. `done`: the next tick follows after the pause. `unmoved`: as `done`, but the chain has no new block,
 * so ticks are rarer while the log is silent too. `idle`: only a new event can make work due. `idle_until`: a new event
 * or that time, by the app's clock. Otherwise the failure's name, with a reason if its
 * sentence is not enough.
 */
export type Outcome<Failure extends string = string> =
  | "done"
  | "unmoved"
  | "idle"
  | { idle_until: string }
  | Failure
  | { status: Failure; reason: string };

/** A tick's context. */
export type Tick<Memory = unknown> = {
  /** This app sends nothing to a chain or a webhook once the lease is lost, or while the log accepts no events. */
  app: App;
  /** Values that this process's earlier ticks found. Emptied when another process may have run a tick in between. */
  memory: Memory;
  log: ReactorLog;
  /** Aborts when the service stops or the lease is lost. */
  signal: AbortSignal;
  /** This process has the lease during the whole tick. Writes to plain tables use the lease's transactions. */
  lease: Pick<HeldLease, "confirm" | "transaction">;
};

type ReactorCommon = {
  /** Unique. The reactor's lease, its health and its metrics have this name. */
  name: string;
  /**
   * The shortest pause between two ticks. After an idle tick, the reactor also waits for a new event or for
   * `idle_until`.
   */
  every_ms: number | ((app: App) => number);
  /** True if the reactor runs with these settings. Default: always. */
  runs?(app: App): boolean;
  /** The name of the wrong setting that blocks this reactor and the service; undefined if no setting does. */
  fault?(app: App): Promise<string | undefined>;
  /** Logged when the reactor's failure has ended. */
  resumed: string;
  /** Failures that report another party's claim that this log is wrong. They make the service not ready. */
  disputes?: readonly string[];
};

export type Reactor = ReactorCommon & {
  failures: Readonly<Record<string, string>>;
  grave: readonly string[];
  /** Begins a series of ticks that share one memory. */
  begin(): (tick: Omit<Tick, "memory">) => Promise<Outcome>;
};

type ReactorDeclaration<Memory, Failure extends string> = ReactorCommon & {
  /** The memory with which a series of ticks begins. */
  memory(): Memory;
  /**
   * Runs one tick. ChainUnavailable counts as the failure `away`. TransactionPending leaves the rest of the work to
   * the next tick. Any other error counts as the failure `failed`.
   */
  take(tick: Tick<Memory>): Promise<Outcome<Failure>>;
  /** A sentence for each failure, logged once when it begins. */
  failures: Record<Exclude<Failure, "done" | "unmoved" | "idle"> | "failed", string> & { away?: string };
  /** Failures that are logged as errors. */
  grave?: readonly Failure[];
};

export function reactor<Memory, Failure extends string>({
  memory,
  take,
  grave = [],
  ...declared
}: ReactorDeclaration<Memory, Failure>): Reactor {
  return {
    ...declared,
    grave,
    begin() {
      const shared = memory();
      return (tick) => take({ ...tick, memory: shared });
    },
  };
}

export const reactorLeases = (pool: pg.Pool, seconds?: number) =>
  new Leases(pool, { table: "reactors.leases", name: "reactor" }, seconds);

/** Runs the reactors that these settings require. `stop` waits until the running ticks have ended. */
export function startReactors(
  app: App,
  reactors: readonly Reactor[],
  log: ReactorLog,
): { stop(): Promise<void> } {
  const leases = reactorLeases(app.pool);
  const good_ticks = new GoodTicks(app.pool);
  const loops = reactors.map((one) => {
    const status = new ReactorStatus({ pool: app.pool, one, log, good_ticks });
    return startLeasedLoop({
      leases,
      name: one.name,
      renewal: "heart",
      work: (lease, signal) => runTicks({ app, one, log, status, lease, signal }),
      // Ticks report their own failures, so an error here means that the database is unavailable.
      failed: (error) => status.report({ status: "failed", reason: reasonOf(error) }),
    });
  });
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
      await good_ticks.store();
    },
  };
}

export const runningReactors = (app: App, reactors: readonly Reactor[]): Reactor[] =>
  reactors.filter((one) => one.runs?.(app) ?? true);

type Tenure = {
  app: App;
  one: Reactor;
  log: ReactorLog;
  status: ReactorStatus;
  lease: HeldLease;
  signal: AbortSignal;
};

async function runTicks({ app, one, log, status, lease, signal }: Tenure): Promise<void> {
  const every_ms = typeof one.every_ms === "number" ? one.every_ms : one.every_ms(app);
  const take = one.begin();
  await status.recall();
  let grown_at = performance.now();
  for (let before = app.tail.position; !signal.aborted; ) {
    // Read before the tick, so that any event during it ends the pause.
    const { position } = app.tail;
    if (position > before) grown_at = performance.now();
    before = position;
    const outcome = await inTick(one.name, () => runTick(take, { app, log, signal, lease }));
    if (outcome === "lost") return;
    const is_silent = performance.now() - grown_at > SILENT_MS;
    const next = restOf(outcome === "unmoved" && is_silent ? idleFor(app, UNMOVED_MS) : outcome);
    await status.note("until" in next ? { status: "done" } : next);
    await pause(every_ms, signal);
    if ("until" in next) await untilWork({ app, position, every_ms, until: next.until, signal });
  }
}

/** Idle until the earliest of these times; plain `idle` if there are none. */
export function idleUntil(...times: readonly (string | null | undefined)[]): "idle" | { idle_until: string } {
  const [first] = times.filter((time) => typeof time === "string").toSorted();
  return first === undefined ? "idle" : { idle_until: first };
}

/** After this time without an event, the log counts as silent. */
const SILENT_MS = 60_000;
/** The pause of reactors whose chain has not moved, while the log is silent. */
const UNMOVED_MS = 10_000;

const idleFor = ({ clock }: Pick<App, "clock">, ms: number): Outcome =>
  idleUntil(new Date(clock.now().getTime() + ms).toISOString());

/** An idle reactor ticks again after this time, even without new events. */
const REST_MS = 300_000;

type Status = { status: string; reason?: string };

/** Until when an idle reactor pauses; the new status after any other tick. */
function restOf(outcome: Outcome): { until: string | undefined } | Status {
  if (outcome === "idle") return { until: undefined };
  if (outcome === "unmoved") return { status: "done" };
  if (typeof outcome === "string") return { status: outcome };
  return "idle_until" in outcome ? { until: outcome.idle_until } : outcome;
}

/** Resolves once the log has grown past a position or `until` has come. It does not query the database. */
async function untilWork({
  app,
  position,
  every_ms,
  until,
  signal,
}: Pick<Tick, "app" | "signal"> & {
  position: number;
  every_ms: number;
  until: string | undefined;
}): Promise<void> {
  const rested_at = performance.now() + REST_MS;
  const isDue = () => until !== undefined && app.clock.now().toISOString() >= until;
  while (!signal.aborted && !isDue()) {
    const left_ms = rested_at - performance.now();
    if (left_ms <= 0) return;
    // The clock may be set, so no timer waits for the whole time.
    const wait_ms = until === undefined ? left_ms : Math.min(left_ms, every_ms);
    if (await app.tail.grown(position + 1, wait_ms, signal)) return;
  }
}

/** Runs one tick; "lost" if the tick found its lease lost. */
export async function runTick(
  take: ReturnType<Reactor["begin"]>,
  { app, lease, ...turn }: Omit<Tick, "memory">,
): Promise<Outcome | "lost"> {
  try {
    return await take({ ...turn, lease, app: sendingWhileHeld(app, lease) });
  } catch (error) {
    if (error instanceof LeaseLost) return "lost";
    if (error instanceof TransactionPending) return "done";
    const status = error instanceof ChainUnavailable ? "away" : "failed";
    return { status, reason: reasonOf(error) };
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/**
 * A copy of the app that sends nothing while the log accepts no events, or once the lease is lost or cannot be checked.
 */
function sendingWhileHeld(app: App, lease: Tick["lease"]): App {
  const { chain, settlement, webhooks, accepting } = app;
  const confirm = async () => {
    await accepting.confirm();
    await lease.confirm();
  };
  return withParts(app, {
    chain: over(chain, {
      send: async (call, options) => {
        await confirm();
        return chain.send(call, { ...options, confirm });
      },
    }),
    settlement: over(settlement, {
      settle: async (payment, seen_block) => {
        await confirm();
        return settlement.settle(payment, seen_block);
      },
    }),
    webhooks: over(webhooks, {
      post: async (message) => {
        await confirm();
        return webhooks.post(message);
      },
    }),
  });
}

const over = <Port extends object>(port: Port, more: Partial<Port>): Port =>
  Object.assign(Object.create(port), more);

/** A reactor's status. Changes are logged, and stored with the lease, so that every process sees them. */
class ReactorStatus {
  readonly #pool: pg.Pool;
  readonly #one: Reactor;
  readonly #log: ReactorLog;
  readonly #good_ticks: GoodTicks;
  #reported: Status = { status: "done" };
  #stored_at = Number.NEGATIVE_INFINITY;

  constructor({
    pool,
    one,
    log,
    good_ticks,
  }: { pool: pg.Pool; one: Reactor; log: ReactorLog; good_ticks: GoodTicks }) {
    this.#pool = pool;
    this.#one = one;
    this.#log = log;
    this.#good_ticks = good_ticks;
  }

  /** Continues from the status that the lease's previous holder stored. */
  async recall(): Promise<void> {
    const sql = "select status, reason from reactors.leases where reactor = $1";
    const { rows } = await this.#pool.query<{ status: string; reason: string | null }>(sql, [this.#one.name]);
    const [row] = rows;
    if (row) this.#reported = { status: row.status, ...(row.reason !== null && { reason: row.reason }) };
    this.#stored_at = Number.NEGATIVE_INFINITY;
  }

  async note({ status, reason }: Status): Promise<void> {
    const isNew = this.report({ status, ...(reason !== undefined && { reason }) });
    const isStored = !isNew && this.#stored_at > Number.NEGATIVE_INFINITY;
    if (isStored && status === "done") return this.#good_ticks.add(this.#one.name);
    if (isStored && performance.now() - this.#stored_at < NOTE_MS) return;
    const sql = `update reactors.leases set status = $2, reason = $3,
        since = case when status = $2 then since else clock_timestamp() end,
        good_at = case when $2 = 'done' then clock_timestamp() else good_at end
      where reactor = $1`;
    // If the database is unavailable, the next tick stores the status.
    this.#stored_at = await this.#pool.query(sql, [this.#one.name, status, reason ?? null]).then(
      () => performance.now(),
      () => Number.NEGATIVE_INFINITY,
    );
  }

  /** Logs a failure when it begins and when it ends; true if it logged something. */
  report(now: Status): boolean {
    const before = this.#reported;
    const isNew = before.status !== now.status || (now.status === "failed" && before.reason !== now.reason);
    if (!isNew) return false;
    this.#reported = now;
    const { failures, grave, resumed } = this.#one;
    const facts = { reactor: this.#one.name, ...(now.reason !== undefined && { reason: now.reason }) };
    if (now.status === "done") this.#log.info(facts, resumed);
    else {
      const sentence = failures[now.status] ?? failures.failed!;
      if (grave.includes(now.status)) this.#log.error(facts, sentence);
      else this.#log.warn(facts, sentence);
    }
    return true;
  }
}

/** The interval for storing the times of good ticks, and a failure's new reasons. A change of status is stored at once. */
const NOTE_MS = 30_000;

/** The times of the last good ticks of all reactors of a process, stored in one statement an interval. */
class GoodTicks {
  readonly #pool: pg.Pool;
  /** By reactor, by the monotonic clock. */
  #ticks = new Map<string, number>();
  #next: NodeJS.Timeout | undefined;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  add(reactor: string): void {
    this.#ticks.set(reactor, performance.now());
    this.#next ??= setTimeout(() => void this.store(), NOTE_MS).unref();
  }

  /** A row that is locked, or a database that is away, costs these times. The next ticks have later ones. */
  async store(): Promise<void> {
    clearTimeout(this.#next);
    this.#next = undefined;
    const ticks = [...this.#ticks];
    this.#ticks = new Map();
    if (ticks.length === 0) return;
    const now = performance.now();
    const sql = `with free as (
        select l.reactor, good.ago_ms from reactors.leases l
          join unnest($1::text[], $2::float8[]) as good (reactor, ago_ms) on good.reactor = l.reactor
          for no key update of l skip locked)
      update reactors.leases l set good_at = greatest(good_at, clock_timestamp() - make_interval(secs => free.ago_ms / 1000))
        from free where l.reactor = free.reactor`;
    const values = [ticks.map(([reactor]) => reactor), ticks.map(([, at]) => now - at)];
    await this.#pool.query(sql, values).catch(() => undefined);
  }
}

/** Ignores a conflict: if a faster writer made the decision unnecessary, the next tick sees its events. */
export async function unlessRefused(work: Promise<unknown>): Promise<void> {
  await work.catch((error) => {
    if (!(error instanceof Refusal) || error.code !== "conflict") throw error;
  });
}

/** Ignores a payment that failed or whose outcome is unknown, so that the next tick retries it. */
export function unlessUndone(error: unknown): void {
  const isUndone = [NotSettled, ChainUnavailable, TransactionPending].some((kind) => error instanceof kind);
  if (!isUndone) throw error;
}
