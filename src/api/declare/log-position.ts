/**
 * How much of the log an answer knows: `Log-Position` says where what a call appended stands, and `Min-Log-Position` that an answer has to
 * know of it, whichever copy of the database it is read from.
 */
import { MAIN_LOG } from "../../../eventstore/types.ts";
import { type App, withParts } from "../../core/app.ts";
import { refuse } from "../../core/model/refusal.ts";
import type { FreshReader } from "../../core/read-models/readers.ts";
import { replayProblems } from "../../domain/replay/problems.ts";
import type { Caller } from "./caller.ts";
import type { Operation } from "./operation.ts";
import { readsOf } from "./operation-facts.ts";

/** What of a call says where it may be read. */
type Reading = { app: App; operation: Operation; caller: Caller; min_position: number };

/** `<epoch>.<position>`: a position says nothing of another log. */
export async function logPositionOf({ store }: App, position: number): Promise<string> {
  return `${(await store.identity(MAIN_LOG)).epoch}.${position}`;
}

/** The position that a reading call asks for, 0 where it asks for none; others know the whole log. One of another history is a conflict: the caller saw events that this log does not have. */
export async function wantedPosition(
  { store }: App,
  operation: Operation,
  text: string | undefined,
): Promise<number> {
  if (text === undefined || !readsOf(operation)) return 0;
  const [, epoch, digits] = /^([0-9A-Za-z-]{1,64})\.(\d{1,15})$/.exec(text) ?? [];
  if (epoch === undefined)
    refuse("invalid", "invalid Min-Log-Position", {
      errors: [{ path: "Min-Log-Position", message: "is a complete Log-Position from an answer" }],
    });
  const position = Number(digits);
  const own = await store.identity(MAIN_LOG);
  if (epoch !== own.epoch)
    refuse(
      replayProblems["history-diverged"],
      `Min-Log-Position is of another log: this one has the epoch ${own.epoch}`,
    );
  const head = await store.head(MAIN_LOG);
  if (position > head.position)
    refuse(
      replayProblems["history-diverged"],
      `Min-Log-Position lies beyond the head of the log, ${head.position}: the log has lost its end. First compare with your copy.`,
    );
  return position;
}

/**
 * Has a call answered from a copy of the database where it only reads and one has what it has to know; else, and where that fails or
 * refuses, from the database itself. A refusal may rest on what the copy lacks.
 */
export async function fromCopy<T, Context extends { app: App }>(
  call: Reading,
  context: Context,
  handle: (context: Context) => Promise<T>,
): Promise<T> {
  const reader = await readerFor(call);
  const here = async () => {
    await knowing(call);
    return handle(context);
  };
  return reader ? reader.whileServing(handle(over(reader, context))).catch(here) : here();
}

/** The same for a stream, which is cut where its copy is left out in the midst: whoever reads it goes on from its last cursor. */
export async function streamFromCopy<T, Context extends { app: App }>(
  call: Reading,
  context: Context,
  handle: (context: Context) => Promise<AsyncIterable<T>>,
): Promise<AsyncIterable<T>> {
  const reader = await readerFor(call);
  if (!reader) return handle(context);
  return reader.whileServing(handle(over(reader, context))).then(
    (chunks) => cutWithReader(chunks, reader),
    () => handle(context),
  );
}

/** How long a read model of the primary is waited for by who says what it has to know. */
const PATIENCE_MS = 2_000;

/** A list of the primary answers with what it knows, unless the caller said how much that has to be. */
async function knowing({ app: { runner }, operation, min_position }: Reading): Promise<void> {
  const reads = readsOf(operation);
  if (min_position === 0 || !reads || reads === "log") return;
  if (!(await runner.reached(reads, min_position, PATIENCE_MS)))
    refuse("unavailable", "the list has not reached Min-Log-Position yet; retry, or omit it", {
      retry_after_s: 1,
    });
}

async function readerFor({ app: { readers }, operation, caller, min_position }: Reading) {
  const reads = readsOf(operation);
  return reads && readers.fresh(reads, Math.max(min_position, readers.newestOf(caller.tenant)));
}

const over = <Context extends { app: App }>({ parts }: FreshReader, context: Context): Context => ({
  ...context,
  app: withParts(context.app, parts),
});

async function* cutWithReader<T>(chunks: AsyncIterable<T>, reader: FreshReader): AsyncGenerator<T> {
  const each = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await reader.whileServing(each.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: it may wait for a server that says nothing.
    each.return?.().catch(() => undefined);
  }
}
