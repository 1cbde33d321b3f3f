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
 * A tick's outcome. `done`: the next tick follows after the pause. `idle`: nothing is open, and only an event can
 * make work due. `idle_until`: or that time, by the app's clock. Otherwise the name of a failure, with a reason if
 * its sentence is not enough.
 */
export type Outcome<Failure extends string = string> =
  | "done"
  | "idle"
  | { idle_until: string }
  | Failure
  | { status: Failure; reason: string };

/** A tick's context. */
export type Tick<Memory = unknown> = {
  /** Sends nothing to a chain or a webhook once the lease is lost, or while the log accepts no events. */
  app: App;
  /** The findings of earlier ticks in this process. Emptied when another process may have acted in between. */
  memory: Memory;
  log: ReactorLog;
  /** Aborts when the service stops or the lease is lost. */
  signal: AbortSignal;
  /** Held throughout; writes to plain tables use its transactions. */
  lease: Pick<HeldLease, "confirm" | "transaction">;
};

type ReactorCommon = {
  /** Unique; the name of its lease, also used by health and metrics. */
  name: string;
  /**
   * The shortest pause between two ticks. After an idle tick, the log must also have grown, or the tick's
   * `idle_until` have come.
   */
  every_ms: number | ((app: App) => number);
  /** True if it runs with these settings. Default: always. */
  runs?(app: App): boolean;
  /** The setting whose fault blocks it, and with it the service; undefined if there is none. */
  fault?(app: App): Promise<string | undefined>;
  /** Logged when its failures are over. */
  resumed: string;
  /** Failures that report another party's claim that this log is wrong; they make the service not ready. */
  disputes?: readonly string[];
};

export type Reactor = ReactorCommon & {
  failures: Readonly<Record<string, string>>;
  grave: readonly string[];
  /** Runs ticks, which share one memory. */
  begin(): (tick: Omit<Tick, "memory">) => Promise<Outcome>;
};

type ReactorDeclaration<Memory, Failure extends string> = ReactorCommon & {
  /** The memory of a process's first tick. */
  memory(): Memory;
  /**
   * One tick. ChainUnavailable is the failure `away`; TransactionPending leaves the rest to the next tick; any
   * other error is the failure `failed`.
   */
  take(tick: Tick<Memory>): Promise<Outcome<Failure>>;
  /** A sentence for each failure, logged once when it begins. */
  failures: Record<Exclude<Failure, "done" | "idle"> | "failed", string> & { away?: string };
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

/** Runs the reactors that these settings require. `stop` waits for work in progress. */
export function startReactors(
  app: App,
  reactors: readonly Reactor[],
  log: ReactorLog,
): { stop(): Promise<void> } {
  const leases = reactorLeases(app.pool);
  const loops = reactors.map((one) => {
    const status = new ReactorStatus(app.pool, one, log);
    return startLeasedLoop({
      leases,
      name: one.name,
      renewal: "heart",
      work: (lease, signal) => runTicks({ app, one, log, status, lease, signal }),
      // The database is unavailable.
      failed: (error) => status.report({ status: "failed", reason: reasonOf(error) }),
    });
  });
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
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
  while (!signal.aborted) {
    // Read before the tick, so that any event during it ends the pause.
    const { position } = app.tail;
    const outcome = await inTick(one.name, () => runTick(take, { app, log, signal, lease }));
    if (outcome === "lost") return;
    const next = restOf(outcome);
    await status.note("until" in next ? { status: "done" } : next);
    await pause(every_ms, signal);
    if ("until" in next) await untilWork({ app, position, every_ms, until: next.until, signal });
  }
}

/** Idle until the earliest of these times; plain `idle` without any. */
export function idleUntil(...times: readonly (string | null | undefined)[]): "idle" | { idle_until: string } {
  const [first] = times.filter((time) => typeof time === "string").toSorted();
  return first === undefined ? "idle" : { idle_until: first };
}

/** An idle reactor checks again after this time, even without events. */
const REST_MS = 300_000;

type Status = { status: string; reason?: string };

/** The pause that a tick leaves to its reactor, which is the status of one that leaves none. */
function restOf(outcome: Outcome): { until: string | undefined } | Status {
  if (outcome === "idle") return { until: undefined };
  if (typeof outcome === "string") return { status: outcome };
  return "idle_until" in outcome ? { until: outcome.idle_until } : outcome;
}

/** Resolves once the log has grown past a position, or the time has come. It does not query the database. */
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

/** One tick; "lost" if the lease was. */
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

/** An app that sends nothing once the lease is lost, or while the lease cannot be checked. */
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

/** How often the time of the last good tick is stored, unless something changes. */
const NOTE_MS = 30_000;

/** A reactor's status, logged on changes and stored with its lease, for every process to see. */
class ReactorStatus {
  readonly #pool: pg.Pool;
  readonly #one: Reactor;
  readonly #log: ReactorLog;
  #reported: Status = { status: "done" };
  #noted_at = Number.NEGATIVE_INFINITY;

  constructor(pool: pg.Pool, one: Reactor, log: ReactorLog) {
    this.#pool = pool;
    this.#one = one;
    this.#log = log;
  }

  /** Continues from the status that the lease's former process stored. */
  async recall(): Promise<void> {
    const sql = "select status, reason from reactors.leases where reactor = $1";
    const { rows } = await this.#pool.query<{ status: string; reason: string | null }>(sql, [this.#one.name]);
    const [row] = rows;
    if (row) this.#reported = { status: row.status, ...(row.reason !== null && { reason: row.reason }) };
    this.#noted_at = Number.NEGATIVE_INFINITY;
  }

  async note({ status, reason }: Status): Promise<void> {
    const isNew = this.report({ status, ...(reason !== undefined && { reason }) });
    if (!isNew && performance.now() - this.#noted_at < NOTE_MS) return;
    const sql = `update reactors.leases set status = $2, reason = $3,
        since = case when status = $2 then since else clock_timestamp() end,
        good_at = case when $2 = 'done' then clock_timestamp() else good_at end
      where reactor = $1`;
    // Without the database, the next tick reports it.
    await this.#pool.query(sql, [this.#one.name, status, reason ?? null]).then(
      () => {
        this.#noted_at = performance.now();
      },
      () => undefined,
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

/** Appends a decision's events. If a faster writer made it unnecessary, the next tick sees that. */
export async function unlessRefused(work: Promise<unknown>): Promise<void> {
  await work.catch((error) => {
    if (!(error instanceof Refusal) || error.code !== "conflict") throw error;
  });
}

/** Leaves a payment to the next tick: it failed, or its outcome is unknown. */
export function unlessUndone(error: unknown): void {
  const isUndone = [NotSettled, ChainUnavailable, TransactionPending].some((kind) => error instanceof kind);
  if (!isUndone) throw error;
}
