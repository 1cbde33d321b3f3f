/** Pages of a list, newest first. */
import { z } from "zod";
import { limit, positionCursor } from "../../core/model/fields.ts";

/** The input of a list by falling log position. */
export const pageInput = { limit: limit("How many to list"), cursor: positionCursor };

/** The answer's `next_cursor`: the `cursor` of the next page, null on the last. */
export const nextCursor = z.string().nullable();

/** The log position below which a page begins; null: the first page. */
export const before = (cursor: string | undefined): number | null =>
  cursor === undefined ? null : Number(cursor);

/** A page of at most `limit` rows, and the cursor after it. `rows` have one more where another page follows. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => string,
): { page: Row[]; next_cursor: string | null } {
  const page = rows.slice(0, limit);
  return { page, next_cursor: rows.length > limit ? cursorOf(page.at(-1)!) : null };
}

/** Reads one row more than the page has, which shows that another page follows. */
export async function readPage<Row extends { position: number }>(
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  read: (of: { limit: number; before: number | null }) => Promise<readonly Row[]>,
): Promise<{ page: Row[]; next_cursor: string | null }> {
  const rows = await read({ limit: limit + 1, before: before(cursor) });
  return pageOf(rows, limit, ({ position }) => String(position));
}
