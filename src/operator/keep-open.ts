/** Keeps the current data open in a process: the trade vintages and the reference tables. */
import type { App } from "../core/app.ts";
import { pause } from "../core/coordination/concurrency.ts";
import { currentReferences, referenceProjection } from "../projections/reference/releases.ts";
import { currentReleases, releasesProjection } from "../projections/trade/releases.ts";

/** The pause before a missing or withdrawn vintage is looked for again. */
const LOOK_AGAIN_MS = 5_000;
const PAUSE_MS = 200;

/** Serves every dataset's current vintage: each new one once the log has it, and repaired files soon after. */
export async function keepDataOpen(
  app: App,
  signal: AbortSignal,
  onError: (dataset: string, error: Error) => void,
): Promise<void> {
  app.data.reference.expect("unknown");
  // An opening that the end of the process cuts off is no fault to report.
  const tell: OnError = (dataset, error) => signal.aborted || onError(dataset, error);
  while (!signal.aborted) {
    const { position } = app.tail;
    try {
      const isServed = await openCurrent(app, tell);
      // The files are looked at again and again, the database only for news or for what is missing.
      while (!(await app.tail.grown(position + 1, LOOK_AGAIN_MS, signal)) && isServed() && !signal.aborted);
    } catch (error) {
      tell("all", error as Error);
    }
    // The log grows all the time under load, so an occasional check is enough.
    await pause(PAUSE_MS, signal);
  }
}

type OnError = (dataset: string, error: Error) => void;

/** Opens the current data once. The result says whether all of it is still open. */
export async function openCurrent(app: App, onError: OnError): Promise<() => boolean> {
  const areReleasesKnown = await app.caughtUp(releasesProjection);
  const areReferencesKnown = await app.caughtUp(referenceProjection);
  const current = await currentReferences(app.pool);
  if (areReferencesKnown) app.data.reference.expect(current.map(({ dataset }) => dataset));
  const tables = current.filter(isNotIn(app.data.reference));
  await app.data.reference.serveTogether(
    tables.map(({ vintage }) => vintage),
    (failed, error) => onError(tables.find(({ vintage }) => vintage === failed)!.dataset, error),
  );
  // Synthetic data come last: they must not answer while real data are still to be opened.
  const releases = (await currentReleases(app.pool)).toSorted((a, b) => +a.synthetic - +b.synthetic);
  app.vintage_store.expect(releases.map((release) => ({ ...release, released: true })));
  for (const { dataset, vintage } of releases.filter(isNotIn(app.data.vintages)))
    await app.vintage_store.serve(vintage).catch((error: Error) => onError(dataset, error));
  return () =>
    areReleasesKnown &&
    areReferencesKnown &&
    !current.some(isNotIn(app.data.reference)) &&
    !releases.some(isNotIn(app.data.vintages));
}

type VintageRef = { vintage: string };

const isNotIn = (shelf: { open(): VintageRef[] }) => {
  const open = new Set(shelf.open().map(({ vintage }) => vintage));
  return ({ vintage }: VintageRef) => !open.has(vintage);
};
