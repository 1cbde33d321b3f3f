/** Read models and the log they are folded from, for tests that fold it again. */
import type pg from "pg";
import type { RecordedEvent } from "../../eventstore/types.ts";
import type { App } from "../../src/core/app.ts";
import type { Projection } from "../../src/core/read-models/projection.ts";

/** All events of the log, in its order. */
export async function wholeLog({ readLog }: Pick<App["store"], "readLog">): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (let page: RecordedEvent[]; (page = await readLog({ after: events.length })).length > 0; )
    events.push(...page);
  return events;
}

/** The tables of a read model. */
export const tablesOf = ({ ddl }: Pick<Projection, "ddl">): string[] =>
  [...ddl.matchAll(/create table if not exists (read\.\w+)/g)].map(([, table]) => table!);

/** The rows of tables as sorted JSON, without the columns that are named for a table. */
export async function rowsIn(
  tx: pg.ClientBase | pg.Pool,
  tables: readonly string[],
  without: Readonly<Record<string, readonly string[]>> = {},
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const table of tables) {
    const { rows } = await tx.query<{ row: string }>(
      `select (to_jsonb(t) - $1::text[])::text as row from ${table} t order by 1`,
      [without[table] ?? []],
    );
    found[table] = rows.map(({ row }) => row);
  }
  return found;
}

/** Cuts a log into batches. `size` says how many events the next one has. */
export function inBatches(log: readonly RecordedEvent[], size: () => number): RecordedEvent[][] {
  const batches: RecordedEvent[][] = [];
  for (let at = 0; at < log.length; at += batches.at(-1)!.length) batches.push(log.slice(at, at + size()));
  return batches;
}
