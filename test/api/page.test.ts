import { expect, test } from "vitest";
import { readPage } from "../../src/api/declare/page.ts";

const LENGTH = 6;
const all = Array.from({ length: LENGTH }, (_, at) => ({ position: 10 * (LENGTH - at) }));

const read = async ({ limit, before }: { limit: number; before: number | null }) =>
  all.filter(({ position }) => before === null || position < before).slice(0, limit);

test.each([1, 2, 3, 4, 6, 7])(
  "pages of %i rows show each row once, and only the last has no cursor",
  async (limit) => {
    const shown: number[] = [];
    const sizes: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { page, next_cursor } = await readPage({ limit, cursor }, read);
      shown.push(...page.map(({ position }) => position));
      sizes.push(page.length);
      cursor = next_cursor;
    }
    expect(shown).toEqual(all.map(({ position }) => position));
    expect(sizes).toHaveLength(Math.ceil(LENGTH / limit));
  },
);
