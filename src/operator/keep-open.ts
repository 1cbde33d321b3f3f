/** Keeps open in a process what the log says is current: the vintages of trade data and the tables beside them. */
import type { App } from "../app.ts";
import { currentReferences, referenceProjection } from "../projections/reference/releases.ts";
import { currentReleases, releasesProjection } from "../projections/trade/releases.ts";

/** How long a vintage that is missing or was withdrawn may wait before it is looked for again. */
const LOOK_AGAIN_MS = 5_000;
const PAUSE_MS = 200;

/**
 * Serves the current vintage of every dataset, each new one as soon as the log tells of it, and one whose files were
 * mended soon after.
 */
export async function keepDataOpen(
  app: App,
  signal: AbortSignal,
  onError: (dataset: string, error: Error) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { position } = await app.store.head();
      await openCurrent(app, onError);
      await app.tail.reached(position + 1, LOOK_AGAIN_MS, signal);
    } catch (error) {
      onError("all", error as Error);
    }
    // While commands pour in the log grows all the time; looking now and then is enough.
    await app.tail.reached(Number.MAX_SAFE_INTEGER, PAUSE_MS, signal);
  }
}

type OnError = (dataset: string, error: Error) => void;
type Current = { dataset: string; vintage: string };
/** Where vintages are served from. */
type Shelf = { open(): { vintage: string }[]; serve(vintage: string): Promise<unknown> };

async function openCurrent(app: App, onError: OnError): Promise<void> {
  await app.caughtUp(releasesProjection);
  await app.caughtUp(referenceProjection);
  await open(app.reference, await currentReferences(app.pool), onError);
  // Invented figures come last: they must not answer for real ones that are only still to be opened.
  const releases = (await currentReleases(app.pool)).toSorted((a, b) => +a.synthetic - +b.synthetic);
  app.vintage_store.expect(releases);
  await open(app.vintage_store, releases, onError);
}

async function open(shelf: Shelf, current: Current[], onError: OnError): Promise<void> {
  for (const { dataset, vintage } of current) {
    if (shelf.open().some((served) => served.vintage === vintage)) continue;
    await shelf.serve(vintage).catch((error: Error) => onError(dataset, error));
  }
}
