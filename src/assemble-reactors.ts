/** Starts the reactors of areas, after looking whether the settings let them run. */
import type { App } from "./app.ts";
import type { Area } from "./areas/area.ts";
import { type Config, ConfigError } from "./config.ts";
import { type ReactorLog, runningReactors, startReactors } from "./reactor.ts";

/** What follows the log's end listens on a connection of its own. */
const POOL_FOR_TAIL = 1;
/** So many connections are left for calls while every projection and every reactor works at once. */
const POOL_FOR_CALLS = 2;

/** The fewest connections that a service with these areas works with, of whose reactors so many run. */
export const smallestPool = (areas: readonly Area[], reactors: number): number =>
  areas.flatMap(({ projections }) => projections).length + reactors + POOL_FOR_TAIL + POOL_FOR_CALLS;

/** So many calls have a connection at once, beside all that works on its own. */
const ROOM_FOR_CALLS = 10;

/** The connections of a service with these areas, where its settings name no number. */
export const usualPool = (areas: readonly Area[]): number =>
  smallestPool(areas, areas.flatMap(({ reactors }) => reactors).length) + ROOM_FOR_CALLS;

/** Throws ConfigError where a reactor cannot run with these settings, or the pool is too small for all of them. */
export async function startReactorsOf(
  areas: readonly Area[],
  app: App,
  config: Config,
  log: ReactorLog,
): Promise<{ stop(): Promise<void> }> {
  const declared = areas.flatMap(({ reactors }) => reactors);
  const reactors = runningReactors(app, declared);
  for (const { fault } of reactors) {
    const told = await fault?.(app);
    if (told) throw new ConfigError(told);
  }
  const smallest = smallestPool(areas, reactors.length);
  if (config.DATABASE_POOL !== undefined && config.DATABASE_POOL < smallest)
    throw new ConfigError(
      `DATABASE_POOL is at least ${smallest}: a connection for each projection and each of the ${reactors.length} reactors, and ${POOL_FOR_TAIL + POOL_FOR_CALLS} more`,
    );
  return startReactors(app, reactors, log);
}
