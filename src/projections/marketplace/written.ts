/** What strangers have written, as it lies in Objects: read by its digest, and kept for as long as the log says. */
import type pg from "pg";
import { digestOf } from "../../core/model/objects.ts";

/** For how long an object is kept: a time, `infinity`, or `-infinity` for one that is taken down. */
export type Kept = { name: string; until: string };

/** So many days after the end of what it belongs to. */
export const KEEP_DAYS = 30;

export const FOR_EVER = "infinity";
export const TAKEN_DOWN = "-infinity";

export const daysAfter = (at: string): string =>
  new Date(Date.parse(at) + KEEP_DAYS * 86_400_000).toISOString();

/** The JSON that lies under these names; what is not there, or not what its name says, is left out. */
export async function writtenUnder<T>(tx: pg.ClientBase, names: readonly string[]): Promise<Map<string, T>> {
  const text = "select name, bytes from objects.small where name = any($1)";
  const { rows } = await tx.query<{ name: string; bytes: Buffer }>({
    name: "market_written",
    text,
    values: [names],
  });
  const whole = rows.filter(({ name, bytes }) => name.endsWith(`/${digestOf(bytes)}`));
  return new Map(whole.map(({ name, bytes }) => [name, JSON.parse(bytes.toString()) as T]));
}

export async function keep(tx: pg.ClientBase, objects: readonly Kept[]): Promise<void> {
  if (objects.length === 0) return;
  const text = `update objects.small o set keep_until = k.until::timestamptz
    from unnest($1::text[], $2::text[]) k (name, until) where o.name = k.name`;
  const values = [objects.map(({ name }) => name), objects.map(({ until }) => until)];
  await tx.query({ name: "market_keep", text, values });
}
