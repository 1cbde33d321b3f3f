/** The sources and methods of fusion at present: `sources`, `capabilities` and `intents`. */
import { z } from "zod";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import { capabilityNames, methods } from "../../../domain/fusion/capabilities.ts";
import { intentSlots } from "../../../domain/fusion/intent-slots.ts";
import { intents } from "../../../domain/fusion/intents.ts";
import { absentSources, licenceOf } from "../../../domain/fusion/licences.ts";
import { type ReadingSummary, readingSummary } from "../../../domain/questions/summary.ts";
import { monthsBetween, monthText } from "../../../domain/trade/units.ts";
import type { NewsExtent } from "../../ingest/news.ts";
import type { TradeData } from "../../trade/answers/question.ts";
import { planted, plantedFor, plantedIn } from "./planted.ts";

const source = z.object({
  dataset: z.string(),
  kind: z.enum(["trade", "table", "news"]),
  available: z.boolean(),
  why: z.string().nullable().describe("Why the source is unavailable; null: it is available"),
  source: z.string().nullable(),
  vintage: z.string().nullable(),
  synthetic: z.boolean().nullable(),
  from: z.string().nullable().describe("First month, YYYY-MM; null for tables"),
  to: z.string().nullable().describe("Last month, or the table's last day; null: none is known"),
  reporters: z.int().nullable().describe("Number of reporters; null: not trade data"),
  all_products: z.boolean().nullable(),
  licence: z.string().describe("Summary of the licence; the publisher's own text prevails"),
  licence_source: z.string().nullable().describe("The publisher's page on the licence; null: none"),
  delay: z.string().describe("Time until publication"),
});

export const sourcesOutput = z.object({
  data: z.array(source),
  meta: z.object({ count: z.int().describe("Number of available sources") }),
});

type Source = z.infer<typeof source>;

/** Ingested news that may be quoted to the caller. */
const newsSource = ({ items, from, to }: NewsExtent): Source => ({
  dataset: "news",
  kind: "news",
  available: items > 0,
  why: items > 0 ? null : "there is no news that you may quote",
  source: items > 0 ? "Submitted by the operator's servers; quoted, never counted" : null,
  vintage: null,
  synthetic: null,
  from: from?.slice(0, 7) ?? null,
  to,
  reporters: null,
  all_products: null,
  licence: items > 0 ? "As published" : "—",
  licence_source: null,
  delay: items > 0 ? "none" : "—",
});

/** Every open dataset and table, the news, and sources that are absent. */
export function fusionSources(
  trade: TradeData,
  reference: ReferenceStore,
  news: NewsExtent,
): z.infer<typeof sourcesOutput> {
  const isShown = ({ synthetic }: { synthetic: boolean }) => trade.allow_synthetic || !synthetic;
  const datasets = trade.vintages
    .open()
    .filter(isShown)
    .map(({ dataset, vintage, synthetic, source, coverage }) => ({
      dataset,
      kind: "trade" as const,
      available: true,
      why: null,
      source,
      vintage,
      synthetic,
      from: monthText(coverage.months.from),
      to: monthText(coverage.months.to),
      reporters: coverage.reporters.length,
      all_products: coverage.products.national,
      ...licenceOf(dataset, source, synthetic),
    }));
  const tables = reference
    .open()
    .filter(isShown)
    .map(({ dataset, vintage, synthetic, source, as_of }) => ({
      dataset,
      kind: "table" as const,
      available: true,
      why: null,
      source,
      vintage,
      synthetic,
      from: null,
      to: as_of,
      reporters: null,
      all_products: null,
      ...licenceOf(dataset, source, synthetic),
    }));
  const data = [...datasets, ...tables].sort((a, b) => (a.dataset < b.dataset ? -1 : 1));
  const absent = absentSources.map(({ dataset, why }) => ({
    dataset,
    kind: "table" as const,
    available: false,
    why,
    source: null,
    vintage: null,
    synthetic: null,
    from: null,
    to: null,
    reporters: null,
    all_products: null,
    licence: "—",
    licence_source: null,
    delay: "—",
  }));
  const newsEntry = newsSource(news);
  const known = newsEntry.available ? [...data, newsEntry] : data;
  return {
    data: [...known, ...(newsEntry.available ? [] : [newsEntry]), ...absent],
    meta: { count: known.length },
  };
}

export const capabilitiesOutput = z.object({
  data: z.array(
    z.object({
      method: z.enum(capabilityNames),
      formula: z.string(),
      source: z.string(),
      least_data: z.string(),
      asked_by: z.array(z.string()).describe("Operations that use the method"),
      lacks: z.array(z.string()).describe("Data that the method lacks; empty: it can run"),
      planted: z.array(z.string()).describe("Patterns of `meta.planted` that the method should find"),
    }),
  ),
  meta: z.object({ count: z.int(), planted }),
});

/** Each method with its least data, and the part of that which is missing now. */
export function fusionCapabilities(
  trade: TradeData,
  reference: ReferenceStore,
): z.infer<typeof capabilitiesOutput> {
  const open = trade.vintages.open().filter(({ synthetic }) => trade.allow_synthetic || !synthetic);
  const months = Math.max(
    0,
    ...open.map(({ coverage }) => monthsBetween(coverage.months.from, coverage.months.to).length),
  );
  const has = {
    months,
    national: open.some(({ coverage }) => coverage.products.national),
    reporters: Math.max(0, ...open.map(({ coverage }) => coverage.reporters.length)),
    tables: new Set(
      reference
        .open()
        .flatMap(({ dataset, synthetic }) =>
          trade.allow_synthetic || !synthetic ? dataset.replace(/^sandbox-/, "") : [],
        ),
    ),
  };
  const sandbox = open.find(({ dataset }) => plantedIn({ dataset }).length > 0);
  const data = methods.map(({ needs, ...method }) => ({
    ...method,
    lacks: needs(has),
    planted: sandbox ? plantedFor(method.method) : [],
  }));
  return { data, meta: { count: data.length, planted: sandbox ? plantedIn(sandbox) : [] } };
}

export const intentsOutput = z.object({
  data: z.array(
    z.object({
      intent: z.string(),
      version: z.int(),
      summary: z.string(),
      slots: z.array(z.object({ slot: z.string(), required: z.boolean(), about: z.string() })),
      steps: z.array(z.object({ step: z.string(), operation: z.string() })),
      example: z.string(),
    }),
  ),
  meta: z.object({
    count: z.int(),
    understood: readingSummary.nullable().describe("How the service reads `question`; null: none was sent"),
  }),
});

export const fusionIntents = (understood: ReadingSummary | null): z.infer<typeof intentsOutput> => ({
  data: intents.map(({ name, version, summary, slots, steps, example }) => ({
    intent: name,
    version,
    summary,
    slots: [
      ...slots.required.map((slot) => ({ slot, required: true, about: intentSlots[slot] })),
      ...slots.optional.map((slot) => ({ slot, required: false, about: intentSlots[slot] })),
    ],
    steps: steps.map(({ id, operation }) => ({ step: id, operation })),
    example,
  })),
  meta: { count: intents.length, understood },
});
