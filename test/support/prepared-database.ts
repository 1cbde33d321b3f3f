import { inject } from "vitest";
import { areas } from "../../src/areas/index.ts";
import { prepareDatabase } from "../../src/runtime/database.ts";
import { type FreshDatabase, freshDatabase, onServer, urlOf } from "./database.ts";
import { once } from "./made-once.ts";

/** A new database with the tables of all areas, without a log. */
export async function preparedDatabase(): Promise<FreshDatabase> {
  const template = inject("templateDatabase");
  await once(template, () => makeTemplate(template));
  return freshDatabase(template);
}

async function makeTemplate(name: string): Promise<void> {
  await onServer(`drop database if exists ${name}`);
  await onServer(`create database ${name}`);
  const url = urlOf(name);
  const projections = areas.flatMap((area) => area.projections);
  await prepareDatabase({ ownerUrl: url, appUrl: url, app_password: undefined }, "test", projections);
  // Each copy gets a log with its own name.
  await onServer(
    `alter table eventstore.logs disable trigger append_only;
     delete from eventstore.logs;
     alter table eventstore.logs enable trigger append_only`,
    url,
  );
}
