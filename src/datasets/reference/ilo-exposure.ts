/** The exposure of occupations to generative AI: one row per unit group of ISCO-08. */
import { z } from "zod";
import { majorGroups } from "../../domain/salary/occupations.ts";
import { isNoValue } from "../no-value.ts";
import { readCsv } from "./csv.ts";
import { Faults, type NumberCondition, notNegative } from "./faults.ts";
import { rounded, swing } from "./invented.ts";
import { occupations } from "./invented-occupations.ts";
import type { ReferenceTable, TextFile } from "./table.ts";

const row = z.strictObject({
  /** A unit group of ISCO-08, four digits. */
  isco: z.string().regex(/^\d{4}$/),
  title: z.string().min(1),
  /** The mean over the occupation's tasks, 0 to 1. */
  score: z.number().min(0).max(1),
  /** Their standard deviation. */
  sd: z.number().min(0),
  /** The authors' band of the occupation. */
  gradient: z.string(),
});
export type IloExposure = z.infer<typeof row>;

const columns = ["ISCO_08", "title", "score", "sd", "gradient"] as const;

const share: NumberCondition = { wanted: "a score from 0 to 1", fits: (value) => value >= 0 && value <= 1 };

function readScores(file: TextFile): IloExposure[] {
  const faults = new Faults(file);
  const found = readCsv(file, columns).flatMap(
    ({ line, cells: { ISCO_08: isco, title, score, sd, gradient } }) => {
      if (!/^\d{4}$/.test(isco) || !(isco[0]! in majorGroups))
        faults.add(line, "ISCO_08", isco, "a unit group of four digits, such as 2512");
      if (title === "") faults.add(line, "title", title, "the name of an occupation");
      if (isNoValue(score)) return [];
      return {
        isco,
        title,
        score: faults.number(line, "score", score, share),
        sd: faults.number(line, "sd", sd, notNegative),
        gradient,
      };
    },
  );
  faults.refuseAny();
  return found;
}

/** Synthetic bands of synthetic scores. */
const bandOf = (score: number) =>
  score >= 0.6 ? "High" : score >= 0.45 ? "Medium" : score >= 0.3 ? "Low" : "None to speak of";

const sandbox = (): IloExposure[] =>
  Object.entries(occupations).map(([isco, [title, level]]) => {
    const score = rounded(level + 0.02 * swing(`exposure ${isco}`), 2);
    return {
      isco,
      title,
      score,
      sd: rounded(0.08 + 0.05 * Math.abs(swing(`sd ${isco}`)), 2),
      gradient: bandOf(score),
    };
  });

export const iloExposure: ReferenceTable<IloExposure> = {
  name: "ilo-exposure",
  source: "International Labour Organization, exposure of ISCO-08 occupations to generative AI, 2025",
  row,
  key: ({ isco }) => isco,
  as_of: () => "2025",
  layouts: [
    {
      name: "ILO exposure scores of 2025, CSV",
      matches: (header) => header === columns.join(","),
      read: readScores,
    },
  ],
  sandbox,
};
