import type pg from "pg";
import type { RecordedEvent } from "../../../eventstore/types.ts";
import type { DomainEvent, EntityEvents } from "../model/entity.ts";
import type { Place, Placed } from "./typed.ts";

/** What is told of any event: that it was recorded, where, and what caused it; never what it says. */
export type PublicFacts = Pick<
  RecordedEvent,
  "position" | "tenant" | "stream_id" | "version" | "event_id" | "type" | "recorded_at_us" | "meta"
>;

type Tables = {
  name: string;
  version: number;
  /** `create table if not exists read.…`, `create index if not exists … on read.…`, `drop index if exists read.…`; nothing else. */
  ddl: string;
};

/** Folds events in log order. Runs in one transaction with the projection's checkpoint: each event counts exactly once. */
type Fold<E> = { fold(events: readonly E[], tx: pg.ClientBase): Promise<void> };

/** An event that holds something sealed, and for whom: a subject for each value. */
export type SealedFacts = PublicFacts & { subject_ids: readonly string[] };

type OfEntities = Tables & { of: readonly EntityEvents[] } & Fold<DomainEvent & Place>;
type OfEveryEvent = Tables & { of: "every event" } & Fold<PublicFacts>;
type OfSealedValues = Tables & { of: "sealed values" } & Fold<SealedFacts>;

/**
 * A read model: its tables, the entities that it is made of, and the fold that keeps it. Its queries stand beside it as
 * plain functions. Tables live in the schema `read`; a new `version` is built beside the old one, so its name belongs in
 * the table names.
 */
export type Projection = OfEntities | OfEveryEvent | OfSealedValues;

/**
 * Declares a read model. `fold` is given its entities' events as they declare them, upcast; of every event, only what is public; of
 * sealed values, besides for whom they are sealed.
 */
export function projection<const Of extends readonly EntityEvents[]>(
  declared: Tables & { of: Of } & Fold<Placed<Of[number]>>,
): Projection;
export function projection(declared: OfEveryEvent | OfSealedValues): Projection;
export function projection(declared: Projection): Projection {
  return declared;
}
