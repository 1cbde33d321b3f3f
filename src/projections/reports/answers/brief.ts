/** Sovereign briefs: the partners that imports of products depend on, possible substitutes, and signals to watch. */
import { z } from "zod";
import { citing } from "../../../domain/reports/cited-text.ts";
import type { Finding, Report, Section } from "../../../domain/reports/report.ts";
import { chapter, requiredHs, years } from "../../../domain/trade/inputs.ts";
import { inSentence, isReporter, partnerName, unknownPartner } from "../../../domain/trade/reporters.ts";
import { type FieldNames, inFieldsOf } from "../covered.ts";
import {
  type CallOperation,
  factCell,
  type Market,
  type QuoteNews,
  type ReportContent,
  type ReportDraft,
  reportDraft,
  section,
  wordCell,
} from "../writing.ts";
import { anomaliesOf } from "./anomalies.ts";
import { isCountry, ofBrief, ofSectors, subjectOf } from "./brief-data.ts";
import { limitsOf } from "./market-limits.ts";
import {
  dependencyFindings,
  expectedSection,
  leadFindings,
  partnersSection,
  sizeSection,
  substitutionFindings,
} from "./market-sections.ts";
import { policyFindings, seasonFindings } from "./market-watch.ts";

const layers = ["sanctions", "gdelt", "ais"] as const;

type Layer = (typeof layers)[number];

const absentLayers: Record<Layer, string> = {
  sanctions: "fusion_sanctions_check screens names, and a product's partners are countries",
  gdelt: "no GDELT files are loaded, and no news that you may quote names its country or products",
  ais: "no positions of ships are loaded, as they need a licence",
};

const region = z
  .string()
  .regex(/^[A-Z]{2}$|^GLOBAL$/, {
    error: "region is EU, GLOBAL or a country by its 2-letter code, such as LV or CN",
    abort: true,
  })
  .superRefine((code, context) => {
    const message = isCountry(code) ? unknownPartner(code) : undefined;
    if (message !== undefined) context.addIssue({ code: "custom", message });
  })
  .describe(
    "EU: the 27 and their sources outside; GLOBAL: the 27 and all partners; or a country, outside the 27 only its trade with them",
  );

const FIRST_YEAR = 2020;

const common = {
  region,
  years: years.optional().describe(`YYYY-YYYY; omitted = from ${FIRST_YEAR} to the last year of the data`),
  layers: z
    .array(z.enum(layers, `layers are ${layers.join(", ")}`))
    .max(layers.length, "layers has each name once")
    .default([])
    .describe(
      "Layers to add: sanctions, gdelt (submitted news, quoted), ais; the answer says which are available",
    ),
};

export const briefInput = z.object({
  hs: requiredHs,
  ...common,
});

export const sectorsInput = z.object({
  sectors: z
    .array(chapter)
    .min(2, "sectors are 2 to 8 chapters")
    .max(8, "sectors are 2 to 8 chapters")
    .refine((codes) => new Set(codes).size === codes.length, "sectors has a chapter twice")
    .describe("2 to 8 HS chapters"),
  ...common,
});

type Common = Pick<z.output<typeof briefInput>, "region" | "years" | "layers">;

async function marketOf(
  report: ReportDraft,
  product: string,
  { region, years }: Common,
  { names, beside = [] }: { names: FieldNames; beside?: readonly string[] },
): Promise<Market> {
  try {
    return await report.ask("fusion_market_intel", {
      ...(beside.length > 0 && { beside }),
      ...subjectOf(product, region),
      years: years ?? (await yearsWithData(report, product, region)),
    });
  } catch (error) {
    throw inFieldsOf(error, names);
  }
}

/** One market of each vintage: they end in the same month. */
const oneOfEach = (markets: readonly Market[]) =>
  new Map(markets.map((sourced) => [sourced.origin.vintage, sourced])).values();

/** Names the month that the watchlist counts from: an earlier report of the same vintages has the same list. */
function limitsOfWatch({ at, limit }: ReportDraft, markets: readonly Market[]): void {
  for (const sourced of oneOfEach(markets)) {
    const month = at(sourced, "/meta/coverage/months/to", "last month of the data", "month");
    limit(citing`The months to watch are the twelve after ${month}, where the data end.`);
  }
}

/** Names the years of each dataset where the caller named none. */
function limitsOfYears({ at, limit }: ReportDraft, markets: readonly Market[], { years }: Common): void {
  if (years !== undefined) return;
  for (const sourced of oneOfEach(markets)) {
    const year = (end: "from" | "to", label: string) => at(sourced, `/meta/years/${end}`, label, "year");
    const [first, last] = [year("from", "first year of the report"), year("to", "last year of the report")];
    const month = at(sourced, "/meta/coverage/months/to", "last month of the data", "month");
    limit(citing`No years were requested: these are ${first} to ${last}, and the data end in ${month}.`);
  }
}

/** The default years, within those of the data that answer for the region. */
async function yearsWithData({ request }: ReportDraft, hs: string, region: string): Promise<string> {
  const { answer } = isOutside(region)
    ? await request("fusion_country_stats", { country: region, hs })
    : await request("trade_timeline", {
        ...(isReporter(region) && { reporters: [region] }),
        ...{ flow: "IMPORT", hs },
      });
  const [first, last] = [answer.meta.coverage.months.from, answer.meta.coverage.months.to].map((month) =>
    Number(month.slice(0, 4)),
  ) as [number, number];
  return `${Math.min(Math.max(FIRST_YEAR, first), last)}-${last}`;
}

/** The years of a question in our words, where the caller named them: it has the numbers of the input. */
const spanOf = ({ years }: Common) => (years === undefined ? "" : `, ${years.replace("-", "–")}`);

/** A country that does not report here: its trade is seen through the 27. */
const isOutside = (region: string) => isCountry(region) && !isReporter(region);

const regionName = (region: string) =>
  region === "EU"
    ? "the EU"
    : region === "GLOBAL"
      ? "the world as the EU trades with it"
      : partnerName(region);

/** Adds news on the products where the caller wants them; returns whether there are any. */
async function quoteNews(
  report: ReportDraft,
  quotes: QuoteNews,
  { region, layers }: Common,
  products: readonly string[],
): Promise<boolean> {
  if (!layers.includes("gdelt")) return false;
  const found = await quotes({ products, ...(isCountry(region) && { country: region }) });
  report.quote(found);
  return found.length > 0;
}

/** The dependencies of one product's imports. */
export async function brief(
  calls: CallOperation,
  input: z.output<typeof briefInput>,
  quotes: QuoteNews,
): Promise<ReportContent> {
  const report = reportDraft(calls);
  const sourced = await marketOf(report, input.hs, input, { names: ofBrief });
  const shown = [
    sizeSection(report, sourced),
    partnersSection(report, sourced, input.region === "EU"),
    expectedSection(report, sourced),
  ];
  const risks = dependencyFindings(report, sourced);
  const substitutes = substitutionFindings(report, sourced);
  const anomalies = await anomaliesOf(report, [input.hs], input.region);
  const watch = [...policyFindings(report, sourced), ...seasonFindings(report, sourced)];
  const sections = [...shown, ...findingSections({ risks, substitutes, watch, anomalies })];
  const quoted = await quoteNews(report, quotes, input, [input.hs]);
  limitsOfYears(report, [sourced], input);
  limitsOfWatch(report, [sourced]);
  limitsOf(report, sourced, { quotes: quoted });
  limitsOfRegion(report, input);
  const question = `On whom does ${regionName(input.region)} depend for HS ${input.hs}${spanOf(input)}?`;
  return {
    ...report.finish({ title: "Sovereign brief", question, of: sourced, sections }),
    ...entries({ risks, substitutes, watch, anomalies }, input, quoted),
  };
}

/** The dependencies of several chapters, ranked; `deep` adds the effect of losing one source on each. */
export async function sectorsBrief(
  calls: CallOperation,
  input: z.output<typeof sectorsInput>,
  { deep, quotes }: { deep: boolean; quotes: QuoteNews },
): Promise<ReportContent> {
  const report = reportDraft(calls);
  const markets: Market[] = [];
  // Only the first request covers the leads and lags of all.
  for (const [at, sector] of input.sectors.entries()) {
    const beside = deep && at === 0 ? input.sectors.slice(1) : [];
    markets.push(await marketOf(report, sector, input, { names: ofSectors, beside }));
  }
  const shown = [
    rankedSection(report, markets),
    ...(deep ? [sharedSection(report, markets, input), leadsSection(report, markets[0]!)] : []),
  ];
  const risks = markets.flatMap((sourced) => dependencyFindings(report, sourced));
  const substitutes = markets.flatMap((sourced) => substitutionFindings(report, sourced));
  const anomalies = await anomaliesOf(report, input.sectors, input.region);
  const watch = [
    ...markets.flatMap((sourced) => policyFindings(report, sourced)),
    ...markets.flatMap((sourced) => seasonFindings(report, sourced)),
  ];
  const sections = [...shown, ...findingSections({ risks, substitutes, watch, anomalies })];
  const quoted = await quoteNews(report, quotes, input, input.sectors);
  limitsOfYears(report, markets, input);
  limitsOfWatch(report, markets);
  for (const sourced of markets) limitsOf(report, sourced, { named: true, quotes: quoted });
  limitsOfRegion(report, input);
  const question = `On whom does ${regionName(input.region)} depend for HS ${input.sectors.join(", ")}${spanOf(input)}?`;
  const title = deep ? "Sovereign brief across sectors, in depth" : "Sovereign brief across sectors";
  return {
    ...report.finish({ title, question, of: markets[0]!, sections }),
    ...entries({ risks, substitutes, watch, anomalies }, input, quoted),
  };
}

/** Sectors by the concentration of their sources outside the EU in the last year judged. */
function rankedSection(report: ReportDraft, markets: readonly Market[]): Section {
  const { at, finding } = report;
  const judged = markets.map((sourced) => {
    const { data, meta } = sourced.answer;
    const last = data.dependency?.years.findLastIndex(({ concentration }) => concentration !== null) ?? -1;
    const size = data.size.findIndex(({ year }) => year === meta.year);
    const path = `/data/dependency/years/${last}`;
    return {
      product: at(sourced, "/meta/product", "code of the chapter", "code"),
      name: meta.name === null ? undefined : at(sourced, "/meta/name", "name of the chapter", "text"),
      concentration:
        last < 0
          ? undefined
          : at(sourced, `${path}/concentration`, "concentration of sources outside the EU", "index"),
      outside:
        last < 0 || data.dependency?.years[last]?.extra_share === null
          ? undefined
          : at(sourced, `${path}/extra_share`, "share of imports from outside the EU", "share"),
      value: size < 0 ? undefined : at(sourced, `/data/size/${size}/value_eur`, "imports of the year", "EUR"),
      dependent: data.dependency?.dependent,
    };
  });
  const weight = ({ concentration }: (typeof judged)[number]) => Number(concentration?.value ?? -1);
  const ranked = judged.toSorted((a, b) => weight(b) - weight(a));
  const [first] = ranked;
  return section("Sectors compared", "The most concentrated sources first.", {
    findings: first?.concentration
      ? [
          finding(
            citing`The sources outside the EU are most concentrated for ${first.name ?? first.product}, at ${first.concentration} on a scale that ends with a single source.`,
            "reported",
            "dependency",
          ),
        ]
      : [],
    tables: [
      {
        title: "Sectors",
        columns: ["Chapter", "Name", "Imports", "From outside the EU", "Concentration", "Dependent"],
        rows: ranked.map(({ product, name, value, outside, concentration, dependent }) => [
          factCell(product),
          factCell(name),
          factCell(value),
          factCell(outside),
          factCell(concentration),
          wordCell(dependent === undefined ? "—" : dependent ? "yes" : "no"),
        ]),
      },
    ],
  });
}

/** Partners among the largest of several sectors, and the share of each sector that would be missing without them. */
function sharedSection(
  { at, finding }: ReportDraft,
  markets: readonly Market[],
  { region }: Common,
): Section {
  const names = new Map<string, string>();
  const shares = new Map<string, { market: Market; n: number }[]>();
  for (const sourced of markets)
    for (const [n, { partner, name, share }] of sourced.answer.data.partners.entries()) {
      // The EU as a whole loses sources outside of it; those within are its own trade.
      if (share === null || (region === "EU" && isReporter(partner))) continue;
      names.set(partner, name);
      shares.set(partner, [...(shares.get(partner) ?? []), { market: sourced, n }]);
    }
  const shared = [...shares].filter(([, of]) => of.length > 1);
  const lost = shared.map(([partner, of]) => ({
    name: names.get(partner)!,
    parts: of.map(({ market: sourced, n }) => ({
      product: at(sourced, "/meta/product", "code of the chapter", "code"),
      share: at(sourced, `/data/partners/${n}/share`, "share of the partner", "share"),
    })),
  }));
  const weight = ({ parts }: (typeof lost)[number]) =>
    Math.max(...parts.map(({ share }) => Number(share.value)));
  const ranked = lost.toSorted((a, b) => weight(b) - weight(a) || (a.name < b.name ? -1 : 1)).slice(0, 10);
  return section(
    "Shared sources",
    "The part of each sector that would be missing without one country, if nothing replaced it.",
    {
      findings: ranked.slice(0, 3).map(({ name, parts }) => {
        const worst = parts.toSorted((a, b) => Number(b.share.value) - Number(a.share.value))[0]!;
        return finding(
          citing`Without ${inSentence(name)}, ${worst.share} of chapter ${worst.product} would be missing.`,
          "reported",
          "loss",
        );
      }),
      tables: [
        {
          title: "Losing one country",
          columns: ["Country", "Chapter", "Share of its imports"],
          rows: ranked.flatMap(({ name, parts }) =>
            parts.map(({ product, share }) => [wordCell(name), factCell(product), factCell(share)]),
          ),
        },
      ],
    },
  );
}

/** The sectors that moved before others, or a sentence that none did. */
function leadsSection(report: ReportDraft, sourced: Market): Section {
  if (sourced.answer.data.leads?.length === 0)
    report.limit(citing`No sector is found to move before another at the accepted rate of false finds.`);
  return section("Leads and lags", "The sectors whose imports moved first; moving first is no cause.", {
    findings: leadFindings(report, sourced),
  });
}

type Entries = { risks: Finding[]; substitutes: Finding[]; watch: Finding[]; anomalies: Finding[] };

const findingSections = ({ risks, substitutes, watch, anomalies }: Entries): Section[] => [
  section("Dependency", "Imports that come mostly from few sources outside the EU and exceed the exports.", {
    findings: risks,
  }),
  section("Who could stand in", "Sources that grew while the largest fell.", { findings: substitutes }),
  section(
    "Months to watch next",
    "Announced policies and seasonal peaks in the twelve months after the data end; this is no forecast.",
    {
      findings: watch,
    },
  ),
  section("Unusual months", "Months far from the months before; each is a signal without a known cause.", {
    findings: anomalies,
  }),
];

const entries = (
  { risks, substitutes, watch, anomalies }: Entries,
  input: Common,
  quoted: boolean,
): Pick<
  Report,
  "dependency_risks" | "substitution_patterns" | "watchlist_12m" | "cited_anomalies" | "layers"
> => ({
  dependency_risks: risks,
  substitution_patterns: substitutes,
  watchlist_12m: watch,
  cited_anomalies: anomalies,
  layers: input.layers.map((layer) => {
    const available = layer === "gdelt" && quoted;
    return { layer, available, why: available ? null : absentLayers[layer] };
  }),
});

function limitsOfRegion({ limit }: ReportDraft, { region }: Common): void {
  if (region === "GLOBAL" || isOutside(region))
    limit(citing`The data have no trade between countries outside the EU.`);
  if (isOutside(region))
    limit(citing`The imports of ${partnerName(region)} are the exports to it that the twenty-seven report.`);
  limit(citing`A brief makes no forecast; the skill oracle makes one of a country.`);
}
