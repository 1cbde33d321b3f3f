/**
 * An area: everything of one matter, said once. Whoever needs all of something (events, read models, reactors, operations) reads
 * the registry in index.ts; nothing else lists areas.
 */
import type { EventType } from "../../eventstore/schemas.ts";
import type { OfferedArea } from "../api/declare/operation.ts";
import type { Reactor } from "../core/background/reactor.ts";
import type { DomainEvent, Entity } from "../core/model/entity.ts";
import type { Projection } from "../core/read-models/projection.ts";

/** The part of an entity that the registry needs, independent of its state; a file in src/domain exports it. */
export type AnyEntity = Entity<unknown, DomainEvent> & {
  events: { [type: string]: EventType & { means: string } };
};

export type Area = OfferedArea & {
  entities: readonly AnyEntity[];
  projections: readonly Projection[];
  /** Background work, each in one process at a time. */
  reactors: readonly Reactor[];
};
