/** An answer as rows and columns: what CSV and Parquet are written from. */
import { z } from "zod";
import type { Provenance } from "../../../core/model/chart.ts";
import type { Cell, Column, Sheet } from "../../../core/model/sheet.ts";
import type { JsonSchema } from "../json-schema.ts";

/** The answers that can be had in other forms than JSON: what their figures rest on stands in `meta`. */
export type Marked = { meta: Provenance };

/** The rows of an answer, and the schema of a row. */
export type Table = { row: z.ZodType; rows: (answer: never) => readonly object[] };

/** `"data.months"`: the array of objects at this place of an answer. */
export type Place = "data" | `data.${string}`;

/** A column and where its values stand in a row. */
type Found = Column & { path: string[]; optional: boolean };

/** The table at a place of an answer. Throws at start for a place that holds no array of objects. */
export function tableAt(schema: z.ZodObject, place: Place): Table {
  const path = place.split(".");
  let found: unknown = schema;
  for (const name of path) found = found instanceof z.ZodObject ? found.shape[name] : undefined;
  if (!(found instanceof z.ZodArray)) throw new Error(`${place} is no array`);
  return {
    row: found.element as z.ZodType,
    rows: (answer: object) => path.reduce<unknown>((value, name) => member(value, name), answer) as object[],
  };
}

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** Every row ends with what its figures rest on, so that it can be told apart wherever it is copied. */
const marksOf = ({ dataset, vintage, synthetic, coverage }: Provenance): (Column & { value: Cell })[] => [
  ...(coverage
    ? [{ name: "products_complete", type: "boolean" as const, value: coverage.products.complete }]
    : []),
  { name: "dataset", type: "text", value: dataset },
  { name: "vintage", type: "text", value: vintage },
  { name: "synthetic", type: "boolean", value: synthetic },
];

/** An answer's rows with nested objects flattened by dots. A column that may be absent, and is in every row, is left out. */
export function sheetOf({ row, rows }: Table, answer: Marked): Sheet {
  const found = rows(answer as never);
  const columns = columnsOf(row).filter(
    ({ path, optional }) =>
      !optional || found.length === 0 || found.some((one) => path.reduce(member, one) !== undefined),
  );
  const marks = marksOf(answer.meta).filter(({ name }) => columns.every((column) => column.name !== name));
  return {
    columns: [...columns, ...marks].map(({ name, type }) => ({ name, type })),
    rows: found.map((one) => [
      ...columns.map((column) => cellOf(path(one, column), column)),
      ...marks.map(({ value }) => value),
    ]),
  };
}

const path = (row: object, column: Found): unknown => column.path.reduce<unknown>(member, row);

const known = new WeakMap<z.ZodType, Found[]>();

function columnsOf(row: z.ZodType): Found[] {
  let columns = known.get(row);
  if (!columns) {
    columns = flattened(
      // Without their ids, for a column is looked for where a row has it.
      z.toJSONSchema(row, { io: "output", unrepresentable: "any", metadata: z.registry() }) as JsonSchema,
      [],
      false,
    );
    known.set(row, columns);
  }
  return columns;
}

/** The columns below a schema; alternatives together have the columns of each. */
function flattened(schema: JsonSchema, path: string[], optional: boolean): Found[] {
  const options = (schema.anyOf ?? [schema]).filter(({ type }) => type !== "null");
  if (options.length === 0 || !options.every(({ properties }) => properties))
    return [{ name: path.join("."), path, optional, type: typeOf(options) }];
  const isRequired = (name: string) => options.every(({ required }) => required?.includes(name));
  const found = options.flatMap(({ properties }) =>
    Object.entries(properties!).flatMap(([name, property]) =>
      flattened(property, [...path, name], optional || !isRequired(name)),
    ),
  );
  return [...new Map(found.toReversed().map((column) => [column.name, column])).values()].toReversed();
}

function typeOf(options: JsonSchema[]): Column["type"] {
  const types = new Set(options.flatMap(({ type }) => type ?? []));
  types.delete("null");
  const all = [...types].sort().join();
  if (all === "integer,number") return "number";
  return all === "integer" || all === "number" || all === "boolean" ? all : "text";
}

/** A list of plain values is joined by spaces; what has a structure of its own stays JSON. */
function cellOf(value: unknown, { type }: Column): Cell {
  if (value === undefined || value === null) return null;
  if (type !== "text") return value as Cell;
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(" ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
