/** Third-party texts in Objects: read by digest, and stored for as long as the log requires. */
import type pg from "pg";
import { digestOf } from "../../core/model/objects.ts";

/** The retention of an object: a time, `infinity`, or `-infinity` where it is taken down. */
export type Retention = { name: string; until: string };

/** Days that a text is stored after the end of its bounty or item. */
const KEEP_DAYS = 30;

export const FOR_EVER = "infinity";
export const TAKEN_DOWN = "-infinity";

export const daysAfter = (at: string): string =>
  new Date(Date.parse(at) + KEEP_DAYS * 86_400_000).toISOString();

/** The JSON under these names; missing or altered objects are left out. */
export async function readTexts<T>(tx: pg.ClientBase, names: readonly string[]): Promise<Map<string, T>> {
  const text = "select name, bytes from objects.small where name = any($1)";
  const { rows } = await tx.query<{ name: string; bytes: Buffer }>({
    name: "market_written",
    text,
    values: [names],
  });
  const whole = rows.filter(({ name, bytes }) => name.endsWith(`/${digestOf(bytes)}`));
  return new Map(whole.map(({ name, bytes }) => [name, JSON.parse(bytes.toString()) as T]));
}

export async function setRetention(tx: pg.ClientBase, objects: readonly Retention[]): Promise<void> {
  if (objects.length === 0) return;
  const text = `update objects.small o set keep_until = k.until::timestamptz
    from unnest($1::text[], $2::text[]) k (name, until) where o.name = k.name`;
  const values = [objects.map(({ name }) => name), objects.map(({ until }) => until)];
  await tx.query({ name: "market_keep", text, values });
}
