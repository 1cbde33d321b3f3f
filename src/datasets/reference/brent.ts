/** The spot price of Brent crude oil, one row per day. */
import { z } from "zod";
import { isNoValue } from "../no-value.ts";
import { readCsv } from "./csv.ts";
import { Faults, positive } from "./faults.ts";
import { rounded, swing, workdays } from "./invented.ts";
import type { ReferenceTable, TextFile } from "./table.ts";

const row = z.strictObject({ date: z.iso.date(), usd_per_bbl: z.number().positive() });
export type Brent = z.infer<typeof row>;

function readDaily(file: TextFile): Brent[] {
  const faults = new Faults(file);
  const days: Brent[] = readCsv(file, ["Date", "Price"]).flatMap(({ line, cells: { Date: date, Price } }) => {
    if (!row.shape.date.safeParse(date).success) faults.add(line, "Date", date, "a day such as 2024-01-31");
    if (isNoValue(Price)) return [];
    return { date, usd_per_bbl: faults.number(line, "Price", Price, positive) };
  });
  faults.refuseAny();
  return days;
}

const sandbox = (): Brent[] =>
  workdays(2005, 2025).map((date, day) => {
    const cycle = Math.sin(day / 420) / 3 + Math.sin(day / 130) / 6 + swing(`brent ${date}`) / 50;
    return { date, usd_per_bbl: rounded(76 * Math.exp(cycle), 2) };
  });

export const brent: ReferenceTable<Brent> = {
  name: "brent",
  source: "U.S. Energy Information Administration, Europe Brent spot price FOB, daily",
  row,
  key: ({ date }) => date,
  as_of: (days) => days.at(-1)?.date ?? null,
  layouts: [
    { name: "Brent, daily (Date, Price)", matches: (header) => header === "Date,Price", read: readDaily },
  ],
  sandbox,
};
