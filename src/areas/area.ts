/**
 * An area: everything of one matter, said once. Whoever needs all of something (events, read models, operations) reads
 * the registry in index.ts; nothing else lists areas.
 */
import type { EventTypes } from "../../eventstore/schemas.ts";
import type { OfferedArea } from "../api/catalogue.ts";
import type { Projection } from "../projections/projection.ts";

/** What the registry knows of an entity: its file in src/domain exports it. */
export type EntitySource = {
  /** What its streams are named by, before the id; what stands before its first `-` is theirs alone. */
  prefix: string;
  events: EventTypes;
};

export type Area = OfferedArea & {
  entities: readonly EntitySource[];
  projections: readonly Projection[];
};
