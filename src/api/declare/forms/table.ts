import { z } from "zod";
import type { Provenance } from "../../../core/model/chart.ts";
import type { Cell, Column, Sheet } from "../../../core/model/sheet.ts";
import type { JsonSchema } from "../json-schema.ts";

export type SourcedAnswer = { meta: Provenance };

export type Table = { row: z.ZodType; rows: (answer: never) => readonly object[] };

/** The path of an array of objects in the answer, such as "data.months". */
export type RowsPath = "data" | `data.${string}`;

type TableColumn = Column & { path: string[]; optional: boolean };

export function tableAt(schema: z.ZodObject, place: RowsPath): Table {
  const path = place.split(".");
  let found: unknown = schema;
  for (const name of path) found = found instanceof z.ZodObject ? found.shape[name] : undefined;
  if (!(found instanceof z.ZodArray)) throw new Error(`${place} is not an array`);
  return {
    row: found.element as z.ZodType,
    rows: (answer: object) => path.reduce<unknown>((value, name) => member(value, name), answer) as object[],
  };
}

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** Every row has its source, so that copied rows stay identifiable. */
const marksOf = (
  { dataset, vintage, synthetic, coverage, incomplete }: Provenance,
  columns: readonly TableColumn[],
): (Column & { value: Cell })[] => [
  // A row with a month or year of its own says itself whether that is complete.
  ...(incomplete && columns.every(({ name }) => name !== "complete")
    ? [{ name: "months_complete", type: "boolean" as const, value: incomplete.length === 0 }]
    : []),
  ...(coverage
    ? [{ name: "products_complete", type: "boolean" as const, value: coverage.products.complete }]
    : []),
  { name: "dataset", type: "text", value: dataset },
  { name: "vintage", type: "text", value: vintage },
  { name: "synthetic", type: "boolean", value: synthetic },
];

/** Nested objects become columns with dots in their names. Optional columns without values are omitted. */
export function sheetOf({ row, rows }: Table, answer: SourcedAnswer): Sheet {
  const found = rows(answer as never);
  const columns = columnsOf(row).filter(
    ({ path, optional }) =>
      !optional || found.length === 0 || found.some((one) => path.reduce(member, one) !== undefined),
  );
  const marks = marksOf(answer.meta, columns).filter(({ name }) =>
    columns.every((column) => column.name !== name),
  );
  return {
    columns: [...columns, ...marks].map(({ name, type }) => ({ name, type })),
    rows: found.map((one) => [
      ...columns.map((column) => cellOf(path(one, column), column)),
      ...marks.map(({ value }) => value),
    ]),
  };
}

const path = (row: object, column: TableColumn): unknown => column.path.reduce<unknown>(member, row);

const columnsByRow = new WeakMap<z.ZodType, TableColumn[]>();

function columnsOf(row: z.ZodType): TableColumn[] {
  let columns = columnsByRow.get(row);
  if (!columns) {
    columns = flattened(
      // Schema ids are left out, because a reference would hide a column.
      z.toJSONSchema(row, { io: "output", unrepresentable: "any", metadata: z.registry() }) as JsonSchema,
      [],
      false,
    );
    columnsByRow.set(row, columns);
  }
  return columns;
}

function flattened(schema: JsonSchema, path: string[], optional: boolean): TableColumn[] {
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

/** A list of plain values becomes text, joined by spaces; other structures become JSON. */
function cellOf(value: unknown, { type }: Column): Cell {
  if (value === undefined || value === null) return null;
  if (type !== "text") return value as Cell;
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(" ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
