/** Keeps the current data open in a process: the trade vintages and the reference tables. */
import type { App } from "../core/app.ts";
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
  while (!signal.aborted) {
    try {
      const { position } = await app.store.head();
      await openCurrent(app, onError);
      await app.tail.reached(position + 1, LOOK_AGAIN_MS, signal);
    } catch (error) {
      onError("all", error as Error);
    }
    // The log grows all the time under load, so an occasional check is enough.
    await app.tail.reached(Number.MAX_SAFE_INTEGER, PAUSE_MS, signal);
  }
}

type OnError = (dataset: string, error: Error) => void;

/** Opens the current data once. */
export async function openCurrent(app: App, onError: OnError): Promise<void> {
  await app.caughtUp(releasesProjection);
  const isTold = await app.caughtUp(referenceProjection);
  const current = await currentReferences(app.pool);
  if (isTold) app.data.reference.expect(current.map(({ dataset }) => dataset));
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
}

type VintageRef = { vintage: string };

const isNotIn = (shelf: { open(): VintageRef[] }) => {
  const open = new Set(shelf.open().map(({ vintage }) => vintage));
  return ({ vintage }: VintageRef) => !open.has(vintage);
};
