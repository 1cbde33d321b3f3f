/** The unit of work of one command. */
import type { AppendedEvent, Idempotency, JsonObject } from "../../../eventstore/types.ts";
import type { DomainEvent, Entity } from "../model/entity.ts";
import type { Objects } from "../model/ports/objects.ts";
import type { Subjects, ToSeal } from "../model/ports/subjects.ts";
import type { Sealed } from "../model/sealed.ts";
import type { FoldParts } from "./stream-folds.ts";
import type { StreamTurns } from "./stream-turns.ts";

export type Target = { tenant: string; id: string };
export type Decision<State, E extends DomainEvent> = (state: State) => E[];
export type Decided<State, E extends DomainEvent> = { state: State; events: E[]; version: number };

/** `is_new`: nobody had this id before, so the stream is not read. Where that is wrong, the work runs again over the stream. */
export type Expected = { is_new?: boolean };

/** Decides on an entity and stages the events; they are appended when the work is done, all in one commit. */
export type Decide = <State, E extends DomainEvent>(
  entity: Entity<State, E>,
  target: Target,
  decision: Decision<State, E>,
  expected?: Expected,
) => Promise<Decided<State, E>>;

/** Who commands, and under which key it may be said again. `meta` is hashed with every event. */
export type Command = { meta: JsonObject; idempotency?: Idempotency };

export type Committed<T> = { result: T; events: AppendedEvent[]; replayed: boolean };

export type UnitParts = FoldParts & {
  subjects: Pick<Subjects, "seal" | "erase">;
  objects: Pick<Objects, "put">;
  /** Turns with other processes on streams that they write, too; without it none are taken. */
  turns?: StreamTurns;
};

/** Reads an entity; the commit is made only if the entity has not changed until then. */
export type Watch = <State, E extends DomainEvent>(
  entity: Entity<State, E>,
  target: Target,
  expected?: Expected,
) => Promise<State>;

/** What is counted outside the log for what is about to be appended. */
export type Reservation = {
  /** False where there is not enough left. */
  take(): Promise<boolean>;
  /** Undoes it, where nothing was appended after all. */
  release(): Promise<void>;
};

/** Takes something once for a command, however often its work runs; what was appended before needs nothing more. */
export type Reserve = (name: string, reservation: Reservation) => Promise<boolean>;

/**
 * A member of an event for personal data. It is sealed before the command waits in line for a stream, once its first decision would
 * not be refused; the commit is made only if nobody asks for the erasure of its subject until then.
 */
export type SealPersonal = (value: ToSeal) => Sealed;

/** Stores bytes that an event names by their digest, when personal data is sealed; a refused command stores nothing. */
export type StoreObject = (name: string, bytes: Buffer) => void;

/** The verbs of work in its unit, and the command that it runs for. */
export type InUnit = {
  decide: Decide;
  watch: Watch;
  reserve: Reserve;
  personal: SealPersonal;
  store: StoreObject;
  command: Command;
};

/** The unit of work that only reads: each verb refuses by `tell`. */
export const decidesNothing = (tell: () => never): Omit<InUnit, "command"> => ({
  ...{ decide: tell, watch: tell, reserve: tell, personal: tell, store: tell },
});

export type Work<T> = (unit: InUnit) => Promise<T>;
