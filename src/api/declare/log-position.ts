/**
 * `Log-Position` names the position of what a call appended. `Min-Log-Position` requires an answer to include that position,
 * whichever copy of the database serves it.
 */
import { MAIN_LOG } from "../../../eventstore/types.ts";
import { type App, withParts } from "../../core/app.ts";
import { refuse } from "../../core/model/refusal.ts";
import type { FreshReader } from "../../core/read-models/readers.ts";
import { replayProblems } from "../../domain/replay/problems.ts";
import type { Caller } from "./caller.ts";
import type { Operation } from "./operation.ts";
import { readsOf } from "./operation-facts.ts";

type Reading = { app: App; operation: Operation; caller: Caller; min_position: number };

/** `<epoch>.<position>`: the epoch identifies the log. */
export async function logPositionOf({ store }: App, position: number): Promise<string> {
  return `${(await store.identity(MAIN_LOG)).epoch}.${position}`;
}

/** 0 without a header. A position of another history is a conflict: the caller saw events that this log lacks. */
export async function wantedPosition(
  { store }: App,
  operation: Operation,
  text: string | undefined,
): Promise<number> {
  if (text === undefined || !readsOf(operation)) return 0;
  const [, epoch, digits] = /^([0-9A-Za-z-]{1,64})\.(\d{1,15})$/.exec(text) ?? [];
  if (epoch === undefined)
    refuse("invalid", "invalid Min-Log-Position", {
      errors: [{ path: "Min-Log-Position", message: "is what Log-Position of an answer said, whole" }],
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
      `Min-Log-Position lies beyond the head of the log, ${head.position}: the log has lost its end. Compare with what you kept before going on.`,
    );
  return position;
}

/**
 * Uses a copy of the database if it is fresh enough. On a failure or refusal the primary answers: the copy may lack the reason.
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

/** The stream ends when its copy is left out; the reader continues from its last cursor. */
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

const PATIENCE_MS = 2_000;

/** The primary's list answers without waiting, unless the caller named a position. */
async function knowing({ app: { runner }, operation, min_position }: Reading): Promise<void> {
  const reads = readsOf(operation);
  if (min_position === 0 || !reads || reads === "log") return;
  if (!(await runner.reached(reads, min_position, PATIENCE_MS)))
    refuse(
      "unavailable",
      "the list has not reached Min-Log-Position yet; ask again, or without it for what is known",
      {
        retry_after_s: 1,
      },
    );
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
    // Not awaited: the server may never answer.
    each.return?.().catch(() => undefined);
  }
}
