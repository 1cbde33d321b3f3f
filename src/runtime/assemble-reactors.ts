/** Starts the reactors of areas, after looking whether the settings let them run. */

import type { Area } from "../areas/area.ts";
import type { App } from "../core/app.ts";
import { type ReactorLog, runningReactors, startReactors } from "../core/background/reactor.ts";
import { type Config, ConfigError } from "./config.ts";
import { agreeOnKeys } from "./shared-keys.ts";

/** The connections of a process, where its settings name no number: calls have most of them, folds a share, reactors what is free. */
export const USUAL_POOL = 30;

/** The fewest connections that reactors run with: one may hold a connection for its transaction and ask by another. */
const SMALLEST_POOL = 10;

/** Throws ConfigError where a reactor cannot run with these settings, the pool is too small for all of them, or others have other keys. */
export async function startReactorsOf(
  areas: readonly Area[],
  app: App,
  config: Config,
  log: ReactorLog,
): Promise<{ stop(): Promise<void> }> {
  const declared = areas.flatMap(({ reactors }) => reactors);
  const reactors = runningReactors(app, declared);
  await agreeOnKeys(app);
  for (const { fault } of reactors) {
    const told = await fault?.(app);
    if (told) throw new ConfigError(told);
  }
  if (config.DATABASE_POOL !== undefined && config.DATABASE_POOL < SMALLEST_POOL)
    throw new ConfigError(
      `DATABASE_POOL is at least ${SMALLEST_POOL}: calls, projections and ${reactors.length} reactors share these connections`,
    );
  return startReactors(app, reactors, log);
}
