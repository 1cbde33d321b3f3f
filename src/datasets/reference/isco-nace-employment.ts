/** Employed persons by major occupation group and activity, per area and year. */
import { z } from "zod";
import { refuse } from "../../core/model/refusal.ts";
import { areaOf } from "../../domain/salary/countries.ts";
import { majorGroupOf } from "../../domain/salary/occupations.ts";
import { sectionCodes } from "../../domain/salary/sectors.ts";
import { Faults, notNegative } from "./faults.ts";
import { rounded, swing } from "./invented.ts";
import { employed, staff } from "./invented-labour.ts";
import { readJsonStat } from "./json-stat.ts";
import { isSdmx, latest, type Observation, readSdmx } from "./observations.ts";
import type { ReferenceTable, TextFile } from "./table.ts";

const row = z.strictObject({
  geo: z.string(),
  year: z.int(),
  /** A section of NACE Rev. 2, or TOTAL. */
  nace: z.string(),
  /** A major group of ISCO-08, 0 to 9. */
  isco: z.string(),
  /** Thousands of persons. */
  persons_thousand: z.number().nonnegative(),
});
export type IscoNaceEmployment = z.infer<typeof row>;

const dimensions = ["isco08", "nace_r2", "age", "sex", "geo"] as const;

/** The widest age group in a file is used. */
const ages = ["Y_GE15", "Y15-89", "Y15-74", "Y15-64", "Y20-64"];

/**
 * Both sexes of one age group, by section and major group, without totals over occupations, finer groups and
 * missing answers.
 */
function rowsOf(
  file: TextFile,
  observations: Observation<(typeof dimensions)[number]>[],
): IscoNaceEmployment[] {
  const age = ages.find((code) => observations.some(({ codes }) => codes.age === code));
  if (age === undefined)
    refuse("invalid", `${file.name} has no figures of ages ${ages.join(", ")}; nothing was imported`);
  const faults = new Faults(file);
  const rows = observations.flatMap(({ line, codes, time, value }) => {
    const isco = majorGroupOf(codes.isco08);
    const nace = codes.nace_r2;
    const isWanted =
      codes.sex === "T" && codes.age === age && (nace === "TOTAL" || sectionCodes.includes(nace));
    if (!isWanted || isco === undefined) return [];
    if (!/^\d{4}$/.test(time)) faults.add(line, "time", time, "a year such as 2024");
    const persons_thousand = faults.number(line, "value", String(value), notNegative);
    return { geo: areaOf(codes.geo), year: Number(time), nace, isco, persons_thousand };
  });
  faults.refuseAny();
  return rows;
}

function readCube(file: TextFile): IscoNaceEmployment[] {
  const cube = readJsonStat(file);
  const absent = dimensions.find((name) => !(name in cube.dimensions));
  if (absent !== undefined)
    refuse("invalid", `${file.name} has no dimension ${absent}; nothing was imported`);
  return rowsOf(file, cube.observations as Observation<(typeof dimensions)[number]>[]);
}

const sandbox = (): IscoNaceEmployment[] =>
  Object.entries({ EU27: 1, LV: 0.0044 }).flatMap(([geo, share]) =>
    Object.entries(staff).flatMap(([nace, percent]) =>
      percent.map((of, at) => {
        const thousands =
          (employed[nace]! * share * of * (1 + 0.1 * swing(`staff ${geo} ${nace} ${at}`))) / 100;
        return { geo, year: 2025, nace, isco: String(at), persons_thousand: rounded(thousands, 1) };
      }),
    ),
  );

export const iscoNaceEmployment: ReferenceTable<IscoNaceEmployment> = {
  name: "isco-nace-employment",
  source: "Eurostat, employed persons by occupation and economic activity (lfsa_eisn2)",
  row,
  key: ({ geo, year, nace, isco }) => `${geo} ${year} ${nace} ${isco}`,
  as_of: (rows) => latest(rows.map(({ year }) => String(year))),
  layouts: [
    {
      name: "Eurostat lfsa_eisn2, SDMX-CSV",
      matches: (header) => isSdmx(header, dimensions, ["indic_se"]),
      read: (file) => rowsOf(file, readSdmx(file, dimensions, "year")),
    },
    {
      name: "Eurostat lfsa_eisn2, JSON-stat 2.0",
      matches: (header) =>
        header.startsWith("{") &&
        (/"id":\s*\[[^\]]*isco08/.test(header) || /occupation and economic activity/i.test(header)),
      read: readCube,
    },
  ],
  sandbox,
};
