/** The rate of the ECB's main refinancing operations: one row per publication day. */
import { z } from "zod";
import { refuse } from "../../core/model/refusal.ts";
import { rounded } from "./invented.ts";
import { isSdmx, readSdmx } from "./observations.ts";
import type { ReferenceTable, TextFile } from "./table.ts";

const row = z.strictObject({
  /** In force from this day until a later row. */
  date: z.iso.date(),
  /** Percent per year; the lowest bid rate during variable-rate tenders. */
  rate_pct: z.number(),
});
export type EcbMro = z.infer<typeof row>;

/** Fixed-rate tenders, and the series that joins them with the lowest bid rate of variable-rate ones. */
const wanted = /^FM\.[A-Z]\.U2\.EUR\.4F\.KR\.(MRR_FR|MRR_RT)\.LEV$/;

/** csvdata of the dataflow FM, per business day, per day, or only days of change; other key rates are left out. */
function readSeries(file: TextFile): EcbMro[] {
  const days = new Map<string, number>();
  for (const { codes, time, value } of readSdmx(file, ["KEY"], "day")) {
    if (!wanted.test(codes.KEY)) continue;
    const other = days.get(time);
    if (other !== undefined && other !== value)
      refuse("invalid", `${file.name}: ${time} has two rates, ${other} and ${value}; nothing was imported`);
    days.set(time, value);
  }
  if (days.size === 0) {
    const message = `${file.name} has no level of the main refinancing operations (MRR_FR or MRR_RT, LEV)`;
    refuse("invalid", `${message}; nothing was imported`);
  }
  return [...days].map(([date, rate_pct]) => ({ date, rate_pct }));
}

/** Synthetic: set every seven weeks, in quarter steps, rising for years and then falling. */
function sandbox(): EcbMro[] {
  const days: EcbMro[] = [];
  for (let day = Date.UTC(2005, 0, 12); day < Date.UTC(2026, 0, 1); day += 49 * 86_400_000) {
    const years = (day - Date.UTC(2005, 0, 1)) / (365.25 * 86_400_000);
    const rate_pct = rounded(Math.round((2.1 + 1.9 * Math.sin(years / 2.6)) * 4) / 4, 2);
    days.push({ date: new Date(day).toISOString().slice(0, 10), rate_pct });
  }
  return days;
}

export const ecbMro: ReferenceTable<EcbMro> = {
  name: "ecb-mro",
  source: "European Central Bank, key interest rates (dataflow FM, main refinancing operations)",
  row,
  key: ({ date }) => date,
  as_of: (days) => days.at(-1)?.date ?? null,
  layouts: [
    {
      name: "ECB data portal csvdata, FM",
      matches: (header) => isSdmx(header, ["KEY", "PROVIDER_FM_ID"]),
      read: readSeries,
    },
  ],
  sandbox,
};
