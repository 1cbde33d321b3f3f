import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { applyMigrations, migrating } from "../../eventstore/migrations.ts";
import { keptTables } from "../../src/migrations/kept-tables.ts";

export type FreshDatabase = { url: string; drop(): Promise<void> };

/** A new empty database on the run's Postgres; `url` connects as its owner. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const server = new URL(inject("postgresUrl"));
  const name = `t_${randomBytes(8).toString("hex")}`;
  await onServer(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(server, `drop database if exists ${name} with (force)`) };
}

/** Makes the service's own tables that no log can rebuild, in a database without a service. */
export const makeKeptTables = (url: string): Promise<void> =>
  migrating(url, (client) => applyMigrations(client, keptTables));

async function onServer(server: URL, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.href });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
