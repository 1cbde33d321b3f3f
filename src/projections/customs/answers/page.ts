/** Pages of a list that stays the same while its table does: the cursor, and a check that it belongs to this list. */
import { z } from "zod";
import { refuseWith } from "../../../core/model/refusal.ts";

export const cursor = z
  .string()
  .regex(/^[0-9a-f]{12}-\d{1,7}$/, "cursor is the next_cursor of the previous page")
  .describe("The `next_cursor` of the previous page; omitted = the first page");

export const pageMeta = {
  count: z.int().describe("Number of lines on this page"),
  total: z.int().describe("Total number of lines on all pages"),
  next_cursor: z
    .string()
    .nullable()
    .describe("Send it as `cursor` to get the next page; null: this is the last"),
};

/** A page of a list out of a vintage; refused where the cursor is of another vintage. */
export function pageOf<Row>(
  rows: readonly Row[],
  { vintage }: { vintage: string },
  { limit, cursor }: { limit: number; cursor?: string | undefined },
) {
  const [of, place] = cursor?.split("-") ?? [];
  const state = vintage.slice(0, 12);
  if (of !== undefined && of !== state) {
    const message = "cursor belongs to an earlier vintage of the table; start again without it";
    refuseWith("cursor", message);
  }
  const from = Number(place ?? 0);
  const shown = rows.slice(from, from + limit);
  const next = from + limit < rows.length ? `${state}-${from + limit}` : null;
  return { shown, about: { count: shown.length, total: rows.length, next_cursor: next } };
}
