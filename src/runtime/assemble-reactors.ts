import type { Area } from "../areas/area.ts";
import type { App } from "../core/app.ts";
import { type ReactorLog, runningReactors, startReactors } from "../core/background/reactor.ts";
import { type Config, ConfigError } from "./config.ts";
import { agreeOnKeys } from "./shared-keys.ts";

/** The default pool size: most for calls, a share for folds, the rest for reactors. */
export const USUAL_POOL = 30;

/** A reactor may hold a connection for its transaction and query by another. */
const SMALLEST_POOL = 10;

/** Throws ConfigError on unfit settings, a small pool, or keys that other processes do not have. */
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
    const reason = await fault?.(app);
    if (reason) throw new ConfigError(reason);
  }
  if (config.DATABASE_POOL !== undefined && config.DATABASE_POOL < SMALLEST_POOL)
    throw new ConfigError(
      `DATABASE_POOL is at least ${SMALLEST_POOL}: calls, projections and ${reactors.length} reactors share these connections`,
    );
  return startReactors(app, reactors, log);
}
