/**
 * The shape of an entity: what its file in src/domain exports, and the types that follow from the events it declares.
 * A state that is not there yet is `undefined`; what only adds up begins empty.
 */
import type { DefaultRecord, Event } from "@event-driven-io/emmett";
import type { z } from "zod";

/** What a decision produces and `evolve` folds. */
export type DomainEvent = Event;

/** Event types by name, each with a schema for every version from 1 on. */
export type EventDeclarations = {
  readonly [type: string]: { readonly [version: number]: z.ZodType<DefaultRecord> };
};

/** The schema of the highest version, found by counting up from 1. */
type Newest<Versions, Counted extends 1[] = [1]> = number extends keyof Versions
  ? Versions[keyof Versions & number]
  : [...Counted, 1]["length"] extends keyof Versions
    ? Newest<Versions, [...Counted, 1]>
    : Versions[Counted["length"] & keyof Versions];

/** What an event of this type says, as its newest version has it. */
export type DataOf<Events extends EventDeclarations, Type extends keyof Events> = z.infer<
  Newest<Events[Type]>
>;

/** The events that are declared, as `{ type, data }` of the newest versions. */
export type EventOf<Events extends EventDeclarations> = Events extends unknown
  ? {
      [Type in keyof Events & string]: Event<Type, DataOf<Events, Type>>;
    }[keyof Events & string]
  : never;

/** What of an entity says which events are its own. */
export type EntityEvents = {
  /** What its streams are named by, before the id; what stands before its first `-` is theirs alone. */
  prefix: string;
  events: EventDeclarations;
};

/** The exports of an entity's file. */
export type Entity<State, E extends DomainEvent> = EntityEvents & {
  streamOf(id: string): string;
  initialState(): State;
  evolve(state: State, event: E): State;
  /**
   * Declared by an entity whose streams grow without end: every five hundred events the folded state is kept, and folds begin there. It
   * is 1 at first, and one more whenever `evolve` or the form of the state changes. A state is then plain data: objects, arrays,
   * Maps, Sets, bigints, and no functions or classes.
   */
  fold_version?: number;
};
