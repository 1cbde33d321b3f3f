/** A database with a movable clock: services, leases and queries use it, and no part of a service is replaced. */

import type { DatabaseClock } from "../../src/adapters/database-clock.ts";
import type { App } from "../../src/core/app.ts";
import { onServer } from "../support/database.ts";
import { preparedDatabase } from "../support/prepared-database.ts";

/**
 * `drop` removes it; `moves` sets its clock ahead and notifies these processes. Other processes read it within ten
 * seconds.
 */
export async function movedClock() {
  const database = await preparedDatabase();
  const name = new URL(database.url).pathname.slice(1);
  // Postgres resolves this function before its own, in each later session.
  await onServer(
    `create schema moved;
     create table moved.clock (ahead interval not null);
     insert into moved.clock values (interval '0');
     create function moved.clock_timestamp() returns timestamptz language sql volatile
       as $$ select pg_catalog.clock_timestamp() + (select ahead from moved.clock) $$;
     alter database ${name} set search_path = moved, pg_catalog, public`,
    database.url,
  );
  return {
    url: database.url,
    drop: database.drop,
    async moves(seconds: number, apps: readonly App[]): Promise<void> {
      await onServer(`update moved.clock set ahead = ahead + interval '${seconds} seconds'`, database.url);
      for (const { clock } of apps) await (clock as DatabaseClock).ask();
    },
  };
}
