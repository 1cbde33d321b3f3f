import type pg from "pg";
import type { RecordedEvent } from "../../../eventstore/types.ts";
import type { DomainEvent, EntityEvents } from "../model/entity.ts";
import type { EventPosition, PositionedEvent } from "./typed-events.ts";

export type PublicFacts = Pick<
  RecordedEvent,
  "position" | "tenant" | "stream_id" | "version" | "event_id" | "type" | "recorded_at_us" | "meta"
>;

type Tables = {
  name: string;
  version: number;
  /**
   * Contains only `create table if not exists read.…`, `create index if not exists … on read.…` and `drop index if
   * exists read.…`.
   */
  ddl: string;
  /**
   * For comparisons: recomputes, from folded rows, the rows that a reactor stores. `stored` is the schema that
   * contains the reactor's rows.
   */
  remake?(tx: pg.ClientBase, stored: string): Promise<void>;
  /** For tables that also contain other data: a query, by table, of the rows and columns that follow from the log. */
  decided?: Readonly<Record<string, (schema: string) => string>>;
};

/** Runs in the transaction that moves the projection's checkpoint, so each event counts exactly once. */
type Fold<E> = { fold(events: readonly E[], tx: pg.ClientBase): Promise<void> };

export type SealedFacts = PublicFacts & { subject_ids: readonly string[] };

type OfEntities = Tables & { of: readonly EntityEvents[] } & Fold<DomainEvent & EventPosition>;
type OfEveryEvent = Tables & { of: "every event" } & Fold<PublicFacts>;
type OfSealedValues = Tables & { of: "sealed values" } & Fold<SealedFacts>;

/**
 * Tables are in the schema `read`. A new `version` is built while the old one serves queries, so table names include
 * the version.
 */
export type Projection = OfEntities | OfEveryEvent | OfSealedValues;

/**
 * A fold gets upcast events. With "every event" it gets public facts alone, with "sealed values" also their subjects.
 */
export function projection<const Of extends readonly EntityEvents[]>(
  declared: Tables & { of: Of } & Fold<PositionedEvent<Of[number]>>,
): Projection;
export function projection(declared: OfEveryEvent | OfSealedValues): Projection;
export function projection(declared: Projection): Projection {
  return declared;
}
