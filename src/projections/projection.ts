import type pg from "pg";
import type { RecordedEvent } from "../../eventstore/types.ts";

/**
 * A read model: its tables, and the fold that keeps them. Its queries stand beside it as plain functions.
 * Tables live in the schema `read`; a new `version` is built beside the old one, so its name belongs in the table names.
 */
export type Projection = {
  name: string;
  version: number;
  /** Idempotent DDL (`create table if not exists read.…`). */
  ddl: string;
  /** Picks the events that it folds. */
  concerns(event: RecordedEvent): boolean;
  /** Folds those events in log order. Runs in one transaction with its checkpoint: each event counts exactly once. */
  fold(events: RecordedEvent[], tx: pg.ClientBase): Promise<void>;
};
