import { missingData } from "../api/describe/missing-data.ts";
import type { App } from "../core/app.ts";
import { pause } from "../core/coordination/concurrency.ts";
import { referenceProjection } from "../projections/reference/releases.ts";
import { releasesProjection } from "../projections/trade/releases.ts";

const LOOK_AGAIN_MS = 100;

/** Waits until this process has opened all released data, or the signal aborts; a release is in the log before that. */
export async function dataOpened(app: App, signal: AbortSignal): Promise<void> {
  // A database that is unavailable for a moment is queried again.
  while (!signal.aborted && !(await isOpened(app).catch(() => false))) await pause(LOOK_AGAIN_MS, signal);
}

async function isOpened(app: App): Promise<boolean> {
  const isCurrent = (await app.caughtUp(releasesProjection)) && (await app.caughtUp(referenceProjection));
  return isCurrent && (await missingData(app)).length === 0;
}
