/**
 * Reactors: whenever this, then that. A reactor says what one turn of it does, and what may keep it from its work; one
 * loop takes the turns of all, each reactor in one process at a time, until the service stops.
 */
import type pg from "pg";
import { type App, withParts } from "../app.ts";
import { pause } from "../coordination/concurrency.ts";
import { type HeldLease, LeaseLost, Leases } from "../coordination/lease.ts";
import { startLeasedLoop } from "../coordination/leased-loop.ts";
import { ChainUnavailable, TransactionPending } from "../model/ports/chain.ts";
import { NotSettled } from "../model/ports/settlement.ts";
import { Refusal } from "../model/refusal.ts";
import { inTurn } from "../tracing.ts";

export type ReactorLog = Record<"info" | "warn" | "error", (facts: object, message: string) => void>;

/**
 * What came of a turn: `done`; `idle` where nothing is open and nothing becomes due but by an event; or the name of a trouble, with its
 * reason where there is more to say than its sentence.
 */
export type Outcome<Trouble extends string = string> =
  | "done"
  | "idle"
  | Trouble
  | { status: Trouble; reason: string };

/** What a turn works with. */
export type Tick<Memory = unknown> = {
  /** Sends nothing, to a chain or a webhook, once the lease is lost, nor while the log takes nothing. */
  app: App;
  /** What the turns before it in this process learned; begun anew when another process may have acted in between. */
  memory: Memory;
  log: ReactorLog;
  /** Aborts when the service stops or the lease is lost. */
  signal: AbortSignal;
  /** Held all along; what is written to plain tables is written in its transactions. */
  lease: Pick<HeldLease, "confirm" | "transaction">;
};

type ReactorCommon = {
  /** Unique; its row among the leases, and how health and metrics call it. */
  name: string;
  /** The pause between two turns, at least: after an idle one the log has to move besides. */
  every_ms: number | ((app: App) => number);
  /** Whether it runs with these settings; always when absent. */
  runs?(app: App): boolean;
  /** What in the settings keeps it, and with it the service, from running; undefined when nothing does. */
  fault?(app: App): Promise<string | undefined>;
  /** Told when its troubles are over. */
  resumed: string;
  /** Troubles by which somebody else says that the log is not the right one; they make the service not ready. */
  disputes?: readonly string[];
};

export type Reactor = ReactorCommon & {
  troubles: Readonly<Record<string, string>>;
  grave: readonly string[];
  /** Takes turns with one memory. */
  begin(): (turn: Omit<Tick, "memory">) => Promise<Outcome>;
};

type ReactorDeclaration<Memory, Trouble extends string> = ReactorCommon & {
  /** What the first turn of a process begins with. */
  memory(): Memory;
  /**
   * One turn. ChainUnavailable is the trouble `away`; TransactionPending leaves the rest to the next turn; whatever else is
   * thrown is the trouble `failed`.
   */
  take(turn: Tick<Memory>): Promise<Outcome<Trouble>>;
  /** A sentence for each trouble, told once when it begins. */
  troubles: Record<Exclude<Trouble, "done" | "idle"> | "failed", string> & { away?: string };
  /** Troubles that are told as errors. */
  grave?: readonly Trouble[];
};

export function reactor<Memory, Trouble extends string>({
  memory,
  take,
  grave = [],
  ...declared
}: ReactorDeclaration<Memory, Trouble>): Reactor {
  return {
    ...declared,
    grave,
    begin() {
      const kept = memory();
      return (turn) => take({ ...turn, memory: kept });
    },
  };
}

export const reactorLeases = (pool: pg.Pool, seconds?: number) =>
  new Leases(pool, { table: "reactors.leases", name: "reactor" }, seconds);

/** Runs those of the reactors that these settings call for. `stop` sees what is under way through. */
export function startReactors(
  app: App,
  reactors: readonly Reactor[],
  log: ReactorLog,
): { stop(): Promise<void> } {
  const leases = reactorLeases(app.pool);
  const loops = reactors.map((one) => {
    const standing = new ReactorStatus(app.pool, one, log);
    return startLeasedLoop({
      leases,
      name: one.name,
      renewal: "heart",
      work: (lease, signal) => runTicks({ app, one, log, standing, lease, signal }),
      // The database is away.
      failed: (error) => standing.tell({ status: "failed", reason: reasonOf(error) }),
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
  standing: ReactorStatus;
  lease: HeldLease;
  signal: AbortSignal;
};

async function runTicks({ app, one, log, standing, lease, signal }: Tenure): Promise<void> {
  const every_ms = typeof one.every_ms === "number" ? one.every_ms : one.every_ms(app);
  const take = one.begin();
  await standing.recall();
  while (!signal.aborted) {
    // Known before the turn: whatever comes during it ends the rest.
    const { position } = app.tail;
    const outcome = await inTurn(one.name, () => runTick(take, { app, log, signal, lease }));
    if (outcome === "lost") return;
    await standing.note(outcome === "idle" ? "done" : outcome);
    await pause(every_ms, signal);
    if (outcome === "idle") await app.tail.reached(position + 1, REST_MS, signal);
  }
}

/** Whoever is idle looks again after so long although nothing came. */
const REST_MS = 15_000;

/** One turn; "lost" where the lease was. */
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

/** The app by which nothing is sent once the lease is lost, nor while the log could not tell of it. */
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

/** The time of the last good turn is written down so often, unless something changes. */
const NOTE_MS = 5_000;

/** How a reactor stands, told when it changes and kept with its lease, where every process sees it. */
class ReactorStatus {
  readonly #pool: pg.Pool;
  readonly #one: Reactor;
  readonly #log: ReactorLog;
  #told: { status: string; reason?: string } = { status: "done" };
  #noted_at = Number.NEGATIVE_INFINITY;

  constructor(pool: pg.Pool, one: Reactor, log: ReactorLog) {
    this.#pool = pool;
    this.#one = one;
    this.#log = log;
  }

  /** Goes on from what whoever had the lease before has told. */
  async recall(): Promise<void> {
    const sql = "select status, reason from reactors.leases where reactor = $1";
    const { rows } = await this.#pool.query<{ status: string; reason: string | null }>(sql, [this.#one.name]);
    const [row] = rows;
    if (row) this.#told = { status: row.status, ...(row.reason !== null && { reason: row.reason }) };
    this.#noted_at = Number.NEGATIVE_INFINITY;
  }

  async note(outcome: Outcome): Promise<void> {
    const { status, reason } = typeof outcome === "string" ? { status: outcome, reason: undefined } : outcome;
    const isNew = this.tell({ status, ...(reason !== undefined && { reason }) });
    if (!isNew && performance.now() - this.#noted_at < NOTE_MS) return;
    const sql = `update reactors.leases set status = $2, reason = $3,
        since = case when status = $2 then since else clock_timestamp() end,
        good_at = case when $2 = 'done' then clock_timestamp() else good_at end
      where reactor = $1`;
    // Where the database is away, the next turn will tell.
    await this.#pool.query(sql, [this.#one.name, status, reason ?? null]).then(
      () => {
        this.#noted_at = performance.now();
      },
      () => undefined,
    );
  }

  /** Tells a trouble when it begins and when it is over; whether there was anything to tell. */
  tell(now: { status: string; reason?: string }): boolean {
    const before = this.#told;
    const isNew = before.status !== now.status || (now.status === "failed" && before.reason !== now.reason);
    if (!isNew) return false;
    this.#told = now;
    const { troubles, grave, resumed } = this.#one;
    const facts = { reactor: this.#one.name, ...(now.reason !== undefined && { reason: now.reason }) };
    if (now.status === "done") this.#log.info(facts, resumed);
    else {
      const sentence = troubles[now.status] ?? troubles.failed!;
      if (grave.includes(now.status)) this.#log.error(facts, sentence);
      else this.#log.warn(facts, sentence);
    }
    return true;
  }
}

/** Appends what a decision comes to; one that a faster writer made needless is left for the next turn to see. */
export async function unlessRefused(work: Promise<unknown>): Promise<void> {
  await work.catch((error) => {
    if (!(error instanceof Refusal) || error.code !== "conflict") throw error;
  });
}

/** What leaves a payment to the next turn: it did not go through, or nobody knows yet. */
export function unlessUndone(error: unknown): void {
  const isUndone = [NotSettled, ChainUnavailable, TransactionPending].some((kind) => error instanceof kind);
  if (!isUndone) throw error;
}
