/** The harmonised index of consumer prices, all items: one row per month and area. */
import { z } from "zod";
import { areaOf } from "../../domain/salary/countries.ts";
import { isNoValue } from "../no-value.ts";
import { readCsv } from "./csv.ts";
import { Faults } from "./faults.ts";
import { rounded, swing } from "./invented.ts";
import { isSdmx, latest, readSdmx } from "./observations.ts";
import type { ReferenceTable, TextFile } from "./table.ts";

const month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/);

const row = z.strictObject({
  /** A country by ISO code, EU27, or the euro area: EA with changing members, EA20 and the like with fixed ones. */
  geo: z.string(),
  month,
  /** Percent against the same month of the previous year. */
  yoy_pct: z.number().nullable(),
  /** One base per area: 2025 = 100, or 2015 = 100 if the file has no other. */
  index: z.number().nullable(),
});
export type Hicp = z.infer<typeof row>;

/** Eurostat's release table: an index and its rates of change by column, the month as its first day. */
function readWide(file: TextFile): Hicp[] {
  const faults = new Faults(file);
  const columns = ["geo", "coicop18", "time", "index", "ar"] as const;
  const months = readCsv(file, columns, { extra_columns: true })
    .filter(({ cells }) => cells.coicop18 === "TOTAL")
    .map(({ line, cells: { geo, time, index, ar } }) => {
      if (!/^\d{4}-(0[1-9]|1[0-2])-01$/.test(time))
        faults.add(line, "time", time, "the first day of a month, such as 2024-01-01");
      const figure = (column: string, text: string) =>
        isNoValue(text) ? null : faults.number(line, column, text);
      return {
        geo: areaOf(geo),
        month: time.slice(0, 7),
        yoy_pct: figure("ar", ar),
        index: figure("index", index),
      };
    });
  faults.refuseAny();
  return months;
}

/** All items: ECOICOP version 2, and its predecessor version 1. */
const allItems = ["TOTAL", "CP00"];
/** Bases of the index, the preferred one first. */
const bases = ["I25", "I15"];

/** SDMX-CSV: one line per unit; the annual rate of change and one index are used. */
const readUnits = (item: "coicop" | "coicop18") => (file: TextFile) => {
  const found = readSdmx(file, ["unit", item, "geo"], "month").filter(({ codes }) =>
    allItems.includes(codes[item]),
  );
  const months = new Map<string, Hicp>();
  const base = bases.find((unit) => found.some(({ codes }) => codes.unit === unit));
  for (const { codes, time, value } of found) {
    const geo = areaOf(codes.geo);
    const month = months.get(`${geo} ${time}`) ?? { geo, month: time, yoy_pct: null, index: null };
    if (codes.unit === "RCH_A") month.yoy_pct = value;
    else if (codes.unit === base) month.index = value;
    else continue;
    months.set(`${geo} ${time}`, month);
  }
  return [...months.values()];
};

/** Synthetic: prices rise at a rate that varies slowly. */
function sandbox(): Hicp[] {
  return ["EA", "EU27", "LV"].flatMap((geo, area) => {
    const indices: number[] = [];
    for (let at = 0; at < 22 * 12; at += 1) {
      const monthly = 0.0021 + 0.0019 * Math.sin(at / 25 + area / 3) + 0.0008 * swing(`hicp ${geo} ${at}`);
      indices.push((indices[at - 1] ?? 65) * (1 + monthly));
    }
    const last = indices.slice(-12).reduce((sum, index) => sum + index / 12, 0);
    return indices.slice(12).map((index, at) => ({
      geo,
      month: `${2005 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}`,
      yoy_pct: rounded((index / indices[at]! - 1) * 100, 1),
      index: rounded((index / last) * 100, 2),
    }));
  });
}

export const hicp: ReferenceTable<Hicp> = {
  name: "hicp",
  source: "Eurostat, harmonised index of consumer prices, all items",
  row,
  key: ({ geo, month }) => `${geo} ${month}`,
  as_of: (rows) => latest(rows.map(({ month }) => month)),
  layouts: [
    {
      name: "Eurostat HICP, wide CSV",
      matches: (header) => /^"?geo"?,.*"?coicop18"?,.*"?time"?,"?index"?,"?ar"?/.test(header),
      read: readWide,
    },
    {
      name: "Eurostat prc_hicp_minr, SDMX-CSV",
      matches: (header) => isSdmx(header, ["unit", "coicop18", "geo"]),
      read: readUnits("coicop18"),
    },
    {
      name: "Eurostat prc_hicp_manr, SDMX-CSV",
      matches: (header) => isSdmx(header, ["unit", "coicop", "geo"]),
      read: readUnits("coicop"),
    },
  ],
  sandbox,
};
