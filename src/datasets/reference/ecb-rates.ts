/** The euro foreign exchange reference rates of the European Central Bank, one row per day. */
import { z } from "zod";
import { isNoValue } from "../no-value.ts";
import { refuseLines } from "../stage.ts";
import { headerCells, readCsv } from "./csv.ts";
import { Faults, positive } from "./faults.ts";
import { rounded, swing, workdays } from "./invented.ts";
import type { ReferenceTable, TextFile } from "./table.ts";

const row = z.strictObject({
  date: z.iso.date(),
  /** Units of the currency per euro. A currency without a rate that day is absent. */
  rates: z.record(z.string().regex(/^[A-Z]{3}$/), z.number().positive()),
});
export type EcbRates = z.infer<typeof row>;

/** `eurofxref-hist.csv`: newest first, one column per currency, N/A for none, and a trailing comma on each line. */
function readHistory(file: TextFile): EcbRates[] {
  const [date = "", ...currencies] = headerCells(file.text.split("\n", 1)[0]!);
  const named = currencies.at(-1) === "" ? currencies.slice(0, -1) : currencies;
  const odd = named.find((name, at) => !/^[A-Z]{3}$/.test(name) || named.indexOf(name) !== at);
  if (odd !== undefined) {
    const what = `the column ${JSON.stringify(odd)} is not a currency of three letters, or occurs twice`;
    refuseLines(file, [{ line: 1, column: odd, what }]);
  }
  const faults = new Faults(file);
  const days = readCsv(file, [date, ...currencies]).map(({ line, cells }) => {
    const day = cells[date]!;
    if (!row.shape.date.safeParse(day).success) faults.add(line, date, day, "a day such as 2024-01-31");
    const quoted = named.filter((currency) => !isNoValue(cells[currency]!));
    const rate = (currency: string) =>
      faults.number(line, currency, cells[currency]!, { ...positive, wanted: "a rate above zero, or N/A" });
    return { date: day, rates: Object.fromEntries(quoted.map((currency) => [currency, rate(currency)])) };
  });
  faults.refuseAny();
  return days;
}

/** Synthetic: each currency's initial rate and variation. */
const currencies: Record<string, [start: number, stray: number]> = {
  USD: [1.19, 0.13],
  GBP: [0.82, 0.09],
  CHF: [1.15, 0.15],
  JPY: [134, 0.16],
  CNY: [8.1, 0.12],
  NOK: [9.6, 0.14],
  PLN: [4.24, 0.06],
  SEK: [10.1, 0.08],
  INR: [78, 0.14],
  MXN: [20.5, 0.15],
};

const sandbox = (): EcbRates[] =>
  workdays(2005, 2025).map((date, day) => ({
    date,
    rates: Object.fromEntries(
      Object.entries(currencies).map(([currency, [start, stray]], at) => {
        const cycle = Math.sin(day / 310 + at) + Math.sin(day / 97 + 2 * at) / 3;
        return [currency, rounded(start * Math.exp(stray * (cycle + swing(`${currency} ${date}`) / 30)), 4)];
      }),
    ),
  }));

export const ecbRates: ReferenceTable<EcbRates> = {
  name: "ecb-rates",
  source: "European Central Bank, euro foreign exchange reference rates",
  row,
  key: ({ date }) => date,
  as_of: (days) => days.at(-1)?.date ?? null,
  layouts: [
    {
      name: "ECB reference rates, history (eurofxref-hist.csv)",
      matches: (header) => /^Date,([A-Z]{3},){5}/.test(header),
      read: readHistory,
    },
  ],
  sandbox,
};
