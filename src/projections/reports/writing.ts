/** Writing of reports: operations answer questions, their figures become facts, and sections are made of those. */
import type { z } from "zod";
import type { Quoted } from "../../domain/ingest/quotation.ts";
import { type CitedText, citing, joinList } from "../../domain/reports/cited-text.ts";
import {
  type AnswerWithOrigin,
  type Fact,
  isAnswerFact,
  type Ledger,
  ledger,
  type Unit,
} from "../../domain/reports/fact.ts";
import { type MethodName, methodNames, methodOf } from "../../domain/reports/methods.ts";
import type { Finding, Report, Section } from "../../domain/reports/report.ts";
import type { countryOutput } from "../fusion/answers/country.ts";
import type { countryStatsOutput } from "../fusion/answers/country-stats.ts";
import type { marketOutput } from "../fusion/answers/market.ts";
import type { productOutput } from "../fusion/answers/product.ts";
import type { NewsAbout } from "../ingest/news.ts";
import type { macroOutput } from "../macro/answers/context.ts";
import type { compareOutput } from "../salary/answers/compare.ts";
import type { alertsOutput } from "../trade/answers/alerts.ts";
import type { concentrationOutput } from "../trade/answers/concentration.ts";
import type { corridorOutput } from "../trade/answers/corridor.ts";
import type { flowPulseOutput } from "../trade/answers/flow-pulse.ts";
import type { pricesOutput } from "../trade/answers/prices.ts";
import type { topPartnersOutput, topProductsOutput } from "../trade/answers/rankings.ts";
import type { rerouteOutput } from "../trade/answers/rerouting.ts";
import type { seasonOutput } from "../trade/answers/seasonality.ts";
import type { timelineOutput } from "../trade/answers/series.ts";
import type { sourcesOutput } from "../trade/answers/sources.ts";
import { codeLimits } from "./code-limits.ts";
import type { SignalRow } from "./front-run.ts";
import { realDataLimits } from "./real-data-limits.ts";

/** The operations that reports call, and the types of their answers. */
export type OperationAnswers = {
  fusion_market_intel: z.infer<typeof marketOutput>;
  fusion_product: z.infer<typeof productOutput>;
  fusion_country: z.infer<typeof countryOutput>;
  fusion_country_stats: z.infer<typeof countryStatsOutput>;
  trade_alerts: z.infer<typeof alertsOutput>;
  trade_top_products: z.infer<typeof topProductsOutput>;
  trade_top_partners: z.infer<typeof topPartnersOutput>;
  trade_macro_context: z.infer<typeof macroOutput>;
  salary_compare: z.infer<typeof compareOutput>;
  trade_timeline: z.infer<typeof timelineOutput>;
  trade_seasonality: z.infer<typeof seasonOutput>;
  trade_flow_pulse: z.infer<typeof flowPulseOutput>;
  trade_source_concentration: z.infer<typeof sourcesOutput>;
  trade_corridor: z.infer<typeof corridorOutput>;
  trade_reroute_watch: z.infer<typeof rerouteOutput>;
  trade_price_per_tonne: z.infer<typeof pricesOutput>;
  trade_concentration: z.infer<typeof concentrationOutput>;
  front_run_watch: { data: SignalRow[]; meta: object };
};
export type AnswerWithOriginOf<Answer> = Omit<AnswerWithOrigin, "answer"> & { answer: Answer };
export type AnswerTo<Name extends keyof OperationAnswers> = AnswerWithOriginOf<OperationAnswers[Name]>;
export type Market = AnswerTo<"fusion_market_intel">;
export type CallOperation = <Name extends keyof OperationAnswers>(
  operation: Name,
  input: Record<string, unknown>,
) => Promise<AnswerWithOriginOf<OperationAnswers[Name]>>;

/** The content of a report but for its name and what it rests on. */
export type ReportContent = Omit<
  Report,
  "report_id" | "operation" | "input" | "vintages" | "facts_sha256" | "sha256" | "quotations_sha256"
>;

/** News that may be quoted to the report's caller, the newest first. */
export type QuoteNews = (about: NewsAbout) => Promise<Quoted[]>;

export type ReportDraft = {
  /** Calls an operation and returns its answer. */
  ask: CallOperation;
  /** Calls an operation; `addSource` adds its answer to the report's sources. */
  request: CallOperation;
  /** Adds an answer to the report's sources, in the order of the calls. */
  addSource(sourced: AnswerWithOrigin): void;
  ledger: Ledger;
  /** The figure at a pointer of an answer. */
  at(sourced: AnswerWithOrigin, path: string, label: string, unit: Unit): Fact;
  finding(said: CitedText, confidence?: Finding["confidence"], method?: MethodName): Finding;
  limit(said: CitedText): void;
  quote(quotations: readonly Quoted[]): void;
  /** The answer that came first. */
  first(): AnswerWithOrigin;
  /** The content so far, without empty sections. */
  parts(sections: readonly Section[]): Pick<Report, "sections" | "facts" | "methods" | "sources" | "limits">;
  finish(about: {
    title: string;
    question: string;
    of: AnswerWithOrigin;
    sections: Section[];
  }): ReportContent;
};

export function reportDraft(call: CallOperation): ReportDraft {
  const facts = ledger();
  const used = new Set<MethodName>();
  const limits: CitedText[] = [];
  const quotations: Quoted[] = [];
  const sourced: AnswerWithOrigin[] = [];
  const at: ReportDraft["at"] = (one, path, label, unit) => facts.at(one, path, label, unit);
  const parts: ReportDraft["parts"] = (sections) => {
    const sources = sourcesOf(sourced, facts);
    return {
      sections: sections.filter(({ findings, tables }) => findings.length + tables.length > 0),
      facts: [...facts.facts],
      methods: methodNames.filter((name) => used.has(name)).map(methodOf),
      sources,
      limits,
    };
  };
  const limit: ReportDraft["limit"] = (said) => {
    const wordsOf = ({ text }: CitedText) => text.replaceAll(/\u00a0\[F\d+\]/g, "");
    if (!limits.some((one) => wordsOf(one) === wordsOf(said))) limits.push(said);
  };
  const real = new Set<string>();
  const hear = (one: AnswerWithOrigin) => {
    sourced.push(one);
    for (const said of codeLimits(facts, one)) limit(said);
    for (const { dataset, said } of realDataLimits(facts, one, real)) {
      real.add(dataset);
      limit(said);
    }
  };
  return {
    async ask(operation, input) {
      const answer = await call(operation, input);
      hear(answer);
      return answer;
    },
    request: call,
    addSource: hear,
    ledger: facts,
    at,
    finding(said, confidence = "reported", method) {
      if (method) used.add(method);
      return { ...said, confidence, method: method ?? null };
    },
    limit,
    quote: (given) => void quotations.push(...given),
    first() {
      const [first] = sourced;
      if (!first) throw new Error("nothing was requested");
      return first;
    },
    parts,
    finish({ title, question, of, sections }) {
      const last = at(of, "/meta/coverage/months/to", "last month of the data", "month");
      return {
        title,
        question,
        as_of: String(last.value),
        ...parts(sections),
        model: null,
        ...(quotations.length > 0 && { quotations }),
      };
    },
  };
}

/** Each vintage that facts come from, in the words of its answer. */
function sourcesOf(sourced: readonly AnswerWithOrigin[], { facts, at }: Ledger): Report["sources"] {
  const drawn = new Set(facts.flatMap((fact) => (isAnswerFact(fact) ? fact.from.vintage : [])));
  const first = new Map(sourced.map((one) => [one.origin.vintage, one]));
  return [...first.values()].flatMap((one) => {
    const { dataset, vintage, synthetic } = one.origin;
    if (!drawn.has(vintage)) return [];
    const source = at(one, "/meta/source", "source of the data", "text");
    return { ...citing`${source}`, dataset, vintage, synthetic };
  });
}

/** An empty section is left out. */
export const section = (title: string, text: string, more: Partial<Section>): Section => ({
  title,
  text,
  findings: [],
  charts: [],
  tables: [],
  ...more,
});

export const factCell = (fact: Fact | undefined) => (fact ? { fact: fact.id } : { word: "—" });
/** Marks a year of which some months are missing, so that its sum is not read as a fall. */
export const deliveredCell = (complete: boolean) => wordCell(complete ? "in full" : "in part");

export const wordCell = (word: string) => ({ word });

/** Names in a sentence on the largest of a list. */
const MOST_NAMED = 3;

/** The largest of a list with their shares: "Germany with 86.2 %, then Italy with 8.36 %". */
export function largest(
  named: readonly { name: CitedText; share: Fact | undefined }[],
): CitedText | undefined {
  const [first, ...others] = named
    .slice(0, MOST_NAMED)
    .flatMap(({ name, share }) => (share ? [citing`${name} with ${share}`] : []));
  if (!first) return undefined;
  return others.length > 0 ? citing`${first}, then ${joinList(others)}` : first;
}
