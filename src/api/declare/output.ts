/** The kinds of answers, and how each is declared. */
import type { z } from "zod";
import type { Chart, Provenance } from "../../core/model/chart.ts";
import type { Doc } from "../../core/model/doc.ts";
import { type Marked, type Place, type Table, tableAt } from "./forms/table.ts";

/** What an answer looks like. Everything but `stream` is complete before a byte is sent. */
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
 * A JSON object. Under /v1/agent it is `{ data, meta }` and travels as `{ success: true, data, meta }`. With `table`, the rows of the
 * answer or where they stand in it, it can be had as CSV and Parquet too, with `chart` as a picture, and with `pages` as a document:
 * Markdown, HTML and PDF.
 */
export function json(schema: z.ZodObject): Output;
export function json<Schema extends z.ZodObject<{ data: z.ZodType; meta: z.ZodType<Marked["meta"]> }>>(
  schema: Schema,
  forms: {
    table?: Place | { row: z.ZodType; rows: (answer: z.output<Schema>) => readonly object[] };
    chart?: (answer: z.output<Schema>) => Chart;
    pages?: (answer: z.output<Schema>) => Doc;
  },
): Output;
export function json(
  schema: z.ZodObject,
  forms: { table?: Place | Table; chart?: (answer: never) => Chart; pages?: (answer: never) => Doc } = {},
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

/** A text as it stands, of which `about` says what it is; `handle` resolves to its bytes in UTF-8. */
export const text = (about: string): Output => ({
  kind: "bytes",
  media_type: "text/plain; charset=utf-8",
  about,
});

/** Bytes of a form that `about` names; `handle` resolves to a Buffer. */
export const octets = (about: string): Output => ({
  kind: "bytes",
  media_type: "application/octet-stream",
  about,
});

/** A compact JWS of this media type, of which `about` says what its payload is; `handle` resolves to its bytes. */
export const jwt = (media_type: "application/vc+jwt", about: string): Output => ({
  kind: "bytes",
  media_type,
  about,
});

/** A file of the service's own, too large for memory, sent with ranges; `handle` resolves to a ServedFile. */
export const file = (media_type: string, about: string): Output => ({ kind: "file", media_type, about });

/** A file as it is sent: where it lies, the name it is saved under, its length and its digest, which is its ETag. */
export type ServedFile = { path: string; name: string; bytes: number; sha256: string };

/** A picture, as PNG or SVG by Accept, of which `about` says what it shows; `handle` resolves to a Picture. */
export const picture = (about: string): Output => ({ kind: "picture", about });

/** A chart and what its figures rest on, which is drawn below it. */
export type Picture = { chart: Chart; meta: Provenance };

/**
 * A sequence of JSON objects, sent as they come. `handle` refuses before it resolves to an AsyncIterable of framed text, in
 * chunks that may end anywhere; what that throws can only cut the connection. `is_bounded`: its handler ends it as `bought` says, so
 * that it can be given again for its payment; any other stream is bought once.
 */
export const stream = (item: z.ZodType, last: z.ZodType, { is_bounded = false } = {}): Output => ({
  kind: "stream",
  item,
  last,
  is_bounded,
});

/** How a stream travels: server-sent events where the caller accepts those, else one JSON object a line. */
export type Wire = "ndjson" | "sse";
