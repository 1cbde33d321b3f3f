/**
 * The unit of work of one command: decisions are staged on folded streams, then appended in one commit.
 *
 * `transact` runs the work, appends what it staged, and runs it again when a stream had moved on. A key that was
 * committed before is looked up first: then no decision is taken, and each stream is folded to where that commit left it.
 *
 * Writers of one stream do not wait for each other's commits: the next decides upon what the one before it has sent, and its commit
 * stands only if that one does. What appends nothing, a refusal above all, has no commit to stand or fall: it is told only of what stands.
 */

import type { EventSchemas } from "../eventstore/schemas.ts";
import type { EventStore, RecordedCommit } from "../eventstore/store.ts";
import type {
  AppendedEvent,
  AppendResult,
  Idempotency,
  JsonObject,
  NewEvent,
  RecordedEvent,
  Sent,
  StreamGuard,
} from "../eventstore/types.ts";
import type { DomainEvent, Entity } from "./domain/entity.ts";
import type { Subjects, ToSeal } from "./domain/ports.ts";
import { coreProblems } from "./domain/problem.ts";
import { Refusal, refuse } from "./domain/refusal.ts";
import type { Sealed } from "./domain/sealed.ts";
import * as unusedKeys from "./domain/subjects/recall.ts";
import * as subject from "./domain/subjects/subject.ts";
import { typed } from "./projections/typed.ts";
import { sealedBefore, sealFor } from "./sealing.ts";
import { type FoldParts, fold, foldAfresh, readWhole } from "./stream-folds.ts";
import { inSpan } from "./tracing.ts";

export type Target = { tenant: string; id: string };
export type Decision<State, E extends DomainEvent> = (state: State) => E[];
export type Decided<State, E extends DomainEvent> = { state: State; events: E[]; version: number };

export type Decide = <State, E extends DomainEvent>(
  entity: Entity<State, E>,
  target: Target,
  decision: Decision<State, E>,
) => Promise<Decided<State, E>>;

/** Who commands, and under which key it may be said again. `meta` is hashed with every event. */
export type Command = { meta: JsonObject; idempotency?: Idempotency };

export type Committed<T> = { result: T; events: AppendedEvent[]; replayed: boolean };

export type UnitParts = FoldParts & { subjects: Pick<Subjects, "seal" | "erase"> };

/** More runs than this on one command, and for this long, mean contention that waiting will not mend. */
const MOST_RUNS = 50;
const MOST_MS = 5_000;
/** From this run on it waits before the next, so that others who write the stream come to the end of what they have. */
const RUNS_AT_ONCE = 3;
const MOST_PAUSE_MS = 20;

/** An entity as it is now; the commit is made only if it has not changed until then. */
export type Watch = <State, E extends DomainEvent>(
  entity: Entity<State, E>,
  target: Target,
) => Promise<State>;

/**
 * Says that an entity's stream is new, as one is whose id nobody has had before: it is not read before the commit, which is made only
 * if it is new indeed, and decided again over what it has where it is not.
 */
export type Presume = <State, E extends DomainEvent>(entity: Entity<State, E>, target: Target) => void;

/**
 * Refuses at once what would be refused when it is decided: before anything is sealed for it, and without a place in the queue for its
 * stream. Nothing is staged and nothing rests upon it; said again, it stays silent.
 */
export type Foresee = <State, E extends DomainEvent>(
  entity: Entity<State, E>,
  target: Target,
  decision: (state: State) => unknown,
) => Promise<void>;

/** What is counted outside the log for what is about to be appended. */
export type Reservation = {
  /** False where there is not enough left. */
  take(): Promise<boolean>;
  /** Undoes it, where nothing was appended after all. */
  release(): void;
};

/** Takes something once for a command, however often its work runs; what was appended before needs nothing more. */
export type Reserve = (name: string, reservation: Reservation) => Promise<boolean>;

/**
 * Seals personal data for events that this unit decides, in the order given. The commit is made only if nobody has asked for the
 * erasure of whom it is about until then; said again, it gives what was recorded.
 */
export type Seal = (page: readonly ToSeal[]) => Promise<Sealed[]>;

/** What work may do in its unit, and the command it runs for. */
export type InUnit = {
  decide: Decide;
  watch: Watch;
  presumeNew: Presume;
  foresee: Foresee;
  reserve: Reserve;
  seal: Seal;
  /** What this very command appended when it was said before; empty the first time. */
  earlier: readonly RecordedEvent[];
  command: Command;
};

/** What is given to work that decides nothing, as that which is only read again: whatever asks for a decision is told why not. */
export const decidesNothing = (tell: () => never): Omit<InUnit, "command"> => ({
  ...{ decide: tell, watch: tell, presumeNew: tell, foresee: tell, reserve: tell, seal: tell, earlier: [] },
});

export type Work<T> = (unit: InUnit) => Promise<T>;

/** What stands between the work and its commit. */
export type BeforeAppend<T, Done> = {
  /** Runs once, after the first run of the work that succeeds: the place where a payment is settled. */
  once(result: T): Promise<Done>;
  /** Stages what belongs to the commit beside the work, in that run and in all later ones. */
  stage(decide: Decide, result: T, done: Done): Promise<void>;
};

/** Runs `work` as one unit: all that it stages is appended in one commit, and `before` that comes what is to be done once. */
export async function transact<T, Done = undefined>(
  parts: UnitParts,
  command: Command,
  work: Work<T>,
  before?: BeforeAppend<T, Done>,
): Promise<Committed<T>> {
  const earlier = await findEarlier(parts.store, command);
  if (earlier) return replay(parts, command, earlier, work);
  let once: { done: Done } | undefined;
  const reserved = new Reserved();
  const begun = performance.now();
  let isPatient = false;
  for (let run = 1; run <= MOST_RUNS || performance.now() - begun < MOST_MS; run++) {
    if (run > RUNS_AT_ONCE) await pause(Math.random() * Math.min(run, MOST_PAUSE_MS));
    const unit = new Unit(parts, command, reserved.reserve, {
      // Nothing is settled upon what may still fail.
      isPatient: isPatient || (before !== undefined && !once),
      place: run === 1 ? "last" : "first",
    });
    let isSent = false;
    try {
      const result = await work(unit);
      if (before) {
        // A settlement takes seconds: nobody else waits for this stream meanwhile.
        if (!once) unit.release();
        once ??= { done: await before.once(result) };
        await before.stage(unit.decide, result, once.done);
      }
      isSent = true;
      const outcome = await inSpan("append", {}, () => unit.append());
      isPatient = outcome.length === 0 && (await unit.lookedAhead());
      if (outcome === "again" || isPatient) continue;
      if (outcome !== "replayed" && outcome.length > 0) return { result, events: outcome, replayed: false };
      const first = await findEarlier(parts.store, command);
      if (first) return await replay(parts, command, first, work);
      if (outcome !== "replayed") return { result, events: [], replayed: false };
    } catch (error) {
      isPatient = error instanceof Refusal && !isSent && (await unit.lookedAhead());
      if (isPatient) continue;
      // Once it was sent it may stand in the log, whatever went wrong then.
      if (!isSent) reserved.release();
      // The same command may have been committed while this run waited, and be the very reason for the refusal.
      const first = error instanceof Refusal ? await findEarlier(parts.store, command) : undefined;
      if (!first) throw error;
      return await replay(parts, command, first, work);
    } finally {
      unit.release();
    }
  }
  reserved.release();
  return refuse("unavailable", "too many writers on the same stream; try again", { retry_after_s: 1 });
}

/** The work of an earlier commit over what it recorded, and nothing appended; undefined when there is no such commit. */
export async function recall<T>(parts: UnitParts, command: Command, work: Work<T>): Promise<T | undefined> {
  const earlier = await findEarlier(parts.store, command);
  return earlier && (await replay(parts, command, earlier, work)).result;
}

async function findEarlier(store: EventStore, command: Command): Promise<RecordedCommit | undefined> {
  if (!command.idempotency) return undefined;
  const found = await store.findCommit({ idem_key: command.idempotency.idem_key });
  if (found && !Buffer.from(found.request_hash).equals(Buffer.from(command.idempotency.request_hash))) {
    refuse(coreProblems["idempotency-key-reused"], "this idempotency key was used for another request");
  }
  return found;
}

/** The same work over recorded facts: every stream as the earlier commit left it, no decision taken. */
async function replay<T>(
  parts: UnitParts,
  command: Command,
  earlier: RecordedCommit,
  work: Work<T>,
): Promise<Committed<T>> {
  const last = Math.max(...earlier.events.map((event) => event.position));
  const foldThen = async <State, E extends DomainEvent>(entity: Entity<State, E>, target: Target) => {
    const stream_id = entity.streamOf(target.id);
    const { tenant } = target;
    const begin = await parts.snapshots?.find(entity, { tenant, stream_id }, last);
    let state = begin ? (begin.state as State) : entity.initialState();
    let version = begin?.version ?? 0;
    for await (const event of readWhole(parts.store, tenant, stream_id, version)) {
      if (event.position > last) break;
      state = entity.evolve(state, typed(parts.schemas, event));
      version = event.version;
    }
    return { state, version, stream_id };
  };
  const watch: Watch = async (entity, target) => (await foldThen(entity, target)).state;
  const reserve: Reserve = async () => true;
  const decide: Decide = async (entity, target, _decision) => {
    const { state, version, stream_id } = await foldThen(entity, target);
    const own = earlier.events.filter((e) => e.tenant === target.tenant && e.stream_id === stream_id);
    return { state, version, events: own.map((event) => typed(parts.schemas, event)) };
  };
  const seal = sealedBefore(earlier.events);
  const presumeNew: Presume = () => undefined;
  const foresee: Foresee = async () => undefined;
  const { events } = earlier;
  const result = await work({ decide, watch, presumeNew, foresee, reserve, seal, command, earlier: events });
  return { result, events, replayed: true };
}

/** A state of a stream to decide upon; `after`: the commit on its way that leaves it. */
type Seen = { state: unknown; version: number; cached: boolean; after?: Sent };

type Staged = {
  tenant: string;
  stream_id: string;
  base: number;
  after: Sent | undefined;
  state: unknown;
  cached: boolean;
  events: NewEvent[];
};

/** What a command has taken. */
class Reserved {
  readonly #taken = new Map<string, Reservation>();

  readonly reserve: Reserve = async (name, reservation) => {
    if (this.#taken.has(name)) return true;
    const granted = await reservation.take();
    if (granted) this.#taken.set(name, reservation);
    return granted;
  };

  release(): void {
    for (const reservation of this.#taken.values()) reservation.release();
    this.#taken.clear();
  }
}

type Run = {
  /** It waits for what is on its way, and decides upon what stands. */
  isPatient: boolean;
  /** Where it stands in line: who was too late once is not to be late for ever. */
  place: "last" | "first";
};

class Unit {
  readonly #parts: UnitParts;
  readonly command: Command;
  readonly reserve: Reserve;
  readonly earlier = [];
  readonly #staged = new Map<string, Staged>();
  /** Streams that the commit rests upon, and the version they were seen at. */
  readonly #watched = new Map<string, StreamGuard>();
  /** Commits on their way that something was decided upon. */
  readonly #trusted = new Set<Sent>();
  readonly #run: Run;
  #release: (() => void) | undefined;

  constructor(parts: UnitParts, command: Command, reserve: Reserve, run: Run) {
    this.#parts = parts;
    this.command = command;
    this.reserve = reserve;
    this.#run = run;
  }

  readonly decide: Decide = async (entity, target, decision) => {
    const staged = await this.#stage(entity, target);
    const events = await this.#consider(entity, staged, decision);
    let next = staged.state as ReturnType<typeof entity.initialState>;
    for (const event of events) {
      staged.events.push(toNew(this.#parts.schemas, event));
      next = entity.evolve(next, event);
    }
    staged.state = next;
    return { state: next, events, version: staged.base + staged.events.length };
  };

  readonly watch: Watch = async (entity, { tenant, id }) => {
    const stream_id = entity.streamOf(id);
    const key = `${tenant}\n${stream_id}`;
    const staged = this.#staged.get(key);
    if (staged) return staged.state as ReturnType<typeof entity.initialState>;
    const { state, version, after } = await this.#see(entity, tenant, stream_id);
    this.#watched.set(key, { tenant, stream_id, expected_version: version, ...(after && { after }) });
    return state as ReturnType<typeof entity.initialState>;
  };

  readonly presumeNew: Presume = (entity, { tenant, id }) => {
    const key = `${tenant}\n${entity.streamOf(id)}`;
    if (!this.#parts.cache.get(key))
      this.#parts.cache.keep(key, { state: entity.initialState(), version: 0 });
  };

  readonly foresee: Foresee = async (entity, target, decision) => {
    const { state, cached } = await fold(this.#parts, entity, target.tenant, entity.streamOf(target.id));
    try {
      decision(state);
    } catch (refusal) {
      if (!cached) throw refusal;
      decision((await foldAfresh(this.#parts, entity, target)).state);
    }
  };

  readonly seal: Seal = async (page) => {
    await this.watch(unusedKeys, unusedKeys.target);
    return sealFor(this.#parts.subjects, async (of) => (await this.watch(subject, of)) !== undefined, page);
  };

  /** A refusal, or nothing to do, must not rest on a state that another process has moved on: it is looked at afresh. */
  async #consider<State, E extends DomainEvent>(
    entity: Entity<State, E>,
    staged: Staged,
    decision: Decision<State, E>,
  ): Promise<E[]> {
    let refusal: unknown;
    try {
      const events = decision(staged.state as State);
      if (events.length > 0) return events;
    } catch (error) {
      refusal = error;
    }
    if (staged.events.length === 0 && staged.cached && !staged.after) {
      this.#parts.cache.mark(`${staged.tenant}\n${staged.stream_id}`);
      const fresh = await fold(this.#parts, entity, staged.tenant, staged.stream_id);
      staged.cached = false;
      if (fresh.version !== staged.base) {
        staged.state = fresh.state;
        staged.base = fresh.version;
        return decision(fresh.state);
      }
    }
    if (refusal) throw refusal;
    return [];
  }

  async #stage<State, E extends DomainEvent>(entity: Entity<State, E>, target: Target): Promise<Staged> {
    const stream_id = entity.streamOf(target.id);
    const key = `${target.tenant}\n${stream_id}`;
    const known = this.#staged.get(key);
    if (known) return known;
    // Only the first stream is queued for: waiting for a second one while holding the first could deadlock.
    if (!this.#release && this.#staged.size === 0)
      this.#release = await this.#parts.cache.queue(key, this.#run.place);
    const { version, ...seen } = await this.#see(entity, target.tenant, stream_id);
    const { tenant } = target;
    const staged: Staged = { after: undefined, ...seen, tenant, stream_id, base: version, events: [] };
    this.#staged.set(key, staged);
    return staged;
  }

  async #see<State, E extends DomainEvent>(
    entity: Entity<State, E>,
    tenant: string,
    stream_id: string,
  ): Promise<Seen> {
    const ahead = this.#parts.cache.ahead(`${tenant}\n${stream_id}`);
    if (ahead && this.#run.isPatient) await ending(ahead.sent);
    if (!ahead || this.#run.isPatient) return fold(this.#parts, entity, tenant, stream_id);
    this.#trusted.add(ahead.sent);
    return { state: ahead.state, version: ahead.version, cached: true, after: ahead.sent };
  }

  /** Whether it decided upon what was on its way then, and is not any more. */
  async lookedAhead(): Promise<boolean> {
    this.release();
    await Promise.all([...this.#trusted].map(ending));
    return this.#trusted.size > 0;
  }

  async append(): Promise<AppendedEvent[] | "again" | "replayed"> {
    const touched = [...this.#staged.values()].filter((staged) => staged.events.length > 0);
    if (touched.length === 0) return [];
    const guards: StreamGuard[] = [];
    // That there was nothing to do may have been so by what is on its way alone.
    for (const { tenant, stream_id, base, after, events } of this.#staged.values())
      if (after && events.length === 0) guards.push({ tenant, stream_id, expected_version: base, after });
    for (const [key, guard] of this.#watched) {
      const staged = this.#staged.get(key);
      if (!staged?.events.length && !staged?.after) guards.push(guard);
      else if (staged.base !== guard.expected_version) return "again";
    }
    const sent = this.#parts.store.send({
      appends: touched.map(({ tenant, stream_id, base, after, events }) => ({
        ...{ tenant, stream_id, expected_version: base, events },
        ...(after && { after }),
      })),
      guards,
      meta: this.command.meta,
      ...(this.command.idempotency && { idempotency: this.command.idempotency }),
    });
    for (const { tenant, stream_id, base, after, state, events } of touched)
      this.#parts.cache.expect(
        `${tenant}\n${stream_id}`,
        { state, version: base + events.length, sent },
        after,
      );
    // The next writer of the stream need not wait until this commit stands.
    this.release();
    try {
      return this.#appended(touched, await sent.settled);
    } finally {
      for (const { tenant, stream_id } of touched) this.#parts.cache.arrived(`${tenant}\n${stream_id}`, sent);
    }
  }

  #appended(touched: readonly Staged[], answer: AppendResult): AppendedEvent[] | "again" | "replayed" {
    switch (answer.status) {
      case "appended":
        for (const { tenant, stream_id, base, state, events } of touched) {
          this.#parts.cache.keep(`${tenant}\n${stream_id}`, { state, version: base + events.length });
        }
        return answer.events;
      case "replayed":
        return "replayed";
      case "idem_conflict":
        return refuse(
          coreProblems["idempotency-key-reused"],
          "this idempotency key was used for another request",
        );
      case "wrong_version":
        // Another writer was faster; the next run reads what it wrote.
        this.#parts.cache.mark(`${answer.tenant}\n${answer.stream_id}`);
        return "again";
      case "overtaken":
        return "again";
    }
  }

  release(): void {
    this.#release?.();
    this.#release = undefined;
  }
}

const pause = (ms: number) => new Promise<void>((wake) => setTimeout(wake, ms));

/** Waits until a commit's outcome is known, whatever it is. */
const ending = (sent: Sent): Promise<unknown> => sent.settled.catch(() => undefined);

/** The store checks the payload against its schema before it appends. */
const toNew = (schemas: EventSchemas, event: DomainEvent): NewEvent => ({
  type: event.type,
  schema_version: schemas.newestVersion(event.type) ?? 1,
  payload: event.data as JsonObject,
});
