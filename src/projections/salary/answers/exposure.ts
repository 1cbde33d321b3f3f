/** Exposure to AI: of unit groups as published, of major groups, of all occupations and of activities. */
import { z } from "zod";
import { type IloExposure, iloExposure } from "../../../datasets/reference/ilo-exposure.ts";
import {
  type IscoNaceEmployment,
  iscoNaceEmployment,
} from "../../../datasets/reference/isco-nace-employment.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import { perVintage, type Reference } from "../../../datasets/reference/table.ts";
import { EU27 } from "../../../domain/salary/countries.ts";
import { LEAST_COVERED, weightedMean } from "../../../domain/salary/exposure.ts";
import { exposureType } from "../../../domain/salary/inputs.ts";
import { majorGroupCodes, majorGroups } from "../../../domain/salary/occupations.ts";
import { sectionCodes, sectorName } from "../../../domain/salary/sectors.ts";
import { sixDecimals } from "../../../domain/trade/units.ts";
import { joinable, meta, metaOf, unjoinedReason } from "./tables.ts";

export const exposureTables = [iloExposure, iscoNaceEmployment];

export const exposureFormula =
  "Unit groups: as published. Major group: plain mean of its unit groups, as their employment is not known. All " +
  "occupations and each activity: Σ employed in a major group × its score ÷ Σ employed, both sexes, EU27, last year of the employment " +
  `table; null if the table has neither the total nor each of A to S, or if less than ${LEAST_COVERED * 100} % of the employed are in major groups with a score.`;

export const aiRiskInput = z.object({ type: exposureType });

const exposureRow = z.object({
  type: z.enum(["ISCO", "NACE"]).describe("Classification of the code"),
  level: z.enum(["unit", "major", "all", "section"]).describe("Level of the code"),
  code: z.string().describe("ISCO-08 code of four or one digits, NACE section, or TOTAL for all occupations"),
  name: z.string(),
  score: z.number().min(0).max(1).nullable().describe("Exposure to generative AI, 0 to 1; null = no score"),
  sd: z.number().nullable().describe("Standard deviation over a unit group's tasks; null: not a unit group"),
  band: z.string().nullable().describe("The authors' band of a unit group; null: another level"),
  basis: z
    .enum(["published", "plain mean", "employment-weighted"])
    .nullable()
    .describe("How the score was computed; null: no score"),
  units: z.int().nullable().describe("Number of unit groups with a score; null: other levels"),
  covered: z
    .number()
    .nullable()
    .describe("Share of the employed in scored major groups, 0 to 1; null: the score is not weighted"),
});
type ExposureRow = z.infer<typeof exposureRow>;

export const aiRiskOutput = z.object({ data: z.array(exposureRow), meta: meta.extend({ count: z.int() }) });

type Weighted = Pick<ExposureRow, "score" | "basis" | "covered">;

const UNKNOWN: Weighted = { score: null, basis: null, covered: null };

/** A row without values. */
const rowOf = (
  type: ExposureRow["type"],
  level: ExposureRow["level"],
  code: string,
  name: string,
): ExposureRow => ({
  type,
  level,
  code,
  name,
  score: null,
  sd: null,
  band: null,
  basis: null,
  units: null,
  covered: null,
});

/** The number of scored unit groups of each major group, and their plain mean. */
const majorsOf = perVintage((rows: readonly IloExposure[]) => {
  const groups = new Map<string, { units: number; score: number }>();
  for (const code of majorGroupCodes) {
    const scores = rows.filter(({ isco }) => isco.startsWith(code)).map(({ score }) => score);
    if (scores.length === 0) continue;
    groups.set(code, {
      units: scores.length,
      score: scores.reduce((sum, score) => sum + score, 0) / scores.length,
    });
  }
  return groups;
});

/** Thousands employed in the Union in the last year, by activity and major group. */
const employedBy = perVintage((rows: readonly IscoNaceEmployment[]) => {
  const union = rows.filter(({ geo }) => geo === EU27);
  const last = Math.max(...union.map(({ year }) => year));
  const index = new Map<string, Map<string, number>>();
  for (const { nace, isco, persons_thousand } of union.filter(({ year }) => year === last)) {
    index.set(nace, (index.get(nace) ?? new Map<string, number>()).set(isco, persons_thousand));
  }
  return index;
});

function weighted(exposure: Reference<IloExposure>, employed: ReadonlyMap<string, number>): Weighted {
  const majors = majorsOf(exposure);
  const parts = [...employed].map(([isco, weight]) => ({ weight, score: majors.get(isco)?.score ?? null }));
  const { score, covered } = weightedMean(parts);
  return {
    score: score === null ? null : sixDecimals(score),
    basis: score === null ? null : "employment-weighted",
    covered: covered === null ? null : sixDecimals(covered),
  };
}

/** The exposure of each activity, where both tables are loaded and of one kind. */
export function exposureBySection(reference: ReferenceStore): Map<string, Weighted> {
  const [exposure, employment] = [reference.find(iloExposure), reference.find(iscoNaceEmployment)];
  if (!exposure || !employment || !joinable(exposure, employment)) return new Map();
  const sections = [...employedBy(employment)].filter(([nace]) => sectionCodes.includes(nace));
  return new Map(sections.map(([nace, employed]) => [nace, weighted(exposure, employed)]));
}

/** So few people work in these that surveys often publish no figures. */
const seldomPublished = ["T", "U"];

/** All occupations: by the employment of all activities, else by its sum over the sections if none is missing. */
export function exposureOfAll(reference: ReferenceStore): Weighted {
  const [exposure, employment] = [reference.find(iloExposure), reference.find(iscoNaceEmployment)];
  if (!exposure || !employment || !joinable(exposure, employment)) return UNKNOWN;
  const index = employedBy(employment);
  const isWhole = sectionCodes.every((code) => index.has(code) || seldomPublished.includes(code));
  if (!index.has("TOTAL") && !isWhole) return UNKNOWN;
  const sums = new Map<string, number>();
  for (const employed of index.has("TOTAL") ? [index.get("TOTAL")!] : index.values()) {
    for (const [isco, persons] of employed) sums.set(isco, (sums.get(isco) ?? 0) + persons);
  }
  return weighted(exposure, sums);
}

/** The reason why activities have no exposure; false where they may have. */
export function missingExposureReason(reference: ReferenceStore): string | false {
  const employment = reference.find(iscoNaceEmployment);
  if (employment && employedBy(employment).size === 0)
    return `The exposure of activities is null: ${employment.dataset} has no figures of the EU27.`;
  return unjoinedReason("The exposure of activities", reference.find(iloExposure), employment);
}

/** Occupations and activities with their exposure. Without the exposure table it refuses as unavailable. */
export function aiRisk(
  reference: ReferenceStore,
  { type }: z.output<typeof aiRiskInput>,
): z.infer<typeof aiRiskOutput> {
  const exposure = reference.get(iloExposure);
  const data = [
    ...(type === "NACE" ? [] : occupations(reference, exposure)),
    ...(type === "ISCO" ? [] : activities(reference)),
  ];
  const unscored = majorGroupCodes.filter((code) => !majorsOf(exposure).has(code));
  const about = metaOf(reference, exposureTables, exposureFormula, [
    missingExposureReason(reference),
    unscored.length > 0 &&
      `No unit group with a score in: ${unscored.map((code) => majorGroups[code]).join(", ")}.`,
    "A score shows how far generative AI could do the tasks; it is no forecast of lost jobs.",
  ]);
  return { data, meta: { ...about, count: data.length } };
}

function occupations(reference: ReferenceStore, exposure: Reference<IloExposure>): ExposureRow[] {
  const majors = majorsOf(exposure);
  const units = exposure.rows.map(({ isco, title, score, sd, gradient }) => ({
    ...rowOf("ISCO", "unit", isco, title),
    score,
    sd,
    band: gradient,
    basis: "published" as const,
  }));
  const groups = majorGroupCodes.map((code) => {
    const mean = majors.get(code);
    return {
      ...rowOf("ISCO", "major", code, majorGroups[code]!),
      ...(mean && { score: sixDecimals(mean.score), basis: "plain mean" as const, units: mean.units }),
    };
  });
  const all = {
    ...rowOf("ISCO", "all", "TOTAL", "All occupations"),
    ...exposureOfAll(reference),
    units: units.length,
  };
  return [all, ...groups, ...units];
}

function activities(reference: ReferenceStore): ExposureRow[] {
  const known = exposureBySection(reference);
  return sectionCodes.map((code) => ({
    ...rowOf("NACE", "section", code, sectorName(code)!),
    ...known.get(code),
  }));
}
