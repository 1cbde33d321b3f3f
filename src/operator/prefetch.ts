/** Work on one thing while the next are already under way. */

/**
 * Runs `work` on each item and yields the results in order, up to `depth` items ahead of the consumer. A rejection
 * ends it; work in progress is awaited when the consumer stops.
 */
export async function* ahead<Item, Result>(
  items: AsyncIterable<Item>,
  depth: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const source = items[Symbol.asyncIterator]();
  const begun: Promise<{ result: Result } | undefined>[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const begin = () => {
    const next = last.then(async () => {
      const item = await source.next();
      return item.done ? undefined : { result: await work(item.value) };
    });
    // Its error is handled when it is consumed.
    next.catch(() => undefined);
    last = next;
    begun.push(next);
  };
  try {
    for (let count = 0; count <= depth; count++) begin();
    for (;;) {
      const taken = await begun.shift()!;
      if (!taken) return;
      begin();
      yield taken.result;
    }
  } finally {
    await Promise.allSettled(begun);
    await source.return?.();
  }
}

export async function* each<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
