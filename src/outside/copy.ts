/** Prepares the log for its external copy, and measures how far the copy matches. */
import { MAIN_LOG } from "../../eventstore/types.ts";
import { storedPages } from "../../eventstore/verify/stored-rows.ts";
import type { App } from "../core/app.ts";
import type { CopiedEvent, OutsideLog } from "../core/model/ports/outside-log.ts";
import { copyOf, differenceOf } from "../domain/outside/copied-event.ts";

/** Events per append; the store accepts about a megabyte at once. */
const MOST_EVENTS = 500;
const MOST_BYTES = 1_000_000;

/** The log after a position, in batches of one append each. */
export async function* batchesAfter(app: App, after: number, to: number): AsyncGenerator<CopiedEvent[]> {
  const { origin } = await app.store.identity();
  for await (const page of storedPages(app.pool, { log_id: MAIN_LOG, after, to }))
    yield* batchesOf(page.map((row) => copyOf(row, origin)));
}

function* batchesOf(events: readonly CopiedEvent[]): Generator<CopiedEvent[]> {
  let batch: CopiedEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const size =
      event.payload.length + Buffer.byteLength(JSON.stringify(event.metadata)) + 2 * event.type.length;
    if (batch.length > 0 && (batch.length === MOST_EVENTS || bytes + size > MOST_BYTES)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(event);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** The copy's progress by its newest event, or why it is not a copy of this log. */
export async function copyStatusOf(
  app: App,
  outside: OutsideLog,
): Promise<{ at: number } | { reason: string }> {
  const newest = await outside.newest();
  if (!newest) return { at: 0 };
  const { event, revision } = newest;
  const { position } = event.metadata;
  if (!Number.isSafeInteger(position) || position < 1)
    return { reason: `the newest event at ${outside.host} says no position` };
  if (revision !== position - 1)
    return { reason: `the copy at ${outside.host} has position ${position} at revision ${revision}` };
  const { origin } = await app.store.identity();
  const range = { log_id: MAIN_LOG, after: position - 1, to: position };
  const [own] = (await storedPages(app.pool, range).next()).value ?? [];
  if (!own) return { reason: `the copy at ${outside.host} has position ${position}, which the log has not` };
  const differs = differenceOf(event, copyOf(own, origin));
  return differs === undefined
    ? { at: position }
    : { reason: `the copy at ${outside.host} has another ${differs} at position ${position}` };
}

/** The first difference between copy and log; without one, how many events match and how many the copy lacks. */
export async function compareOutside(
  app: App,
  outside: OutsideLog,
  progress: (position: number) => void = () => undefined,
): Promise<{ same: number; missing: number } | { position: number; differs: string }> {
  const { origin } = await app.store.identity();
  let same = 0;
  let rows = rowsAfter(app, same);
  for await (const found of outside.read()) {
    let next = await rows.next();
    if (next.done) {
      // Log and copy may have grown during the comparison.
      rows = rowsAfter(app, same);
      next = await rows.next();
    }
    const differs = next.done
      ? "existence: the log has no such event"
      : differenceOf(found, copyOf(next.value, origin));
    if (differs !== undefined) return { position: same + 1, differs };
    progress(++same);
  }
  const { position } = await app.store.head();
  return { same, missing: position - same };
}

async function* rowsAfter({ pool }: App, after: number) {
  const range = { log_id: MAIN_LOG, after, to: Number.MAX_SAFE_INTEGER };
  for await (const page of storedPages(pool, range)) yield* page;
}
