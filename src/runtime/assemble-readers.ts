import type { Logger } from "pino";
import { openPool } from "../../eventstore/pool.ts";
import { EngineUnfit, preflight, readerChecks } from "../../eventstore/preflight.ts";
import { createEventStore, type EventStore } from "../../eventstore/store.ts";
import { createReaders, type Readers } from "../core/read-models/readers.ts";
import { type Config, ConfigError } from "./config.ts";

/** Refuses to start with an unfit database; an unavailable one is left out until it returns. */
export async function openReaders(config: Config, primary: EventStore, log: Logger): Promise<Readers> {
  const urls = config.READ_DATABASE_URLS ?? [];
  await Promise.all(urls.map((url) => refuseUnfit(url, log)));
  const databases = urls.map((url) => {
    const name = nameOf(url);
    const onError = (error: Error) => log.warn({ reader: name, reason: error.message }, "a connection broke");
    const pool = openPool(url, { ...(config.DATABASE_POOL && { max: config.DATABASE_POOL }), onError });
    return { name, pool, store: createEventStore(pool) };
  });
  const readers = createReaders(databases, primary, log);
  await readers.look();
  return readers;
}

async function refuseUnfit(url: string, log: Logger): Promise<void> {
  await preflight(url, readerChecks).catch((error: Error & { code?: string }) => {
    const name = nameOf(url);
    if (error instanceof EngineUnfit)
      throw new ConfigError(`READ_DATABASE_URLS at ${name}: ${error.message}`);
    log.warn(
      { reader: name, reason: error.message || error.code },
      "a reader of the database is unavailable",
    );
  });
}

/** Without user, password and options. */
function nameOf(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  return (host || searchParams.get("host") || "socket") + pathname;
}
