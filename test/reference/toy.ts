import { z } from "zod";
import { headerCells, readCsv } from "../../src/datasets/reference/csv.ts";
import type { ReferenceTable } from "../../src/datasets/reference/table.ts";

export type Tide = { day: string; metres: number };

/** A table of its own, so that what is tested is the shape and not one of its uses. */
export const tides: ReferenceTable<Tide> = {
  name: "tides",
  source: "a harbour office",
  row: z.strictObject({ day: z.string(), metres: z.number() }),
  key: ({ day }) => day,
  as_of: (rows) => rows.at(-1)?.day ?? null,
  layouts: [
    {
      name: "tides CSV",
      matches: (header) => headerCells(header).join() === "day,metres",
      read: (file) =>
        readCsv(file, ["day", "metres"]).map(({ cells }) => ({
          day: cells.day,
          metres: Number(cells.metres),
        })),
    },
  ],
  sandbox: () => [{ day: "2024-01-01", metres: 1 }],
};
