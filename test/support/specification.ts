import { DeciderSpecification } from "@event-driven-io/emmett";
import { expect } from "vitest";
import type { DomainEvent, Entity } from "../../src/core/model/entity.ts";
import { Refusal } from "../../src/core/model/refusal.ts";

type Decider<State, E extends DomainEvent> = Pick<Entity<State, E>, "events" | "initialState" | "evolve">;
type Decision<State, E extends DomainEvent> = (state: State) => readonly E[];

/**
 * emmett's specification of an entity: given events, when a decision, then events. A decision is its own command.
 * `then` is exact: emmett's own accepts any order and further fields, and cannot compare null.
 */
export function specificationOf<State, E extends DomainEvent>(entity: Decider<State, E>) {
  const specification = DeciderSpecification.for<Decision<State, E>, E, State>({
    decide: (decision, state) => [...decision(state)],
    evolve: entity.evolve,
    initialState: entity.initialState,
  });
  return (given: readonly E[]) => ({
    when(decision: Decision<State, E>) {
      const { thenNothingHappened, thenThrows } = specification(declared(entity, given)).when(decision);
      const then = (expected: readonly E[]): void => {
        const compare = (state: State) => {
          expect(decision(state)).toEqual(declared(entity, expected));
          return [];
        };
        specification([...given])
          .when(compare)
          .thenNothingHappened();
      };
      return { then, thenNothingHappened, thenThrows };
    },
  });
}

/** The events, parsed by the newest version of their types. */
function declared<E extends DomainEvent>(
  { events }: Pick<Entity<unknown, E>, "events">,
  list: readonly E[],
): E[] {
  for (const { type, data } of list) {
    const versions = events[type]!;
    const newest = Math.max(...Object.keys(versions).map(Number).filter(Boolean));
    versions[newest]!.parse(data);
  }
  return [...list];
}

/** For `thenThrows`: a refusal of this kind (`not-found`), whose sentence contains these words. */
export const refusedAs =
  (slug: string, words = "") =>
  (error: unknown): boolean => {
    if (error instanceof Refusal && error.type.slug !== slug)
      throw new Error(`refused as ${error.type.slug}, not as ${slug}: ${error.message}`, { cause: error });
    return error instanceof Refusal && error.message.includes(words);
  };
