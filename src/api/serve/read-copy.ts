import { type App, withParts } from "../../core/app.ts";
import { refuse } from "../../core/model/refusal.ts";
import type { FreshReader } from "../../core/read-models/readers.ts";
import type { Caller } from "../declare/caller.ts";
import type { Operation } from "../declare/operation.ts";
import { readsOf } from "../declare/operation-facts.ts";

type CopyRead = { app: App; operation: Operation; caller: Caller; min_position: number };

/**
 * Answers from a copy of the database if it is fresh enough. After a failure or refusal, the primary answers, because
 * the copy may lack the newest data.
 */
export async function fromCopy<T, Context extends { app: App }>(
  call: CopyRead,
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

/** Streams from a copy. The stream ends if the copy is left out; the reader continues from its last cursor. */
export async function streamFromCopy<T, Context extends { app: App }>(
  call: CopyRead,
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

/** Waits until the primary's list includes the position that the caller named. Without one, it does not wait. */
async function knowing({ app: { runner }, operation, min_position }: CopyRead): Promise<void> {
  const reads = readsOf(operation);
  if (min_position === 0 || !reads || reads === "log") return;
  if (!(await runner.reached(reads, min_position, PATIENCE_MS)))
    refuse("unavailable", "the list has not reached Min-Log-Position yet; retry, or omit it", {
      retry_after_s: 1,
    });
}

async function readerFor({ app: { readers }, operation, caller, min_position }: CopyRead) {
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
    // Not awaited, because a silent server would never answer.
    each.return?.().catch(() => undefined);
  }
}
