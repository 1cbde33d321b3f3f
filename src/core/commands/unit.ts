/** What work may do in the unit of one command, and what comes of it. */
import type { AppendedEvent, Idempotency, JsonObject, RecordedEvent } from "../../../eventstore/types.ts";
import type { DomainEvent, Entity } from "../model/entity.ts";
import type { Subjects, ToSeal } from "../model/ports/subjects.ts";
import type { Sealed } from "../model/sealed.ts";
import type { FoldParts } from "./stream-folds.ts";
import type { StreamTurns } from "./stream-turns.ts";

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

export type UnitParts = FoldParts & {
  subjects: Pick<Subjects, "seal" | "erase">;
  /** Turns with other processes on streams that they write, too; without it none are taken. */
  turns?: StreamTurns;
};

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
 * Waits for this command's turn on a stream, before it looks at anything else: for whoever will find that all others wait for the same.
 * Nothing is read.
 */
export type LineUp = <State, E extends DomainEvent>(
  entity: Entity<State, E>,
  target: Target,
) => Promise<void>;

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
  release(): Promise<void>;
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
  lineUp: LineUp;
  foresee: Foresee;
  reserve: Reserve;
  seal: Seal;
  /** What this very command appended when it was said before; empty the first time. */
  earlier: readonly RecordedEvent[];
  command: Command;
};

/** What is given to work that decides nothing, as that which is only read again: whatever asks for a decision is told why not. */
export const decidesNothing = (tell: () => never): Omit<InUnit, "command"> => ({
  ...{ decide: tell, watch: tell, presumeNew: tell, lineUp: tell, foresee: tell, reserve: tell, seal: tell },
  earlier: [],
});

export type Work<T> = (unit: InUnit) => Promise<T>;
