import type { z } from "zod";
import type { Chart, Provenance } from "../../core/model/chart.ts";
import type { Doc } from "../../core/model/doc.ts";
import { type RowsPath, type SourcedAnswer, type Table, tableAt } from "./forms/table.ts";

/** The kinds of answers. All but `stream` are complete before the first byte is sent. */
export type Output =
  | {
      kind: "json";
      schema: z.ZodObject;
      table?: Table;
      chart?: (answer: never) => Chart;
      pages?: (answer: never) => Doc;
    }
  | { kind: "bytes"; media_type: BytesType; about: string }
  | { kind: "file"; media_type: string; about: string }
  | { kind: "picture"; about: string }
  | { kind: "stream"; item: z.ZodType; last: z.ZodType; is_bounded: boolean };

export type BytesType = "text/plain; charset=utf-8" | "application/octet-stream" | "application/vc+jwt";

/**
 * Under /v1/agent it is `{ data, meta }`, sent as `{ success: true, data, meta }`. `table` adds CSV and Parquet, `chart` a
 * picture, `pages` Markdown, HTML and PDF.
 */
export function json(schema: z.ZodObject): Output;
export function json<Schema extends z.ZodObject<{ data: z.ZodType; meta: z.ZodType<SourcedAnswer["meta"]> }>>(
  schema: Schema,
  forms: {
    table?: RowsPath | { row: z.ZodType; rows: (answer: z.output<Schema>) => readonly object[] };
    chart?: (answer: z.output<Schema>) => Chart;
    pages?: (answer: z.output<Schema>) => Doc;
  },
): Output;
export function json(
  schema: z.ZodObject,
  forms: { table?: RowsPath | Table; chart?: (answer: never) => Chart; pages?: (answer: never) => Doc } = {},
): Output {
  const { table, chart, pages } = forms;
  return {
    kind: "json",
    schema,
    ...(table && { table: typeof table === "string" ? tableAt(schema, table) : table }),
    ...(chart && { chart }),
    ...(pages && { pages }),
  };
}

export const text = (about: string): Output => ({
  kind: "bytes",
  media_type: "text/plain; charset=utf-8",
  about,
});

export const octets = (about: string): Output => ({
  kind: "bytes",
  media_type: "application/octet-stream",
  about,
});

export const jwt = (media_type: "application/vc+jwt", about: string): Output => ({
  kind: "bytes",
  media_type,
  about,
});

/** A file that is too large for memory, served with ranges. `handle` resolves to a ServedFile. */
export const file = (media_type: string, about: string): Output => ({ kind: "file", media_type, about });

export type ServedFile = { path: string; name: string; bytes: number; sha256: string };

/** A picture, as PNG or SVG by the Accept header. `handle` resolves to a Picture. */
export const picture = (about: string): Output => ({ kind: "picture", about });

export type Picture = { chart: Chart; meta: Provenance };

/**
 * `handle` refuses, or resolves to an iterable of framed text, whose chunks may end anywhere. A later error only cuts
 * the connection. `is_bounded`: the stream ends where `bought` says, so it can be repeated for its payment.
 */
export const stream = (item: z.ZodType, last: z.ZodType, { is_bounded = false } = {}): Output => ({
  kind: "stream",
  item,
  last,
  is_bounded,
});

export type Wire = "ndjson" | "sse";
