/**
 * Writers of one stream do not wait for each other's commits. Each writer decides on the state that the previous
 * writer sent, and commits only if the previous writer commits. A result without events has no such guard, so it is
 * answered from committed state alone.
 */
import { randomText } from "../../../eventstore/random.ts";
import type { EventSchemas } from "../../../eventstore/schemas.ts";
import type {
  AppendedEvent,
  AppendResult,
  CommitInFlight,
  JsonObject,
  NewEvent,
  StreamGuard,
} from "../../../eventstore/types.ts";
import type { DomainEvent, Entity } from "../model/entity.ts";
import { coreProblems } from "../model/problem.ts";
import { refuse } from "../model/refusal.ts";
import { fold, foldAfresh } from "./stream-folds.ts";
import type {
  Command,
  Decide,
  Decision,
  InUnit,
  Reserve,
  StreamExpectation,
  Target,
  UnitParts,
  Watch,
} from "./unit.ts";
import { UnitEffects } from "./unit-effects.ts";

/** `after`: the commit in flight that produces this state. */
type StreamView = { state: unknown; version: number; cached: boolean; after?: CommitInFlight };

type StagedStream = {
  tenant: string;
  stream_id: string;
  base: number;
  after: CommitInFlight | undefined;
  state: unknown;
  cached: boolean;
  events: NewEvent[];
  again: () => Promise<{ version: number }>;
};

type RunOptions = {
  isPatient: boolean;
  /** A run that lost a conflict goes to the front of the queue, so that it cannot starve. */
  end: "last" | "first";
  /** Only the first run of an unpaid call may be refused for a long queue. */
  isRefusable: boolean;
  /** The stream on which an earlier run lost a conflict: this run queues for that stream. */
  contested: string | undefined;
};

const SALT_BYTES = 16;

/** Event hashes are public: without a salt, a reader could confirm a guess at the payload. */
const salted = (events: readonly NewEvent[]): NewEvent[] =>
  events.map((event) => ({ ...event, meta: { ...event.meta, salt: randomText(SALT_BYTES, "base64url") } }));

const MOST_WAIT_MS = 10_000;

export class Staging implements InUnit {
  readonly #parts: UnitParts;
  readonly command: Command;
  readonly reserve: Reserve;
  readonly #effects: UnitEffects;
  readonly #staged = new Map<string, StagedStream>();
  readonly #watched = new Map<string, { guard: StreamGuard; again?: () => Promise<{ version: number }> }>();
  readonly #trusted = new Set<CommitInFlight>();
  readonly #run: RunOptions;
  #leaveQueue: (() => void) | undefined;
  #releaseLock: (() => void) | undefined;
  /** Counts calls of `leave`, so that a run notices one that happens while it prepares or queues. */
  #left = 0;
  #lost: string | undefined;
  #versionBefore: { key: string; version: number } | undefined;

  constructor(parts: UnitParts, command: Command, reserve: Reserve, run: RunOptions) {
    this.#parts = parts;
    this.command = command;
    this.reserve = reserve;
    this.#run = run;
    this.#effects = new UnitEffects(parts, this.watch);
  }

  readonly personal: InUnit["personal"] = (value) => this.#effects.personal(value);
  readonly store: InUnit["store"] = (name, bytes) => this.#effects.store(name, bytes);

  readonly decide: Decide = async (entity, target, decision, expected = {}) => {
    const staged = await this.#stage(entity, target, decision, expected);
    const events = await this.#consider(entity, staged, decision).catch((refusal) => {
      // A command may continue after a refusal. If the command has staged nothing, it must not block a stream.
      if (![...this.#staged.values()].some((one) => one.events.length > 0)) this.leave();
      throw refusal;
    });
    let next = staged.state as ReturnType<typeof entity.initialState>;
    for (const event of events) {
      staged.events.push(toNew(this.#parts.schemas, event));
      next = entity.evolve(next, event);
    }
    staged.state = next;
    return { state: next, events, version: staged.base + staged.events.length };
  };

  readonly watch: Watch = async (entity, { tenant, id }, { is_new } = {}) => {
    const stream_id = entity.streamOf(id);
    const key = `${tenant}\n${stream_id}`;
    const staged = this.#staged.get(key);
    if (staged) return staged.state as ReturnType<typeof entity.initialState>;
    if (is_new) this.#presumeNew(entity, key);
    const { state, version, cached, after } = await this.#see(entity, tenant, stream_id);
    this.#watched.set(key, {
      guard: { tenant, stream_id, expected_version: version, ...(after && { after }) },
      ...(cached && !after && { again: () => foldAfresh(this.#parts, entity, { tenant, id }) }),
    });
    return state as ReturnType<typeof entity.initialState>;
  };

  #presumeNew<State, E extends DomainEvent>(entity: Entity<State, E>, key: string): void {
    if (!this.#parts.cache.get(key))
      this.#parts.cache.keep(key, { state: entity.initialState(), version: 0 });
  }

  /**
   * Tries the first decision before queueing. A refusal then needs no lock, and sealing and storing delay no other
   * writer.
   */
  async #prepare<State, E extends DomainEvent>(
    entity: Entity<State, E>,
    target: Target,
    decision: Decision<State, E>,
  ): Promise<void> {
    const { state, cached } = await fold(this.#parts, entity, target.tenant, entity.streamOf(target.id));
    try {
      decision(state);
    } catch (refusal) {
      if (!cached) throw refusal;
      decision((await foldAfresh(this.#parts, entity, target)).state);
    }
    await this.#effects.perform();
  }

  /** False for a run that lost a conflict on its stream: it queues at once, at the front. */
  #mustPrepare(key: string): boolean {
    if (this.#leaveQueue || this.#staged.size > 0) return false;
    return this.#effects.arePending || (this.#run.end === "last" && this.#parts.cache.isBusy(key));
  }

  /** A refusal or an empty result must not depend on a stale state, so the decision is repeated on a fresh one. */
  async #consider<State, E extends DomainEvent>(
    entity: Entity<State, E>,
    staged: StagedStream,
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

  async #stage<State, E extends DomainEvent>(
    entity: Entity<State, E>,
    target: Target,
    decision: Decision<State, E>,
    { is_new }: StreamExpectation,
  ): Promise<StagedStream> {
    const stream_id = entity.streamOf(target.id);
    const key = `${target.tenant}\n${stream_id}`;
    const earlier = this.#staged.get(key);
    if (earlier) return earlier;
    if (is_new) this.#presumeNew(entity, key);
    const left = this.#left;
    const queued = this.#run.contested ?? key;
    if (this.#mustPrepare(queued)) await this.#prepare(entity, target, decision);
    await this.#queue(queued, left);
    const { version, ...seen } = await this.#see(entity, target.tenant, stream_id);
    if (this.#versionBefore?.key === key && version > this.#versionBefore.version)
      this.#parts.locks?.contest(key);
    const { tenant } = target;
    const again = () => foldAfresh(this.#parts, entity, target);
    const staged: StagedStream = {
      after: undefined,
      ...seen,
      tenant,
      stream_id,
      base: version,
      events: [],
      again,
    };
    this.#staged.set(key, staged);
    return staged;
  }

  /** Queues for the first stream only: waiting for a second one while holding the first could deadlock. */
  async #queue(key: string, left: number): Promise<void> {
    if (this.#leaveQueue || this.#staged.size > 0 || this.#left !== left) return;
    const { cache, locks } = this.#parts;
    if (this.#run.isRefusable && cache.waitedFor(key) > MOST_WAIT_MS) {
      this.#trusted.clear();
      refuse("unavailable", "too many writers queue for this stream; try again", {
        retry_after_s: 1,
      });
    }
    this.#leaveQueue = await cache.queue(key, this.#run.end);
    if (this.#left !== left) return this.leave();
    const lock = await locks?.enter(key);
    this.#releaseLock = lock?.leave;
    if (this.#left !== left) return this.leave();
    if (lock?.isNew) await this.#reload(key);
  }

  /** Other processes may have written to the stream, so its cached state may be stale. */
  async #reload(key: string): Promise<void> {
    const { cache } = this.#parts;
    const ahead = cache.ahead(key);
    if (ahead) await ending(ahead.sent);
    this.#versionBefore = { key, version: cache.get(key)?.version ?? 0 };
    cache.mark(key);
  }

  async #see<State, E extends DomainEvent>(
    entity: Entity<State, E>,
    tenant: string,
    stream_id: string,
  ): Promise<StreamView> {
    const ahead = this.#parts.cache.ahead(`${tenant}\n${stream_id}`);
    if (ahead && this.#run.isPatient) await ending(ahead.sent);
    if (!ahead || this.#run.isPatient) return fold(this.#parts, entity, tenant, stream_id);
    this.#trusted.add(ahead.sent);
    return { state: ahead.state, version: ahead.version, cached: true, after: ahead.sent };
  }

  /** True if a decision used states whose commits were in flight. Resolves once those commits have ended. */
  async lookedAhead(): Promise<boolean> {
    this.leave();
    await Promise.all([...this.#trusted].map(ending));
    return this.#trusted.size > 0;
  }

  /** Detects writes of other processes, which no version check detects without an append. */
  async hasMovedOn(): Promise<boolean> {
    for (const { guard, again } of this.#watched.values())
      if (again && (await again()).version !== guard.expected_version) return true;
    for (const { base, cached, after, again } of this.#staged.values())
      if (cached && !after && (await again()).version !== base) return true;
    return false;
  }

  async append(): Promise<AppendedEvent[] | "again" | "replayed"> {
    const touched = [...this.#staged.values()].filter((staged) => staged.events.length > 0);
    if (touched.length === 0) return (await this.hasMovedOn()) ? "again" : [];
    if (this.#effects.arePending) await this.#effects.perform();
    const guards: StreamGuard[] = [];
    // A decision without events may still depend on a commit in flight.
    for (const { tenant, stream_id, base, after, events } of this.#staged.values())
      if (after && events.length === 0) guards.push({ tenant, stream_id, expected_version: base, after });
    for (const [key, { guard }] of this.#watched) {
      const staged = this.#staged.get(key);
      if (!staged?.events.length && !staged?.after) guards.push(guard);
      else if (staged.base !== guard.expected_version) return "again";
    }
    const sent = this.#parts.store.send({
      appends: touched.map(({ tenant, stream_id, base, after, events }) => ({
        ...{ tenant, stream_id, expected_version: base, events: salted(events) },
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
    // The next writer in this process need not wait for the commit; other processes do.
    this.#exitQueue();
    try {
      return this.#appended(touched, await sent.settled);
    } finally {
      for (const { tenant, stream_id } of touched) this.#parts.cache.arrived(`${tenant}\n${stream_id}`, sent);
      this.leave();
    }
  }

  #appended(touched: readonly StagedStream[], answer: AppendResult): AppendedEvent[] | "again" | "replayed" {
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
      case "wrong_version": {
        // Another writer committed first. The next run reads that writer's events.
        const key = `${answer.tenant}\n${answer.stream_id}`;
        const cached = this.#parts.cache.get(key)?.version ?? 0;
        if (answer.actual > cached) this.#parts.locks?.contest(key);
        this.#parts.cache.mark(key);
        this.#lost = key;
        return "again";
      }
      case "overtaken":
        return "again";
    }
  }

  get lost(): string | undefined {
    return this.#lost;
  }

  leave(): void {
    this.#left++;
    this.#exitQueue();
    this.#releaseLock?.();
    this.#releaseLock = undefined;
  }

  #exitQueue(): void {
    this.#leaveQueue?.();
    this.#leaveQueue = undefined;
  }
}

const ending = (sent: CommitInFlight): Promise<unknown> => sent.settled.catch(() => undefined);

const toNew = (schemas: EventSchemas, event: DomainEvent): NewEvent => ({
  type: event.type,
  schema_version: schemas.newestVersion(event.type) ?? 1,
  payload: event.data as JsonObject,
});
