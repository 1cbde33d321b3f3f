import { parquetWriteBuffer } from "hyparquet-writer";
import type { Cell, Column, Sheet } from "../../core/model/sheet.ts";

const TYPES = { integer: "INT64", number: "DOUBLE", boolean: "BOOLEAN", text: "STRING" } as const;

/** A sheet as a Parquet file: typed, nullable columns, and each member of the answer's `meta` as file metadata. */
export const parquetOf = ({ columns, rows }: Sheet, meta: object): Buffer =>
  Buffer.from(
    parquetWriteBuffer({
      columnData: columns.map(({ name, type }, at) => ({
        name,
        type: TYPES[type],
        nullable: true,
        data: rows.map((row) => stored(row[at]!, type)),
      })),
      kvMetadata: Object.entries(meta).map(([key, value]) => ({
        key,
        value: typeof value === "string" ? value : JSON.stringify(value),
      })),
    }),
  );

const stored = (cell: Cell, type: Column["type"]) =>
  type === "integer" && cell !== null ? BigInt(cell) : cell;
