import type { EventStore, RecordedCommit } from "../../../eventstore/store.ts";
import type { DomainEvent, Entity } from "../model/entity.ts";
import { coreProblems } from "../model/problem.ts";
import { Refusal, refuse } from "../model/refusal.ts";
import { typedEvent } from "../read-models/typed-events.ts";
import { inSpan } from "../tracing.ts";
import { sealedBefore } from "./sealing.ts";
import { Staging } from "./staging.ts";
import { readWhole } from "./stream-folds.ts";
import type {
  Command,
  CommitResult,
  Decide,
  Reservation,
  Reserve,
  Target,
  UnitParts,
  Watch,
  Work,
} from "./unit.ts";

/** Beyond this, more runs do not resolve the contention. */
const MOST_RUNS = 50;
const MOST_MS = 5_000;
/** Later runs pause before they start, so that other writers can finish. */
const RUNS_AT_ONCE = 3;
const MOST_PAUSE_MS = 20;

export type BeforeAppend<T, Done> = {
  /** Runs once per command, after the first successful run. A payment is settled here. */
  once(result: T): Promise<Done>;
  stage(decide: Decide, result: T, done: Done): Promise<void>;
};

/**
 * Commits everything that `work` stages as one unit. If the idempotency key was committed before, replays that
 * commit.
 */
export async function transact<T, Done = undefined>(
  parts: UnitParts,
  command: Command,
  work: Work<T>,
  before?: BeforeAppend<T, Done>,
): Promise<CommitResult<T>> {
  const earlier = await findEarlier(parts.store, command);
  if (earlier) return replay(parts, command, earlier, work);
  let once: { done: Done } | undefined;
  const reserved = new Reservations();
  const begun = performance.now();
  let isPatient = false;
  let contested: string | undefined;
  for (let run = 1; run <= MOST_RUNS || performance.now() - begun < MOST_MS; run++) {
    if (run > RUNS_AT_ONCE) await pause(Math.random() * Math.min(run, MOST_PAUSE_MS));
    const unit = new Staging(parts, command, reserved.reserve, {
      // A payment must not be settled on a state that is not committed yet.
      isPatient: isPatient || (before !== undefined && !once),
      end: run === 1 ? "last" : "first",
      isRefusable: run === 1 && before === undefined,
      contested,
    });
    let isSent = false;
    try {
      const result = await work(unit);
      if (before) {
        // A settlement takes seconds; do not block the stream meanwhile.
        if (!once) unit.leave();
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
      if (error instanceof Refusal && !isSent && (await unit.hasMovedOn())) continue;
      // After the send, the commit may exist, even if an error followed.
      if (!isSent) {
        unit.leave();
        await reserved.release();
      }
      // The same command may have been committed meanwhile, and may be the cause of this refusal.
      const first = error instanceof Refusal ? await findEarlier(parts.store, command) : undefined;
      if (!first) throw error;
      return await replay(parts, command, first, work);
    } finally {
      contested = unit.lost ?? contested;
      unit.leave();
    }
  }
  await reserved.release();
  return refuse("unavailable", "too many writers on the same stream; try again", { retry_after_s: 1 });
}

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

/** Returns the result of the earlier commit: folds each stream up to that commit, and decides nothing. */
async function replay<T>(
  parts: UnitParts,
  command: Command,
  earlier: RecordedCommit,
  work: Work<T>,
): Promise<CommitResult<T>> {
  const last = Math.max(...earlier.events.map((event) => event.position));
  const foldThen = async <State, E extends DomainEvent>(entity: Entity<State, E>, target: Target) => {
    const stream_id = entity.streamOf(target.id);
    const { tenant } = target;
    const begin = await parts.snapshots?.find(entity, { tenant, stream_id }, last);
    let state = begin ? (begin.state as State) : entity.initialState();
    let version = begin?.version ?? 0;
    for await (const event of readWhole(parts.store, tenant, stream_id, version)) {
      if (event.position > last) break;
      state = entity.evolve(state, typedEvent(parts.schemas, event));
      version = event.version;
    }
    return { state, version, stream_id };
  };
  const watch: Watch = async (entity, target) => (await foldThen(entity, target)).state;
  const reserve: Reserve = async () => true;
  const decide: Decide = async (entity, target, _decision) => {
    const { state, version, stream_id } = await foldThen(entity, target);
    const own = earlier.events.filter((e) => e.tenant === target.tenant && e.stream_id === stream_id);
    return { state, version, events: own.map((event) => typedEvent(parts.schemas, event)) };
  };
  const personal = sealedBefore(earlier.events);
  const { events } = earlier;
  const result = await work({ decide, watch, reserve, personal, store: () => undefined, command });
  return { result, events, replayed: true };
}

class Reservations {
  readonly #taken = new Map<string, Reservation>();

  readonly reserve: Reserve = async (name, reservation) => {
    if (this.#taken.has(name)) return true;
    const granted = await reservation.take();
    if (granted) this.#taken.set(name, reservation);
    return granted;
  };

  async release(): Promise<void> {
    const taken = [...this.#taken.values()];
    this.#taken.clear();
    await Promise.all(taken.map((reservation) => reservation.release()));
  }
}

const pause = (ms: number) => new Promise<void>((wake) => setTimeout(wake, ms));
