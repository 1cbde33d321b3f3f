/** How long services that tests start wait, so that a busy machine makes no test see what is old, or be told that nobody had time. */

import type { App } from "../../src/core/app.ts";
import { type Config, readConfig } from "../../src/runtime/config.ts";
import { replace } from "./replace.ts";

/** Settings of those services, where the test says nothing else. */
export const PATIENT = { READ_WAIT_MS: "20000", DATABASE_WAIT_MS: "60000", LEAVE_SECONDS: "600" };

/** Does the work while reads of this app wait as briefly as they usually do: for tests of what is answered while read models lag. */
export async function impatiently<T>(app: App, work: () => Promise<T>): Promise<T> {
  const { settings } = app;
  replace(app, { settings: { ...settings, read_wait_ms: 250 } });
  try {
    return await work();
  } finally {
    replace(app, { settings });
  }
}

/** The settings as `readConfig` reads them, of a program that waits as long as those services do. */
export const patientConfig = (env: Parameters<typeof readConfig>[0]): Config =>
  readConfig({ ...PATIENT, ...env });
