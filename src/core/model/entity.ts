/**
 * An entity that does not exist yet has the state `undefined`. An entity that only sums up, such as an account,
 * starts empty.
 */
import type { DefaultRecord, Event } from "@event-driven-io/emmett";
import type { z } from "zod";

export type DomainEvent = Event;

export type EventDeclarations = {
  readonly [type: string]: { readonly [version: number]: z.ZodType<DefaultRecord> };
};

type NewestSchema<Versions, Counted extends 1[] = [1]> = number extends keyof Versions
  ? Versions[keyof Versions & number]
  : [...Counted, 1]["length"] extends keyof Versions
    ? NewestSchema<Versions, [...Counted, 1]>
    : Versions[Counted["length"] & keyof Versions];

export type DataOf<Events extends EventDeclarations, Type extends keyof Events> = z.infer<
  NewestSchema<Events[Type]>
>;

export type EventOf<Events extends EventDeclarations> = Events extends unknown
  ? {
      [Type in keyof Events & string]: Event<Type, DataOf<Events, Type>>;
    }[keyof Events & string]
  : never;

export type EntityEvents = {
  /** The part of the prefix before its first `-` must be unique among entities. */
  prefix: string;
  events: EventDeclarations;
};

export type Entity<State, E extends DomainEvent> = EntityEvents & {
  streamOf(id: string): string;
  initialState(): State;
  evolve(state: State, event: E): State;
  /**
   * Declares that snapshots of the state are stored every five hundred events, for streams that grow without end.
   * Increment it whenever `evolve` or the state's form changes. The state must be plain data, without functions or
   * classes.
   */
  fold_version?: number;
};
