/** Each trade question chooses and leases a dataset that covers it; the answer's `meta` names that dataset. */

import { z } from "zod";
import { refuse, refuseWith } from "../../../core/model/refusal.ts";
import { type ExpectedDataset, refuseAwaited } from "../../../datasets/builds.ts";
import type { Manifest } from "../../../datasets/manifest.ts";
import type { Lease, RealData, Vintages } from "../../../datasets/vintage-store.ts";
import type { BasisQuery, CodeTable } from "../../../domain/trade/code-basis.ts";
import {
  type Coverage,
  type Question as Covered,
  completenessOf,
  coveredReporters,
  flowsOf,
  type Gap,
  gapIn,
  inCodesOf,
  isBelow,
  lastCompleteYear,
  lastYearWithAny,
  namedPartners,
  productsComplete,
} from "../../../domain/trade/coverage.ts";
import { tradeProblems } from "../../../domain/trade/problems.ts";
import { type Procedure, procedures } from "../../../domain/trade/procedures.ts";
import { type NameOf, ownName } from "../../../domain/trade/product-names.ts";
import { productLevels } from "../../../domain/trade/products.ts";
import { type ReporterCode, reporterCodes } from "../../../domain/trade/reporters.ts";
import { monthsBetween, monthText, type Period, type Years, yearOf } from "../../../domain/trade/units.ts";
import {
  aboutChapters,
  aboutCodes,
  chaptersMoved,
  codesMeta,
  inBasis,
  refuseOutsideBasis,
} from "./product-codes.ts";

/** Without `allow_synthetic` the sandbox answers nothing; without `nameOf` few products have a name. */
export type TradeData = {
  vintages: Vintages;
  allow_synthetic: boolean;
  nameOf?: NameOf;
  /** The table of names and its vintage. */
  names_from?: string | undefined;
  /** The table of code changes for real or for synthetic data. */
  codesOf?: (synthetic: boolean) => CodeTable | undefined;
};

export const namesOf = ({ nameOf = ownName }: TradeData): NameOf => nameOf;

export const aboutNames = ({ names_from }: TradeData) => ({ names_from: names_from ?? null });

export type Question = Covered & {
  dataset?: string | undefined;
  basis?: BasisQuery["basis"];
  /** Only this statistical procedure. */
  procedure?: Procedure | undefined;
  /** The answer compares months or years, so a change of the code would look like one of trade. */
  compares?: boolean;
  /** `zero`: a product without a row has no trade. Default: it is refused. */
  untraded?: "zero";
  /** The years whose changes of codes matter. Default: the question's, else the dataset's. */
  crossing?: (coverage: Coverage) => Years;
  /** Names of the input fields, for refusals. */
  fields?: {
    hs?: "hs" | "code" | "dataset";
    reporter?: "reporter" | "reporters" | "dataset" | "hs";
    flow?: "flow" | "direction";
    years?: "year" | "years" | "month";
    partner?: "target_country" | "country" | "reporter";
  };
};

/** `coverage.products.codes` lists at most this many; more are only counted. */
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
    .describe("Product code of the figures, cut to the digits of the dataset; null = all products")
    .meta({ id: "FiguresCode" }),
  names_from: z
    .string()
    .nullable()
    .optional()
    .describe("Table and vintage of the product names; null = only chapters and wood have names")
    .meta({ id: "NamesFrom" }),
  coverage: z
    .object({
      products: z
        .object({
          complete: z
            .boolean()
            .describe("false: the figures sum only the listed codes, not all requested products"),
          count: z.int().describe("Number of product codes with data under the requested `hs`"),
          codes: z
            .array(z.string())
            .describe(`The product codes; empty if there are more than ${LISTED_CODES}`),
        })
        .describe("The covered products"),
      partners: z
        .array(z.string())
        .optional()
        .describe("The only partners in the dataset; absent: the dataset has all"),
      reporters: z.array(z.string()).describe("Reporters whose files cover the requested products"),
      months: z.object({ from: z.string(), to: z.string() }),
    })
    .describe("The products, reporters and months that the dataset covers")
    .meta({ id: "Coverage" }),
  real_data: z
    .array(z.object({ dataset: z.string(), why: z.string().describe("Why the dataset does not answer") }))
    .optional()
    .describe("Loaded real datasets, if the sandbox answers; absent: none, or the answer is real")
    .meta({ id: "RealData" }),
  procedure: z
    .enum(procedures)
    .optional()
    .describe("The requested procedure; absent = all together")
    .meta({ id: "FiguresProcedure" }),
  codes: codesMeta.optional(),
  chapters_moved: chaptersMoved.optional(),
  incomplete: z
    .array(
      z.object({
        reporter: z.string(),
        delivered_to: z.string(),
        missing_months: z
          .array(z.string())
          .optional()
          .describe("Earlier months that lack some requested data"),
      }),
    )
    .describe("Requested reporters whose delivery is incomplete; later months are provisional")
    .meta({ id: "Incomplete" }),
});

export type Meta = z.infer<typeof meta>;

export const formula = z.string().describe("How the figures are computed").meta({ id: "Formula" });

/** Leases the dataset that answers while `work` runs. `work` gets the question in the dataset's codes. */
export async function onDataset<Q extends Question, T>(
  trade: TradeData,
  question: Q,
  work: (lease: Lease, query: Q) => Promise<T>,
): Promise<T> {
  const { manifest, query } = chooseDataset(trade, question);
  const lease = { ...trade.vintages.lease(manifest.dataset), manifest };
  try {
    return await work({ ...lease, real_data: realDataBeside(trade, manifest, question) }, query);
  } finally {
    lease.release();
  }
}

/**
 * As onDataset, over several datasets: first the default one, then each real one that covers a part. The answer must
 * separate them.
 */
export async function onDatasets<Q extends Question, T>(
  trade: TradeData,
  question: Q,
  work: (leases: Lease[], query: Q) => Promise<T>,
): Promise<T> {
  const { manifest, query } = chooseDataset(trade, question);
  const first = manifest.dataset;
  const others = question.dataset === undefined ? trade.vintages.open() : [];
  const parts = others
    .filter(({ dataset, synthetic }) => dataset !== first && !synthetic)
    .map((one) => inBasis(one, trade.codesOf, query))
    .filter(({ coverage }) => gapIn(coverage, query, true) === undefined);
  const leases: Lease[] = [];
  try {
    const real_data = realDataBeside(trade, manifest, question);
    for (const one of [manifest, ...parts])
      leases.push({
        ...trade.vintages.lease(one.dataset),
        manifest: one,
        ...(one.dataset === first && { real_data }),
      });
    return await work(leases, query);
  } finally {
    for (const lease of leases) lease.release();
  }
}

/** The real datasets that leave a question to the sandbox, and why; undefined for real figures, or where none is loaded. */
function realDataBeside(trade: TradeData, chosen: Manifest, question: Question): RealData | undefined {
  const real = chosen.synthetic ? candidateDatasets(trade).filter(({ synthetic }) => !synthetic) : [];
  if (real.length === 0) return undefined;
  return real.map(({ dataset, coverage }) => {
    // An answer rests on what it names: a repeat at its vintages names the same.
    trade.vintages.lease(dataset).release();
    const gap = gapIn(coverage, inCodesOf(coverage, question), false);
    return { dataset, why: gap?.message ?? `covers the question, but the request names ${chosen.dataset}` };
  });
}

export const isCovered = ({ vintages, allow_synthetic }: TradeData, question: Covered): boolean =>
  vintages
    .open()
    .filter(({ synthetic }) => allow_synthetic || !synthetic)
    .some(({ coverage }) => gapIn(coverage, inCodesOf(coverage, question), false) === undefined);

/** The last year that ends within the data of the dataset that is preferred; undefined without one. */
export function lastYearOf(data: Pick<TradeData, "vintages" | "allow_synthetic">): number | undefined {
  const to = candidateDatasets(data)[0]?.coverage.months.to;
  return to === undefined ? undefined : to % 100 === 12 ? yearOf(to) : yearOf(to) - 1;
}

/** Ordered: real before synthetic, whole before partial, more reporters before fewer. */
export function candidateDatasets({
  vintages,
  allow_synthetic,
}: Pick<TradeData, "vintages" | "allow_synthetic">): Manifest[] {
  const open = vintages.open().filter(({ synthetic }) => allow_synthetic || !synthetic);
  const isWhole = (coverage: Coverage) => coverage.products.national && !namedPartners(coverage);
  const order = ({ synthetic, coverage }: Manifest) => (synthetic ? 2 : isWhole(coverage) ? 0 : 1);
  const breadth = ({ coverage }: Manifest) => coverage.reporters.length;
  return open.toSorted((a, b) => order(a) - order(b) || breadth(b) - breadth(a));
}

/** As candidateDatasets; refuses if there is none. */
export function requireCandidates(trade: TradeData): Manifest[] {
  const open = candidateDatasets(trade);
  if (open.length > 0) return open;
  refuseWhileAwaited(trade);
  return refuse(tradeProblems["dataset-missing"], "no trade dataset is loaded (yet)", { retry_after_s: 5 });
}

/** `query` is the question in the dataset's codes. */
type DatasetChoice<Q> = { manifest: Manifest; query: Q };

/** One dataset answers; figures of two are never mixed. */
export function chooseDataset<Q extends Question>(trade: TradeData, question: Q): DatasetChoice<Q> {
  const candidates = requireCandidates(trade);
  if (question.dataset !== undefined) {
    refuseWhileAwaited(trade, ({ dataset }) => dataset === question.dataset);
    return namedDataset(trade, candidates, question, question.dataset);
  }
  const gaps: { dataset: string; gap: Gap }[] = [];
  // A real dataset with fewer digits comes after a real one with all digits, and before synthetic figures.
  const order = ({ manifest, query }: DatasetChoice<Q>) =>
    2 * Number(manifest.synthetic) + Number(query !== question);
  const choices = candidates.map((manifest) => bound(trade, manifest, question));
  const whole: DatasetChoice<Q>[] = [];
  for (const choice of choices.toSorted((a, b) => order(a) - order(b))) {
    const { dataset, coverage } = choice.manifest;
    const gap = gapIn(coverage, choice.query, false);
    if (gap) gaps.push({ dataset, gap });
    else whole.push(choice);
  }
  const [first] = whole;
  if (first) {
    // No trade in real data is not answered by synthetic figures.
    const isLike = (choice: DatasetChoice<Q>) => choice.manifest.synthetic === first.manifest.synthetic;
    return chosen(whole.find((choice) => isLike(choice) && hasRows(choice)) ?? first);
  }
  refuseWhileAwaited(trade);
  const partly = choices.filter(({ manifest, query }) => gapIn(manifest.coverage, query, true) === undefined);
  const remedy = partly.map(({ manifest: { dataset } }) => `dataset=${dataset} answers for a part`);
  const message = [...gaps.map(({ dataset, gap }) => `${dataset} ${gap.message}`), ...remedy].join("; ");
  // The dataset that came nearest to an answer decides the field to change.
  const progress = ["hs", "partner", "reporter", "flow", "procedure", "years"];
  const [nearest] = gaps
    .map(({ gap }) => gap)
    .toSorted((a, b) => progress.indexOf(b.path) - progress.indexOf(a.path));
  return refuseGap(question, nearest!, `no dataset covers the question: ${message}`);
}

/** Refuses while a matching dataset is still being built or opened. */
export function refuseWhileAwaited(
  { vintages, allow_synthetic }: TradeData,
  matches: (expected: ExpectedDataset) => boolean = () => true,
): void {
  const awaited = vintages.awaited().filter(({ synthetic }) => allow_synthetic || !synthetic);
  if (awaited.some(matches)) refuseAwaited(awaited.filter(matches));
}

/** Refuses until every released dataset is open. */
export const refuseUnopened = (trade: TradeData): void =>
  refuseWhileAwaited(trade, ({ released }) => released);

/** The question in the dataset's codes, and what these mean in each year. */
function bound<Q extends Question>(trade: TradeData, manifest: Manifest, question: Q): DatasetChoice<Q> {
  const query = inCodesOf(manifest.coverage, question);
  return { manifest: inBasis(manifest, trade.codesOf, query), query };
}

function chosen<Q extends Question>(choice: DatasetChoice<Q>): DatasetChoice<Q> {
  const { manifest, query } = choice;
  refuseOutsideBasis(manifest.coverage, query.hs);
  refuseUntraded(choice);
  return choice;
}

const hasRows = <Q extends Question>({ manifest: { coverage }, query: { hs } }: DatasetChoice<Q>): boolean =>
  hs === undefined || coverage.products.codes.some(isBelow(coverage, hs));

/** Refuses a product without a row in any month: its answer would have nothing but zeros. */
function refuseUntraded<Q extends Question>(choice: DatasetChoice<Q>): void {
  if (choice.query.untraded === "zero" || hasRows(choice)) return;
  const { manifest, query } = choice;
  const message = `${manifest.dataset} has no row of ${query.hs} in any month; customs/classifications finds codes`;
  refuseGap(query, { path: "hs", message }, message);
}

function namedDataset<Q extends Question>(
  trade: TradeData,
  open: Manifest[],
  question: Q,
  name: string,
): DatasetChoice<Q> {
  const match = open.find(({ dataset }) => dataset === name);
  if (!match) {
    const message = `there is no dataset ${name}; there is ${open.map(({ dataset }) => dataset).join(", ")}`;
    return refuseWith("dataset", message);
  }
  const choice = bound(trade, match, question);
  const gap = gapIn(choice.manifest.coverage, choice.query, true);
  return gap ? refuseGap(question, gap, `${name} ${gap.message}`) : chosen(choice);
}

function refuseGap(question: Question, gap: Gap, why: string): never {
  const { hs = "hs", reporter = "reporter", flow = "flow", years = "years" } = question.fields ?? {};
  // A question about all partners has no partner field: the remedy is another dataset.
  const partner = question.partner === undefined ? "dataset" : (question.fields?.partner ?? "partner");
  const path = { hs, partner, reporter, flow, years, procedure: "procedure" }[gap.path];
  const { hs: code = "" } = question;
  const isFine = gap.path === "reporter" && code.length > productLevels.hs2;
  const message = isFine ? `${why}; give chapter ${code.slice(0, 2)}, or a covered reporter` : why;
  return refuse(tradeProblems["outside-coverage"], message, { errors: [{ path, message }] });
}

export const orAll = (reporters: readonly ReporterCode[] | undefined): readonly ReporterCode[] =>
  reporters ?? reporterCodes;

/** The requested year, else the last that every reporter delivered in full, else the last with figures. */
export function yearOrLast({ manifest }: Lease, question: Covered): number {
  const { coverage } = manifest;
  return question.years?.to ?? lastCompleteYear(coverage, question) ?? lastYearWithAny(coverage, question);
}

export function yearsOrAll({ manifest }: Lease, years: Years | undefined): Years {
  const { from, to } = manifest.coverage.months;
  return years ?? { from: yearOf(from), to: yearOf(to) };
}

export function monthsOf({ manifest }: Pick<Lease, "manifest">, years: Years): Period[] {
  const { from, to } = manifest.coverage.months;
  return monthsBetween(Math.max(from, years.from * 100 + 1), Math.min(to, years.to * 100 + 12));
}

export function metaOf(
  { manifest, real_data }: Pick<Lease, "manifest" | "real_data">,
  query: Covered & { years: Years },
): Meta {
  const { dataset, vintage, synthetic, source, coverage } = manifest;
  const partners = namedPartners(coverage);
  const codes = coverage.products.codes.filter(isBelow(coverage, query.hs));
  const lastMonth = Math.min(query.years.to * 100 + 12, coverage.months.to);
  const months = monthsOf({ manifest }, query.years);
  // A year without the code lacks no delivery.
  const product = coverage.book?.of(query.hs);
  const isComplete = completenessOf(coverage, query.hs, query.partner);
  const isMonthComplete = (reporter: ReporterCode, period: Period) =>
    flowsOf(query.flow).every((flow) => isComplete(reporter, flow, period));
  const incomplete = coverage.reporters
    .filter(({ reporter }) => query.reporters.includes(reporter))
    .map(({ reporter, to }) => ({
      reporter,
      to,
      missing: months.filter(
        (period) =>
          period <= to && product?.exists(yearOf(period)) !== false && !isMonthComplete(reporter, period),
      ),
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
    hs: query.hs ?? null,
    ...(real_data && { real_data: [...real_data] }),
    ...(coverage.procedure !== undefined && { procedure: coverage.procedure }),
    ...aboutCodes(coverage, query.hs),
    ...aboutChapters(coverage, query.hs),
    coverage: {
      products: {
        complete: productsComplete(coverage, query),
        count: codes.length,
        codes: codes.length <= LISTED_CODES ? codes : [],
      },
      ...(partners && { partners }),
      reporters: coveredReporters(coverage, query),
      months: { from: monthText(coverage.months.from), to: monthText(coverage.months.to) },
    },
    incomplete,
  };
}
