/** How every trade question begins and ends: a dataset that covers it is chosen and leased, and the answer says what it rests on. */

import { z } from "zod";
import { refuse } from "../../../core/model/refusal.ts";
import { type ExpectedDataset, refuseAwaited } from "../../../datasets/builds.ts";
import type { Manifest } from "../../../datasets/manifest.ts";
import type { Lease, Vintages } from "../../../datasets/vintage-store.ts";
import {
  type Coverage,
  type Question as Covered,
  flowsOf,
  type Gap,
  gapIn,
  inCodesOf,
  knownOf,
  knownPartners,
  lastCompleteYear,
  lastYearWithAny,
  productsComplete,
} from "../../../domain/trade/coverage.ts";
import { tradeProblems } from "../../../domain/trade/problems.ts";
import { type NameOf, ownName } from "../../../domain/trade/product-names.ts";
import { type ReporterCode, reporterCodes } from "../../../domain/trade/reporters.ts";
import { monthsBetween, monthText, type Period, type Years, yearOf } from "../../../domain/trade/units.ts";

/** The trade data of a process. Without `allow_synthetic` the sandbox answers nothing, without `nameOf` few products have a name. */
export type TradeData = {
  vintages: Vintages;
  allow_synthetic: boolean;
  nameOf?: NameOf;
  /** The table that those names come from, and its vintage. */
  names_from?: string | undefined;
};

/** What the products of answers are called. */
export const namesOf = ({ nameOf = ownName }: TradeData): NameOf => nameOf;

/** Where they come from, for `meta` of an answer that names products. */
export const aboutNames = ({ names_from }: TradeData) => ({ names_from: names_from ?? null });

export type Question = Covered & {
  dataset?: string | undefined;
  /** The input fields that name product, reporters, flow and years, for refusals. */
  fields?: {
    hs?: "hs" | "hs2" | "code" | "dataset";
    reporter?: "reporter" | "reporters" | "dataset";
    flow?: "flow" | "direction";
    years?: "year" | "years" | "month";
    partner?: "target_country" | "country";
  };
};

/** Codes listed in `coverage.products.codes`; more are counted only. */
const LISTED_CODES = 60;

export const meta = z.object({
  dataset: z.string(),
  vintage: z
    .string()
    .describe("SHA-256 of the dataset's immutable vintage; the log has its release")
    .meta({ id: "Vintage" }),
  synthetic: z
    .boolean()
    .describe("true: invented figures of the sandbox, for trying the service out")
    .meta({ id: "Synthetic" }),
  source: z.string(),
  hs: z
    .string()
    .nullable()
    .describe(
      "The code of the figures, as fine as the dataset allows; it can be shorter than the requested one; null = all",
    ),
  names_from: z
    .string()
    .nullable()
    .optional()
    .describe("Table and vintage of product names beyond chapters and wood; null = none loaded")
    .meta({ id: "NamesFrom" }),
  coverage: z
    .object({
      products: z.object({
        complete: z
          .boolean()
          .describe("false: the figures sum only the listed codes, not all that was requested"),
        count: z.int().describe("Product codes with data under the `hs` asked for"),
        codes: z.array(z.string()).describe(`The codes, if at most ${LISTED_CODES}`),
      }),
      partners: z.array(z.string()).optional().describe("The dataset's only partners; absent: all of them"),
      reporters: z.array(z.string()),
      months: z.object({ from: z.string(), to: z.string() }),
    })
    .meta({ id: "Coverage" }),
  incomplete: z
    .array(
      z.object({
        reporter: z.string(),
        delivered_to: z.string(),
        missing_months: z
          .array(z.string())
          .optional()
          .describe("Earlier months that lack some of the requested data"),
      }),
    )
    .describe("Requested reporters without a complete delivery; later months are provisional")
    .meta({ id: "Incomplete" }),
});

export type Meta = z.infer<typeof meta>;

/** What the figures of an answer are, in words. */
export const formula = z.string().describe("How the figures are computed");

/** Leases the dataset that answers, runs `work` on it and lets it go. `asked` is the question in the dataset's own codes. */
export async function onDataset<Q extends Question, T>(
  trade: TradeData,
  question: Q,
  work: (lease: Lease, asked: Q) => Promise<T>,
): Promise<T> {
  const { manifest, asked } = chooseDataset(trade, question);
  const lease = trade.vintages.lease(manifest.dataset);
  try {
    return await work(lease, asked);
  } finally {
    lease.release();
  }
}

/**
 * As onDataset, over each dataset that knows something of the question: first the one that answers it by the usual
 * choice, then the real ones that know a part. Each is to be told apart in the answer.
 */
export async function onDatasets<Q extends Question, T>(
  trade: TradeData,
  question: Q,
  work: (leases: Lease[], asked: Q) => Promise<T>,
): Promise<T> {
  const { manifest, asked } = chooseDataset(trade, question);
  const first = manifest.dataset;
  const others = question.dataset === undefined ? trade.vintages.open() : [];
  const parts = others
    .filter(({ dataset, synthetic }) => dataset !== first && !synthetic)
    .filter(({ coverage }) => gapIn(coverage, asked, true) === undefined)
    .map(({ dataset }) => dataset);
  const leases: Lease[] = [];
  try {
    for (const dataset of [first, ...parts]) leases.push(trade.vintages.lease(dataset));
    return await work(leases, asked);
  } finally {
    for (const lease of leases) lease.release();
  }
}

/** Whether any dataset would answer by the usual choice. */
export const isCovered = ({ vintages, allow_synthetic }: TradeData, question: Covered): boolean =>
  vintages
    .open()
    .filter(({ synthetic }) => allow_synthetic || !synthetic)
    .some(({ coverage }) => gapIn(coverage, inCodesOf(coverage, question), false) === undefined);

/** What may answer, in the usual order: real before synthetic, a whole before a part, many reporters before few. */
export function mayAnswer({ vintages, allow_synthetic }: TradeData): Manifest[] {
  const open = vintages.open().filter(({ synthetic }) => allow_synthetic || !synthetic);
  const isWhole = (coverage: Coverage) => coverage.products.national && !knownPartners(coverage);
  const order = ({ synthetic, coverage }: Manifest) => (synthetic ? 2 : isWhole(coverage) ? 0 : 1);
  const breadth = ({ coverage }: Manifest) => coverage.reporters.length;
  return open.toSorted((a, b) => order(a) - order(b) || breadth(b) - breadth(a));
}

/** The same; refused where nothing may. */
export function inUsualOrder(trade: TradeData): Manifest[] {
  const open = mayAnswer(trade);
  if (open.length > 0) return open;
  refuseWhileAwaited(trade);
  return refuse(tradeProblems["dataset-missing"], "no trade dataset is loaded (yet)", { retry_after_s: 5 });
}

/** `asked`: the question in the codes that the dataset has. */
type Chosen<Q> = { manifest: Manifest; asked: Q };

/** The dataset that answers, as it is open now; nothing is ever drawn from two. */
export function chooseDataset<Q extends Question>(trade: TradeData, question: Q): Chosen<Q> {
  const candidates = inUsualOrder(trade);
  if (question.dataset !== undefined) {
    refuseWhileAwaited(trade, ({ dataset }) => dataset === question.dataset);
    return namedDataset(candidates, question, question.dataset);
  }
  const gaps: { dataset: string; gap: Gap }[] = [];
  // A real one that has to be asked for less digits goes before invented figures of all of them, and after a real one that need not.
  const order = ({ manifest, asked }: Chosen<Q>) =>
    2 * Number(manifest.synthetic) + Number(asked !== question);
  const chosen = candidates.map((manifest) => ({ manifest, asked: inCodesOf(manifest.coverage, question) }));
  for (const one of chosen.toSorted((a, b) => order(a) - order(b))) {
    const { dataset, coverage } = one.manifest;
    const gap = gapIn(coverage, one.asked, false);
    if (!gap) return one;
    gaps.push({ dataset, gap });
  }
  refuseWhileAwaited(trade);
  const partly = chosen.filter(({ manifest, asked }) => gapIn(manifest.coverage, asked, true) === undefined);
  const remedy = partly.map(({ manifest: { dataset } }) => `dataset=${dataset} answers from its part`);
  const message = [...gaps.map(({ dataset, gap }) => `${dataset} ${gap.message}`), ...remedy].join("; ");
  // The dataset that came nearest to an answer says which field to change.
  const progress = ["hs", "partner", "reporter", "flow", "years"];
  const [nearest] = gaps
    .map(({ gap }) => gap)
    .toSorted((a, b) => progress.indexOf(b.path) - progress.indexOf(a.path));
  return refuseGap(question, nearest!, `no dataset covers the question: ${message}`);
}

/** Refuses while such a dataset, or any, is still to be made or opened. */
export function refuseWhileAwaited(
  { vintages, allow_synthetic }: TradeData,
  such: (expected: ExpectedDataset) => boolean = () => true,
): void {
  const awaited = vintages.awaited().filter(({ synthetic }) => allow_synthetic || !synthetic);
  if (awaited.some(such)) refuseAwaited(awaited.filter(such));
}

/** Refuses while a dataset that was released is not open. */
export const refuseUnopened = (trade: TradeData): void =>
  refuseWhileAwaited(trade, ({ released }) => released);

function namedDataset<Q extends Question>(open: Manifest[], question: Q, name: string): Chosen<Q> {
  const found = open.find(({ dataset }) => dataset === name);
  if (!found) {
    const message = `there is no dataset ${name}; there is ${open.map(({ dataset }) => dataset).join(", ")}`;
    return refuse("invalid", message, { errors: [{ path: "dataset", message }] });
  }
  const asked = inCodesOf(found.coverage, question);
  const gap = gapIn(found.coverage, asked, true);
  return gap ? refuseGap(question, gap, `${name} ${gap.message}`) : { manifest: found, asked };
}

function refuseGap(question: Question, gap: Gap, message: string): never {
  const { hs = "hs", reporter = "reporter", flow = "flow", years = "years" } = question.fields ?? {};
  // A question about all partners names none: another dataset is what would answer it.
  const partner = question.partner === undefined ? "dataset" : (question.fields?.partner ?? "partner");
  const path = { hs, partner, reporter, flow, years }[gap.path];
  return refuse(tradeProblems["outside-coverage"], message, { errors: [{ path, message }] });
}

/** The reporters of an answer: those named, else all 27. */
export const orAll = (reporters: readonly ReporterCode[] | undefined): readonly ReporterCode[] =>
  reporters ?? reporterCodes;

/** The year asked for, else the last that every reporter has delivered in full, else the last one with figures. */
export function yearOrLast({ manifest }: Lease, question: Covered): number {
  const { coverage } = manifest;
  return question.years?.to ?? lastCompleteYear(coverage, question) ?? lastYearWithAny(coverage, question);
}

/** The years asked for, else all that the dataset has. */
export function yearsOrAll({ manifest }: Lease, years: Years | undefined): Years {
  const { from, to } = manifest.coverage.months;
  return years ?? { from: yearOf(from), to: yearOf(to) };
}

/** The months of the years that lie within the dataset's. */
export function monthsOf({ manifest }: Pick<Lease, "manifest">, years: Years): Period[] {
  const { from, to } = manifest.coverage.months;
  return monthsBetween(Math.max(from, years.from * 100 + 1), Math.min(to, years.to * 100 + 12));
}

/** What the answer rests on; `asked` is what the figures are about. */
export function metaOf({ manifest }: Pick<Lease, "manifest">, asked: Covered & { years: Years }): Meta {
  const { dataset, vintage, synthetic, source, coverage } = manifest;
  const partners = knownPartners(coverage);
  const codes = coverage.products.codes.filter((code) => code.startsWith(asked.hs ?? ""));
  const lastMonth = Math.min(asked.years.to * 100 + 12, coverage.months.to);
  const months = monthsOf({ manifest }, asked.years);
  const known = knownOf(coverage, asked.hs, asked.partner);
  const isKnown = (reporter: ReporterCode, period: Period) =>
    flowsOf(asked.flow).every((flow) => known(reporter, flow, period));
  const incomplete = coverage.reporters
    .filter(({ reporter }) => asked.reporters.includes(reporter))
    .map(({ reporter, to }) => ({
      reporter,
      to,
      missing: months.filter((period) => period <= to && !isKnown(reporter, period)),
    }))
    .filter(({ to, missing }) => to < lastMonth || missing.length > 0)
    .map(({ reporter, to, missing }) => ({
      reporter,
      delivered_to: monthText(to),
      ...(missing.length > 0 && { missing_months: missing.map(monthText) }),
    }));
  return {
    dataset,
    vintage,
    synthetic,
    source,
    hs: asked.hs ?? null,
    coverage: {
      products: {
        complete: productsComplete(coverage, asked),
        count: codes.length,
        codes: codes.length <= LISTED_CODES ? codes : [],
      },
      ...(partners && { partners }),
      reporters: coverage.reporters.map(({ reporter }) => reporter),
      months: { from: monthText(coverage.months.from), to: monthText(coverage.months.to) },
    },
    incomplete,
  };
}
