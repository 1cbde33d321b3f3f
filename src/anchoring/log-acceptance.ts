/**
 * A log that contradicts its signed or anchored heads accepts nothing more: later events would be disputed too.
 *
 * A check compares the log's tree with every known head. It leaves a precondition: the last position of the largest
 * head, and the hash of the log up to there. Postgres tests the precondition in each append statement, so no append
 * bypasses it, and nothing is trusted for a while. A new head requires a new check.
 */
import type { AppendPrecondition } from "../../eventstore/combiner.ts";
import { type LogHead, MAIN_LOG } from "../../eventstore/types.ts";
import type { App, LogAcceptance } from "../core/app.ts";
import type { StoredHead } from "../core/model/ports/signed-heads.ts";
import { Refusal } from "../core/model/refusal.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { logProblems } from "../domain/anchoring/problems.ts";
import { checkNewestCommit, faultSentence, rowFault } from "./check-rows.ts";
import { type ClaimedHead, contradictionOf, knownHeads } from "./contradiction.ts";
import { askOthers, contradictionOfProven, provenHeads } from "./proven-heads.ts";
import { openTree } from "./tile-store.ts";

/** While appends continue, the whole check is repeated this often: the precondition does not cover rows below it. */
const LOOK_AGAIN_MS = 2_000;
/** Beyond the tail's cached events, heads are not searched for: a full check is cheaper. */
const MOST_NEWS = 1_000;

/** At the start, the chain and each witness have this long to answer. */
const START_MS = 5_000;

type StartLog = Record<"info" | "warn" | "error", (facts: object, message: string) => void>;

/** `app` is read at its first use, once it exists. */
export function createLogAcceptance(
  app: () => App,
  log: StartLog,
): LogAcceptance & { precondition: AppendPrecondition } {
  const acceptance = new Acceptance(app, log);
  return {
    check: () => acceptance.check(),
    contradiction: () => acceptance.contradiction(),
    suspect: () => acceptance.suspect(),
    confirm: () => acceptance.confirm(),
    precondition: {
      place: (log_id) => acceptance.place(log_id),
      lost: () => acceptance.lost(),
    },
  };
}

class Acceptance {
  readonly #app: () => App;
  readonly #log: StartLog;
  /** The chain and the witnesses are queried once, before the first append. */
  #others: Promise<void> | undefined;
  /** The number of proven heads in the last check, and when they were read. */
  #proven = 0;
  #proven_at = 0;
  /** The last position of the largest head, with the hash of the log up to there. */
  #place: LogHead | undefined;
  /** True if the last check succeeded and nothing new has come since. */
  #is_sound = false;
  #compared_at = 0;
  #comparing: Promise<string | null> | undefined;
  /** The last check's inputs: the position up to which the log was read, and the newest head of this machine. */
  #read_to = 0;
  #stored: StoredHead | undefined;
  /** The largest head received, in case the log has lost its event. */
  #largest: ClaimedHead | undefined;
  /** Counts new heads, so that a check that began before one does not count as sound. */
  #news = 0;

  constructor(app: () => App, log: StartLog) {
    this.#app = app;
    this.#log = log;
  }

  /** Refuses if the last check failed or was impossible, unless a new check succeeds. */
  async check(): Promise<void> {
    try {
      await this.#askOthers();
      await this.#readNewHeads();
      while (!this.#is_sound) {
        const reason = await this.#compare();
        if (reason !== null) throw contradicted(reason);
      }
    } catch (error) {
      throw error instanceof Refusal ? error : unchecked(error);
    }
    // The next caller gets this result.
    if (performance.now() - this.#compared_at > LOOK_AGAIN_MS) void this.#compare().catch(() => undefined);
  }

  async contradiction(): Promise<string | null> {
    try {
      await this.#askOthers();
      await this.#comparing?.catch(() => undefined);
      return await this.#compare();
    } catch (error) {
      throw unchecked(error);
    }
  }

  suspect(): void {
    this.#is_sound = false;
    this.#news++;
  }

  async confirm(): Promise<void> {
    await this.check();
    const place = this.#place;
    if (place && !(await holds(this.#app().store, place).catch(rejectUnchecked))) throw await this.lost();
  }

  async place(log_id: number): Promise<LogHead | undefined> {
    if (log_id !== MAIN_LOG) return undefined;
    await this.check();
    return this.#place;
  }

  async lost(): Promise<Error> {
    return this.contradiction().then(
      (reason) => contradicted(reason ?? "the log is not the one that was signed a moment ago"),
      (error: Error) => error,
    );
  }

  #askOthers(): Promise<void> {
    this.#others ??= this.#askAtStart().catch((error) => {
      this.#others = undefined;
      throw error;
    });
    return this.#others;
  }

  async #askAtStart(): Promise<void> {
    const app = this.#app();
    await checkNewestCommit(app);
    if (app.settings.anchoring === undefined) return;
    const { reached, silent, contradiction } = await askOthers(app, START_MS);
    if (contradiction !== null)
      this.#log.error({ reason: contradiction }, "the log contradicts the heads of others");
    if (silent.length === 0) return;
    if (reached === 0)
      this.#log.warn(
        { silent },
        "neither the chain nor a witness can confirm this log; the service continues and asks again",
      );
    else this.#log.info({ silent }, "the chain or some witnesses could not confirm this log at this start");
  }

  /** Reads new heads of this machine and the log, from any process; they invalidate the last check. */
  async #readNewHeads(): Promise<void> {
    const { store, tail, signed, eventsOf } = this.#app();
    const { origin } = await store.identity(MAIN_LOG);
    await this.#readProvenHeads();
    const isStored = (await signed.last(origin))?.note === this.#stored?.note;
    const isLate = tail.position - this.#read_to > MOST_NEWS;
    const events = isLate || tail.position <= this.#read_to ? [] : await tail.since(this.#read_to);
    const heads = eventsOf(anchors, events).flatMap(headOf);
    for (const head of heads) if (head.size > (this.#largest?.size ?? 0)) this.#largest = head;
    this.#read_to = Math.max(this.#read_to, events.at(-1)?.position ?? 0);
    if (!isStored || isLate || heads.length > 0) this.suspect();
  }

  /** Reads the heads that other processes have proven since. */
  async #readProvenHeads(): Promise<void> {
    if (performance.now() - this.#proven_at < LOOK_AGAIN_MS) return;
    this.#proven_at = performance.now();
    if ((await provenHeads(this.#app())).length !== this.#proven) this.suspect();
  }

  /** Simultaneous callers share one check. */
  #compare(): Promise<string | null> {
    this.#comparing ??= this.#compareHeads().finally(() => {
      this.#comparing = undefined;
    });
    return this.#comparing;
  }

  async #compareHeads(): Promise<string | null> {
    const app = this.#app();
    const { position } = app.tail;
    const begun = this.#news;
    this.#compared_at = performance.now();
    try {
      const known = await knownHeads(app);
      const heads = [...known.heads, ...(this.#largest ? [this.#largest] : [])];
      const newest = Math.max(0, ...heads.map(({ size }) => size));
      const next = newest > (this.#place?.position ?? 0) ? await app.store.headAt(newest) : this.#place;
      const proven = await provenHeads(app);
      const reason = await this.#contradictionOf(heads, proven);
      this.#is_sound = reason === null && begun === this.#news;
      if (reason === null) this.#place = next;
      this.#read_to = Math.max(this.#read_to, position);
      this.#stored = known.kept;
      this.#proven = proven.length;
      this.#proven_at = this.#compared_at;
      return reason;
    } catch (error) {
      this.#is_sound = false;
      throw error;
    }
  }

  async #contradictionOf(
    heads: readonly ClaimedHead[],
    proven: Awaited<ReturnType<typeof provenHeads>>,
  ): Promise<string | null> {
    const app = this.#app();
    const first = async () =>
      (await this.#lostPlace()) ??
      (await contradictionOf(app, heads)) ??
      (await contradictionOfProven(app, proven)) ??
      (await editedRow(app));
    const reason = await first();
    if (reason === null) return null;
    // A tree without its rows is rebuilt from the events; a truncated or rewritten log stays wrong.
    await openTree(app.pool, MAIN_LOG)
      .grow()
      .catch(() => undefined);
    return first();
  }

  /** A head that this process saw signed stays valid, even if the tree was rebuilt from other events. */
  async #lostPlace(): Promise<string | null> {
    const { store } = this.#app();
    const place = this.#place;
    if (!place || (await holds(store, place))) return null;
    const { position } = await store.head(MAIN_LOG);
    return position < place.position
      ? `${place.position} events were signed or anchored, and the log has ${position}: it was cut`
      : `the first ${place.position} events are not those that were signed or anchored`;
  }
}

async function editedRow(app: App): Promise<string | null> {
  const fault = await rowFault(app);
  return fault ? faultSentence(fault) : null;
}

const headOf = (event: anchors.AnchorEvent): ClaimedHead[] =>
  event.type === "CheckpointSigned" || event.type === "Anchored" ? [event.data] : [];

async function holds(store: App["store"], { position, log_hash }: LogHead): Promise<boolean> {
  const now = await store.headAt(position, MAIN_LOG);
  return now !== undefined && Buffer.from(now.log_hash).equals(log_hash);
}

const contradicted = (reason: string) =>
  new Refusal(
    logProblems["log-contradicted"],
    `${reason}; the service records and sells nothing until its operator has restored the log, and you can still read`,
  );

/** Without evidence that the log is the signed one, no event may be appended. */
const unchecked = (cause: unknown) =>
  new Refusal(
    logProblems["log-unchecked"],
    "the service cannot compare the log with its signed heads now, and records and sells nothing until it can; try again",
    { cause, retry_after_s: 5 },
  );

const rejectUnchecked = (cause: unknown): never => {
  throw unchecked(cause);
};
