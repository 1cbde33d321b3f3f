/** The employer's cost of an hour of work: one row per area, activity, year and cost component. */
import { z } from "zod";
import { areaOf } from "../../domain/salary/countries.ts";
import { notNegative } from "./faults.ts";
import { rounded, swing } from "./invented.ts";
import { activities, levels } from "./invented-labour.ts";
import { isSdmx, latest, readSdmx } from "./observations.ts";
import type { ReferenceTable, TextFile } from "./table.ts";

const row = z.strictObject({
  geo: z.string(),
  /** NACE Rev. 2: a section or an aggregate such as B-S_X_O. */
  nace: z.string(),
  year: z.int(),
  /** The whole cost, or wages and salaries alone. */
  part: z.enum(["total", "wages"]),
  eur_per_hour: z.number().nonnegative(),
  /** As published: p provisional, e estimated, b break in series, u unreliable, "" none. */
  flag: z.string(),
});
export type LabourCost = z.infer<typeof row>;

const dimensions = ["unit", "lcstruct", "nace_r2", "geo"] as const;
const parts: Record<string, LabourCost["part"]> = { D1_D4_MD5: "total", D11: "wages" };

/** Figures in national currency and other cost components are left out. */
const readLevels = (file: TextFile): LabourCost[] =>
  readSdmx(file, dimensions, "year", notNegative).flatMap(({ codes, time, value, flag }) => {
    const part = parts[codes.lcstruct];
    if (codes.unit !== "EUR" || part === undefined) return [];
    return {
      geo: areaOf(codes.geo),
      nace: codes.nace_r2,
      year: Number(time),
      part,
      eur_per_hour: value,
      flag,
    };
  });

const LAST = 2025;

const sandbox = (): LabourCost[] =>
  Object.entries(levels).flatMap(([geo, level]) =>
    Object.entries(activities).flatMap(([nace, relation]) =>
      [...Array(6).keys()].flatMap((ago) => {
        const growth = 0.045 + 0.02 * swing(`growth ${geo}`);
        const own = nace === "B-S_X_O" ? 0 : 0.08 * swing(`pay ${geo} ${nace}`);
        const total = level * relation * (1 + own) * (1 + growth) ** -ago;
        const about = { geo, nace, year: LAST - ago, flag: ago === 0 ? "p" : "" };
        return [
          { ...about, part: "total" as const, eur_per_hour: rounded(total, 1) },
          {
            ...about,
            part: "wages" as const,
            eur_per_hour: rounded(total * (0.78 + 0.06 * swing(`wages ${geo}`)), 1),
          },
        ];
      }),
    ),
  );

export const labourCosts: ReferenceTable<LabourCost> = {
  name: "labour-costs",
  source: "Eurostat, labour cost levels by NACE Rev. 2 activity (lc_lci_lev)",
  row,
  key: ({ geo, nace, year, part }) => `${geo} ${nace} ${year} ${part}`,
  as_of: (rows) => latest(rows.map(({ year }) => String(year))),
  layouts: [
    {
      name: "Eurostat lc_lci_lev, SDMX-CSV",
      matches: (header) => isSdmx(header, dimensions),
      read: readLevels,
    },
  ],
  sandbox,
};
