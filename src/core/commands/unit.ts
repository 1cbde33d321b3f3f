import type { AppendedEvent, Idempotency, JsonObject } from "../../../eventstore/types.ts";
import type { DomainEvent, Entity } from "../model/entity.ts";
import type { Objects } from "../model/ports/objects.ts";
import type { SealRequest, Subjects } from "../model/ports/subjects.ts";
import type { Sealed } from "../model/sealed.ts";
import type { FoldParts } from "./stream-folds.ts";
import type { StreamLocks } from "./stream-locks.ts";

export type Target = { tenant: string; id: string };
export type Decision<State, E extends DomainEvent> = (state: State) => E[];
export type DecisionResult<State, E extends DomainEvent> = { state: State; events: E[]; version: number };

/**
 * `is_new`: the command expects a new stream and does not read it. If the stream exists, the work runs again and
 * reads it.
 */
export type StreamExpectation = { is_new?: boolean };

/** Stages the events of a decision. One commit appends all staged events. */
export type Decide = <State, E extends DomainEvent>(
  entity: Entity<State, E>,
  target: Target,
  decision: Decision<State, E>,
  expected?: StreamExpectation,
) => Promise<DecisionResult<State, E>>;

/** Every event's hash covers `meta`. */
export type Command = { meta: JsonObject; idempotency?: Idempotency };

export type CommitResult<T> = { result: T; events: AppendedEvent[]; replayed: boolean };

export type UnitParts = FoldParts & {
  subjects: Pick<Subjects, "seal" | "erase">;
  objects: Pick<Objects, "put">;
  locks?: StreamLocks;
};

/** Reads an entity. The commit fails if the entity changes before it. */
export type Watch = <State, E extends DomainEvent>(
  entity: Entity<State, E>,
  target: Target,
  expected?: StreamExpectation,
) => Promise<State>;

/** Counts something outside the log for a pending append, such as draws of a seed. */
export type Reservation = {
  take(): Promise<boolean>;
  release(): Promise<void>;
};

/** Takes a reservation once per command, however often the command's work runs. A replay takes nothing. */
export type Reserve = (name: string, reservation: Reservation) => Promise<boolean>;

/**
 * Returns a value that is sealed after the first decision accepts, and before the command queues. The commit fails if
 * the subject's erasure is requested first.
 */
export type SealPersonal = (value: SealRequest) => Sealed;

/** Stores bytes whose digest an event contains. A refused command stores nothing. */
export type StoreObject = (name: string, bytes: Buffer) => void;

export type InUnit = {
  decide: Decide;
  watch: Watch;
  reserve: Reserve;
  personal: SealPersonal;
  store: StoreObject;
  command: Command;
};

/** The verbs of a unit that only reads: each of them calls `tell`, which refuses. */
export const decidesNothing = (tell: () => never): Omit<InUnit, "command"> => ({
  ...{ decide: tell, watch: tell, reserve: tell, personal: tell, store: tell },
});

export type Work<T> = (unit: InUnit) => Promise<T>;
