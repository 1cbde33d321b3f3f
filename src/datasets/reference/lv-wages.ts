/** Average gross wages in Latvia, EUR per month: one row per activity and quarter or year. */
import { z } from "zod";
import { refuse } from "../../core/model/refusal.ts";
import { sectionCodes } from "../../domain/salary/sectors.ts";
import { rounded, swing } from "./invented.ts";
import { activities } from "./invented-labour.ts";
import { readJsonStat, slice } from "./json-stat.ts";
import { latest } from "./observations.ts";
import type { ReferenceTable, TextFile } from "./table.ts";

const row = z.strictObject({
  /** A section of NACE Rev. 2, or TOTAL. */
  nace: z.string(),
  /** A year, 2024, or a quarter, 2024-Q1. */
  period: z.string().regex(/^\d{4}(-Q[1-4])?$/),
  gross_eur_per_month: z.number().positive(),
});
export type LvWage = z.infer<typeof row>;

/** Gross wages of all sectors and both sexes, in the codes of the Latvian statistical office. */
const choices = ["GRS", "AVWAG_M", "TOTAL", "T", "_T"];

/** 2024-Q1 for 2024Q1; undefined for anything but a year or quarter. */
const periodOf = (time: string) => /^(\d{4})(?:-?(Q[1-4]))?$/.exec(time)?.slice(1).filter(Boolean).join("-");

/**
 * A table of the group DSV as JSON-stat: all values of the NACE dimension, one value of every other. Finer
 * activities are left out.
 */
function readPxWeb(file: TextFile): LvWage[] {
  const cube = readJsonStat(file);
  const activity = Object.keys(cube.dimensions).find((name) => /nace/i.test(name));
  if (activity === undefined) {
    const found = Object.keys(cube.dimensions).join(", ");
    return refuse(
      "invalid",
      `${file.name} has no dimension of activities (NACE) but ${found}; nothing was imported`,
    );
  }
  return slice(file, cube, [activity], choices).flatMap(({ codes, time, value }) => {
    const code = codes[activity]!;
    const nace = code === "_T" ? "TOTAL" : code;
    if (nace !== "TOTAL" && !sectionCodes.includes(nace)) return [];
    const period = periodOf(time);
    if (period === undefined || value <= 0) {
      const message = `${file.name}: ${cube.time} ${time}, ${nace}: ${value} is not a wage of a year or quarter`;
      return refuse("invalid", `${message}; nothing was imported`);
    }
    return { nace, period, gross_eur_per_month: value };
  });
}

/** Synthetic: yearly growth, with more in each last quarter. */
function sandbox(): LvWage[] {
  const codes = ["TOTAL", ...sectionCodes.filter((code) => code in activities)];
  return codes.flatMap((nace) => {
    const level = 1680 * (activities[nace] ?? 1) * (nace === "TOTAL" ? 1 : 1 + 0.05 * swing(`lv ${nace}`));
    return [...Array(12).keys()].flatMap((ago) => {
      const year = 2025 - ago;
      const mean = level * (1.075 + 0.01 * swing(`lv growth ${nace}`)) ** -ago;
      const quarters = [-0.02, 0, -0.005, 0.025].map((season, at) => ({
        nace,
        period: `${year}-Q${at + 1}`,
        gross_eur_per_month: Math.round(mean * (1 + season)),
      }));
      return [{ nace, period: String(year), gross_eur_per_month: rounded(mean, 0) }, ...quarters];
    });
  });
}

export const lvWages: ReferenceTable<LvWage> = {
  name: "lv-wages",
  source: "Official statistics of Latvia, average monthly wages and salaries (DSV)",
  row,
  key: ({ nace, period }) => `${nace} ${period}`,
  as_of: (rows) => latest(rows.map(({ period }) => period)),
  layouts: [
    {
      name: "PxWeb wages by activity, JSON-stat 2.0",
      matches: (header) =>
        header.startsWith("{") && /"id":\s*\[[^\]]*nace/i.test(header) && !/isco/i.test(header),
      read: readPxWeb,
    },
  ],
  sandbox,
};
