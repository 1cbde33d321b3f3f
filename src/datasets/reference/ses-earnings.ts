/**
 * Mean gross hourly earnings from the structure of earnings survey: one row per area, activity, occupation, sex and
 * year.
 */
import { z } from "zod";
import { areaOf } from "../../domain/salary/countries.ts";
import { majorGroupOf } from "../../domain/salary/occupations.ts";
import { isNoValue } from "../no-value.ts";
import { headerCells, readCsv } from "./csv.ts";
import { Faults, positive } from "./faults.ts";
import { rounded, swing } from "./invented.ts";
import { activities, levels, pay } from "./invented-labour.ts";
import { isSdmx, latest, readSdmx } from "./observations.ts";
import type { ReferenceTable, TextFile } from "./table.ts";

const row = z.strictObject({
  geo: z.string(),
  nace: z.string(),
  /** A major group of ISCO-08, 0 to 9, or TOTAL. */
  isco: z.string(),
  /** T is the published figure for both sexes; it is never computed from F and M. */
  sex: z.enum(["F", "M", "T"]),
  year: z.int(),
  eur_per_hour: z.number().positive(),
  flag: z.string(),
});
export type SesEarnings = z.infer<typeof row>;

const hourlyPay = { ...positive, wanted: "EUR an hour above zero" };

/** The release table of 2018 states its coverage only in its name: all but farming and public administration. */
const wide = { nace: "B-S_X_O", year: 2018, flag: "" };

/** One column per occupation and sex, TOTAL_M to OC9_F. */
function readWide(file: TextFile): SesEarnings[] {
  const columns = headerCells(file.text.split("\n", 1)[0]!).slice(1);
  const faults = new Faults(file);
  const found = readCsv(file, ["countryCode", ...columns]).flatMap(({ line, cells }) =>
    columns.flatMap((column) => {
      const [occupation = "", sex = ""] = column.split("_");
      const isco = occupation === "TOTAL" ? occupation : majorGroupOf(occupation);
      const text = cells[column]!;
      if (isco === undefined || (sex !== "F" && sex !== "M")) {
        faults.add(1, column, column, "TOTAL or OC1 to OC9 with _F or _M");
        return [];
      }
      if (isNoValue(text)) return [];
      const eur_per_hour = faults.number(line, column, text, hourlyPay);
      return { ...wide, geo: areaOf(cells.countryCode!), isco, sex: sex as "F" | "M", eur_per_hour };
    }),
  );
  faults.refuseAny();
  return found;
}

const dimensions = ["nace_r2", "isco08", "worktime", "age", "sex", "indic_se", "geo"] as const;

/** earn_ses_hourly: only the mean in EUR, full-time and part-time together, over all ages. */
const readSurvey = (file: TextFile): SesEarnings[] =>
  readSdmx(file, dimensions, "year", hourlyPay).flatMap(({ codes, time, value, flag }) => {
    const isco = codes.isco08 === "TOTAL" ? codes.isco08 : majorGroupOf(codes.isco08);
    const sex = row.shape.sex.safeParse(codes.sex);
    const all = codes.worktime === "TOTAL" && codes.age === "TOTAL" && codes.indic_se === "MEAN_E_EUR";
    if (!all || isco === undefined || !sex.success) return [];
    const about = { geo: areaOf(codes.geo), nace: codes.nace_r2, isco, sex: sex.data, year: Number(time) };
    return { ...about, eur_per_hour: value, flag };
  });

const LAST = 2022;

const sandbox = (): SesEarnings[] =>
  Object.entries(levels).flatMap(([geo, level]) => {
    const gap = 0.07 + 0.05 * swing(`gap ${geo}`);
    const earned = (nace: string, isco: string, relation: number) => {
      const mean = level * 0.68 * relation * (1 + 0.06 * swing(`earned ${geo} ${nace} ${isco}`));
      const bySex = { T: mean, M: mean * (1 + gap), F: mean * (1 - gap) };
      return Object.entries(bySex).map(([sex, value]) => ({
        geo,
        nace,
        isco,
        sex: sex as SesEarnings["sex"],
        year: LAST,
        eur_per_hour: rounded(value, 2),
        flag: "",
      }));
    };
    return [
      ...Object.entries(activities).flatMap(([nace, relation]) => earned(nace, "TOTAL", relation)),
      ...Object.entries(pay).flatMap(([isco, relation]) => earned("B-S_X_O", isco, relation)),
    ];
  });

export const sesEarnings: ReferenceTable<SesEarnings> = {
  name: "ses-earnings",
  source: "Eurostat, structure of earnings survey, mean hourly earnings",
  row,
  key: ({ geo, nace, isco, sex, year }) => `${geo} ${nace} ${isco} ${sex} ${year}`,
  as_of: (rows) => latest(rows.map(({ year }) => String(year))),
  layouts: [
    {
      name: "Eurostat earnings by occupation and sex, 2018, wide CSV",
      matches: (header) => header.startsWith("countryCode,TOTAL_M,TOTAL_F,OC1_M"),
      read: readWide,
    },
    {
      name: "Eurostat earn_ses_hourly, SDMX-CSV",
      matches: (header) => isSdmx(header, dimensions),
      read: readSurvey,
    },
  ],
  sandbox,
};
