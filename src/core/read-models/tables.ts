/**
 * Creates tables while other processes use them. `create index if not exists` locks out writers even if the index
 * exists, so existing objects are skipped. Each change to a table in use is one short transaction with a single lock.
 */
import type pg from "pg";
import { migrating } from "../../../eventstore/migrations.ts";
import type { Projection } from "./projection.ts";

type Step = { sql: string; makes?: string; removes?: string; on?: string };

const FORMS: readonly [RegExp, (names: string[]) => Omit<Step, "sql">][] = [
  [/^create table if not exists (read\.\w+)\s*\(/, ([makes]) => ({ makes: makes! })],
  [
    /^create (?:unique )?index if not exists (\w+)\s+on (read\.\w+)\s/,
    ([index, on]) => ({ makes: `read.${index}`, on: on! }),
  ],
  [/^drop index if exists (read\.\w+)$/, ([removes]) => ({ removes: removes! })],
];

export function stepsOf({ name, ddl }: Pick<Projection, "name" | "ddl">): Step[] {
  const statements = ddl
    .split(";")
    .map((sql) => sql.trim())
    .filter((sql) => sql !== "");
  return statements.map((sql) => {
    for (const [form, read] of FORMS) {
      const found = form.exec(sql);
      if (found) return { sql, ...read(found.slice(1)) };
    }
    throw new Error(
      `the read model ${name} is made of "create table if not exists read.…", "create index if not exists … on read.…" and "drop index if exists read.…", not of: ${sql}`,
    );
  });
}

export async function makeTables(owner: pg.Pool, projections: readonly Projection[]): Promise<void> {
  const steps = projections.flatMap(stepsOf);
  if ((await undone(owner, steps)).length === 0) return;
  // New tables have no users yet, so one transaction creates all of them with their indexes.
  await migrating(owner, async (client) => {
    const left = await undone(client, steps);
    const made = new Set(left.map(({ makes }) => makes));
    for (const { sql, makes, on } of left)
      if (on === undefined ? makes !== undefined : made.has(on)) await client.query(sql);
  });
  for (const step of await undone(owner, steps))
    await migrating(owner, async (client) => {
      if ((await undone(client, [step])).length === 1) await client.query(step.sql);
    });
}

async function undone(client: pg.ClientBase | pg.Pool, steps: readonly Step[]): Promise<Step[]> {
  const { rows } = await client.query<{ stands: boolean }>(
    "select to_regclass(name) is not null as stands from unnest($1::text[]) with ordinality as one (name, n) order by n",
    [steps.map(({ makes, removes }) => makes ?? removes)],
  );
  return steps.filter(({ makes }, n) => rows[n]!.stands === (makes === undefined));
}
