/** Longer waits for services of tests, so that a busy machine causes neither stale answers nor timeouts. */

import type { App } from "../../src/core/app.ts";
import { type Config, readConfig } from "../../src/runtime/config.ts";
import { replace } from "./replace.ts";

/** Those services' settings, unless the test overrides them. */
export const PATIENT = { READ_WAIT_MS: "20000", DATABASE_WAIT_MS: "60000", LEAVE_SECONDS: "600" };

/** Runs the work while this app's reads wait as briefly as normal, for tests of lagging read models. */
export async function impatiently<T>(app: App, work: () => Promise<T>): Promise<T> {
  const { settings } = app;
  replace(app, { settings: { ...settings, read_wait_ms: 250 } });
  try {
    return await work();
  } finally {
    replace(app, { settings });
  }
}

/** Settings from `readConfig` for a program that waits as long as those services. */
export const patientConfig = (env: Parameters<typeof readConfig>[0]): Config =>
  readConfig({ ...PATIENT, ...env });
