/** The deep analysis of a question's product, country or both, by all methods that apply. */
import { z } from "zod";
import { refuseWith } from "../../../core/model/refusal.ts";
import type { Data } from "../../../datasets/reading.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import type { Slots } from "../../../domain/plans/slots.ts";
import { type Nomenclature, readQuestion, slotsOf, type Understood } from "../../../domain/questions/read.ts";
import { type ReadingSummary, summaryOf } from "../../../domain/questions/summary.ts";
import { refuseUnclear } from "../../../domain/questions/unclear.ts";
import type { Section } from "../../../domain/reports/report.ts";
import { hs, partner, readYears, years } from "../../../domain/trade/inputs.ts";
import { isReporter } from "../../../domain/trade/reporters.ts";
import { flows } from "../../../domain/trade/units.ts";
import { lastYearOf } from "../../trade/answers/question.ts";
import { REST } from "../../trade/answers/rankings.ts";
import { type FieldNames, inFieldsOf } from "../covered.ts";
import {
  type CallOperation,
  type ReportContent,
  type ReportDraft,
  reportDraft,
  section,
} from "../writing.ts";
import { anomaliesIn, askAlerts, noneUnusual } from "./anomalies.ts";
import { economySection } from "./country-sections.ts";
import { productNames, question, type StepChecks } from "./query.ts";
import { sectionWriters } from "./section-writers.ts";

const MOST_YEARS = 20;
/** The number of a country's largest products that are compared; only the largest is analysed in depth. */
const MOST_BESIDE = 2;

export const fusionDeepInput = z.object({
  question,
  country: partner.optional().describe("Country by its 2-letter code, in place of the question's"),
  hs: hs.optional().describe("HS or CN code, in place of the question's product"),
  years: years
    .refine((text) => {
      const { from, to } = readYears(text);
      return to - from < MOST_YEARS;
    }, `years spans at most ${MOST_YEARS} years`)
    .optional(),
});

const noNames: Nomenclature = [];

/** How a question is read; names are looked up only where no code is given, so that the report rests on them only then. */
function readDeep(reference: ReferenceStore, input: DeepInput): Understood {
  const nomenclature = input.hs === undefined ? productNames(reference) : noNames;
  const understood = readQuestion(input.question, { nomenclature });
  refuseUnclear(
    understood,
    { product: input.hs === undefined, country: input.country === undefined },
    "question",
  );
  const { country = understood.country, hs = understood.product?.code } = input;
  if (country === undefined && hs === undefined) {
    const message = "the question names no country or product: name one in it, or set country or hs";
    refuseWith("question", message);
  }
  return understood;
}

type DeepInput = z.output<typeof fusionDeepInput>;

/** The fields that named the country, the product and the years: a slot of the question if they are not given. */
const namesOf = ({ country, hs, years }: DeepInput): FieldNames => {
  const ofCountry = country === undefined ? "question" : "country";
  return {
    hs: hs === undefined ? "question" : "hs",
    years: years === undefined ? "question" : "years",
    ...{ reporter: ofCountry, country: ofCountry, dataset: "question" },
  };
};

const subjectOf = (read: Slots, { country = read.country, hs = read.hs, years = read.years }: DeepInput) => ({
  country,
  hs,
  years,
});

/** How the question is read; refuses what the report would refuse after payment, without reading any figure. */
export async function deepReading(
  data: Data,
  input: DeepInput,
  covers: StepChecks["covers"],
): Promise<ReadingSummary> {
  const understood = readDeep(data.reference, input);
  const { country, hs, years } = subjectOf(slotsOf(understood, lastYearOf(data)), input);
  const reporter = country !== undefined && isReporter(country) ? country : undefined;
  try {
    if (country !== undefined) await covers("fusion_country", { country });
    if (hs !== undefined) {
      for (const flow of flows) await covers("fusion_market_intel", { hs, reporter, flow, years });
      await covers("fusion_product", { hs });
    }
  } catch (error) {
    throw inFieldsOf(error, namesOf(input));
  }
  return summaryOf(understood);
}

/** Writes a report on the product or country in the question. */
export async function fusionDeep(calls: CallOperation, data: Data, input: DeepInput): Promise<ReportContent> {
  const subject = subjectOf(slotsOf(readDeep(data.reference, input), lastYearOf(data)), input);
  try {
    return await written(calls, input, subject);
  } catch (error) {
    throw inFieldsOf(error, namesOf(input));
  }
}

async function written(
  calls: CallOperation,
  input: DeepInput,
  { country, hs, years }: ReturnType<typeof subjectOf>,
): Promise<ReportContent> {
  const report = reportDraft(calls);
  const sections: Section[] = [];
  if (country !== undefined) sections.push(...(await ofCountry(report, country)));
  const largest = country === undefined || !isReporter(country) ? [] : await largestOf(report, country);
  const product = hs ?? largest[0];
  if (product !== undefined) {
    const others = largest.filter((code) => code !== product.slice(0, 2)).slice(0, MOST_BESIDE);
    sections.push(...(await ofProduct(report, { country, hs: product, years, others })));
  }
  sections.push(economySection(report, await report.ask("trade_macro_context", {})));
  return report.finish({ title: "Deep analysis", question: input.question, of: report.first(), sections });
}

async function ofCountry(report: ReportDraft, country: string): Promise<Section[]> {
  return sectionWriters.fusion_country(report, await report.ask("fusion_country", { country }));
}

/** The chapters that the country imports most of. */
async function largestOf({ ask }: ReportDraft, reporter: string): Promise<string[]> {
  const sourced = await ask("trade_top_products", { reporter, flow: "IMPORT", limit: MOST_BESIDE + 1 });
  return sourced.answer.data.flatMap(({ product }) => (product === REST ? [] : product));
}

type OfProduct = { country: string | undefined; hs: string; years: string | undefined; others: string[] };

async function ofProduct(report: ReportDraft, { country, hs, years, others }: OfProduct): Promise<Section[]> {
  const reporter = country !== undefined && isReporter(country) ? { reporter: country } : {};
  const span = years === undefined ? {} : { years };
  const sections: Section[] = [];
  for (const [flow, name] of [
    ["IMPORT", "Imports"],
    ["EXPORT", "Exports"],
  ] as const) {
    const beside = flow === "IMPORT" && others.length > 0 ? { beside: others } : {};
    const sourced = await report.ask("fusion_market_intel", { hs, ...reporter, flow, ...span, ...beside });
    const market = sectionWriters.fusion_market_intel(report, sourced);
    sections.push(...market.map((one) => ({ ...one, title: `${name}: ${one.title}` })));
  }
  sections.push(...sectionWriters.fusion_product(report, await report.ask("fusion_product", { hs })));
  const unusual = await askAlerts(report, { months: 6, hs, ...reporter });
  const found = unusual ? anomaliesIn(report, unusual, country) : [];
  if (unusual && found.length === 0) found.push(noneUnusual(report, unusual));
  return [
    ...sections,
    section("Unusual months", "Months far from the months before; each is a signal without a known cause.", {
      findings: found,
    }),
  ];
}
