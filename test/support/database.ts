import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { applyMigrations, migrating } from "../../eventstore/migrations.ts";
import { serviceTables } from "../../src/migrations/service-tables.ts";
import { until } from "./until.ts";

export type FreshDatabase = { url: string; drop(): Promise<void> };

/** A new empty database on the run's Postgres, or a copy of `template`; `url` connects as its owner. */
export async function freshDatabase(template = "template1"): Promise<FreshDatabase> {
  const name = `t_${randomBytes(8).toString("hex")}`;
  await onServer(`create database ${name} template ${template}`);
  return { url: urlOf(name), drop: () => onServer(`drop database if exists ${name} with (force)`) };
}

/** A copy of a database's current state, which cuts its connections. */
export async function copyOfDatabase({ url }: Pick<FreshDatabase, "url">): Promise<FreshDatabase> {
  const name = new URL(url).pathname.slice(1);
  await onServer(`alter database ${name} with allow_connections false`);
  try {
    await onServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    // The cut connections end a moment later.
    return await until(() => freshDatabase(name));
  } finally {
    await onServer(`alter database ${name} with allow_connections true`);
  }
}

/** Makes the service's own tables that no log can rebuild, in a database without a service. */
export const makeServiceTables = (url: string): Promise<void> =>
  migrating(url, (client) => applyMigrations(client, serviceTables));

/** The URL of a database on the run's Postgres. */
export function urlOf(database: string): string {
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${database}`;
  return url.href;
}

/** Runs statements as the server's owner, by default in its first database. */
export async function onServer(sql: string, url: string = inject("postgresUrl")): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
