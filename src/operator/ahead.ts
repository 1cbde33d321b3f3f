/** Work on one thing while the next are already under way. */

/**
 * Does `work` on one item after another and yields what came of each, in order, up to `depth` items ahead of whoever takes
 * them. A rejection ends it; what is under way when nobody takes any more is waited for.
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
    // It is looked at when its turn comes.
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
