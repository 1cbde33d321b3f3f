import { z } from "zod";
import { month } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { literal } from "../../../datasets/duckdb.ts";
import type { YearRollup } from "../../../datasets/rollups/year.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { completenessOf, flowsOf, reportersOfEu } from "../../../domain/trade/coverage.ts";
import {
  basis,
  dataset,
  flow,
  hs,
  limit,
  partner,
  readMonth,
  reporter,
} from "../../../domain/trade/inputs.ts";
import { tradeProblems } from "../../../domain/trade/problems.ts";
import type { NameOf } from "../../../domain/trade/product-names.ts";
import {
  isReporter,
  partnerName,
  type ReporterCode,
  reporterCodes,
} from "../../../domain/trade/reporters.ts";
import { type Rerouting, rerouteBounds, rerouting } from "../../../domain/trade/rerouting.ts";
import {
  addMonths,
  type Flow,
  flows,
  monthsBetween,
  monthsSince,
  monthText,
  type Period,
  sixDecimals,
  yearOf,
} from "../../../domain/trade/units.ts";
import { aboutNames, formula, meta, metaOf, namesOf, onDataset, type TradeData } from "./question.ts";
import { rollupsOf } from "./rolled-up.ts";
import { inFlow, inReporters, partnersIn } from "./tables.ts";

const WINDOW = 12;

export const rerouteInput = z.object({
  origin: partner
    .default("RU")
    .describe("The country whose direct trade may have collapsed, by its 2-letter code"),
  month: month
    .default("2022-03")
    .describe(
      "First month after the break, YYYY-MM; the twelve months from it are compared with the twelve before",
    ),
  reporter: reporter.optional().describe("One reporting country; omitted = the sum of the 27"),
  flow: flow.optional(),
  hs: hs.optional().describe("HS or CN code of 2, 4, 6 or 8 digits; omitted = each chapter"),
  limit,
  basis: basis.optional(),
  dataset: dataset.optional(),
});

const country = z.object({
  country: z.string().describe("2-letter code"),
  name: z.string(),
  before_eur: z.int().describe("Value in the twelve months before `month`, in EUR"),
  after_eur: z.int().describe("Value in the twelve months from `month`, in EUR"),
});

export const rerouteRow = z.object({
  rank: z.int(),
  product: z.string(),
  name: z.string().nullable(),
  flow: z.enum(flows),
  direct: country,
  drop_eur: z.int(),
  collapse: z.number().describe("Lost share of the direct flow, 0 to 1"),
  surges: z
    .array(
      country.extend({
        ratio: z.number().nullable().describe("after_eur / before_eur; null: no trade before"),
        excess_eur: z.int().describe("after_eur − before_eur"),
      }),
    )
    .describe("Countries outside the EU whose trade surged, largest excess first"),
  offset: z.number().describe("Σ excess_eur / drop_eur; 1 = the surges equal the loss"),
  at_most_eur: z
    .int()
    .describe("The most that can have been rerouted, in EUR: Σ excess_eur or drop_eur, whichever is less"),
});

const span = z.object({ from: z.string(), to: z.string() });

export const rerouteOutput = z.object({
  data: z.array(rerouteRow),
  meta: meta.extend({
    count: z.int(),
    ranked_of: z.int().describe("Number of products with the signal"),
    origin: z.string().describe("Code of the country whose goods may be rerouted"),
    reporter: z.string().describe("Reporter code, or EU27 for the sum of the 27"),
    before: span,
    after: span,
    left_out: z
      .array(z.string())
      .describe("Reporters that the sums leave out, because they lack some of the 24 months"),
    note: z.string(),
    formula,
  }),
});

const NOTE =
  "A signal, not a finding: trade with third countries grows for many reasons, and the signal does not imply evasion.";

/** Ordered by the most that can have been rerouted. */
export async function rerouteWatch(
  trade: TradeData,
  input: z.output<typeof rerouteInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof rerouteOutput>> {
  const { origin, flow } = input;
  const first = readMonth(input.month);
  const [from, to] = [addMonths(first, -WINDOW), addMonths(first, WINDOW - 1)];
  const question = {
    hs: input.hs,
    flow,
    dataset: input.dataset,
    basis: input.basis,
    compares: true,
    reporters: input.reporter === undefined ? reportersOfEu(input.hs) : [input.reporter],
    years: { from: yearOf(from), to: yearOf(to) },
    fields: { years: "month" },
  } as const;
  return onDataset(trade, question, async (lease, { hs }) => {
    refuseOutside(lease, from, to);
    const query = input.reporter === undefined ? reporterCodes : question.reporters;
    const isComplete = completenessOf(lease.manifest.coverage, hs);
    const isWhole = (code: ReporterCode) =>
      flowsOf(flow).every((of) => monthsBetween(from, to).every((period) => isComplete(code, of, period)));
    const compared = query.filter(isWhole);
    const watched = { hs, flow, origin, from, first, to };
    const changes = compared.length === 0 ? [] : await collapsedFlows(lease, compared, watched, signal);
    const signals = signalsIn(changes, origin, namesOf(trade));
    const data = signals.slice(0, input.limit).map((row, at) => ({ rank: at + 1, ...row }));
    return {
      data,
      meta: {
        ...metaOf(lease, { ...question, hs, reporters: query }),
        count: data.length,
        ranked_of: signals.length,
        origin,
        reporter: input.reporter ?? "EU27",
        before: { from: monthText(from), to: monthText(addMonths(first, -1)) },
        after: { from: input.month, to: monthText(to) },
        left_out: query.filter((code) => !compared.includes(code)),
        note: NOTE,
        ...aboutNames(trade),
        formula: `twelve months before against twelve after; collapse = drop / before ≥ ${rerouteBounds.collapse}; a surge is after / before ≥ ${rerouteBounds.surge} with at least EUR ${rerouteBounds.excess_eur / 1e6} M more, of a country outside the EU other than the origin; offset = Σ excess / drop`,
      },
    };
  });
}

function refuseOutside({ manifest }: Lease, from: Period, to: Period): void {
  const { months } = manifest.coverage;
  if (from >= months.from && to <= months.to) return;
  const earliest = monthText(addMonths(months.from, WINDOW));
  const latest = monthText(addMonths(months.to, 1 - WINDOW));
  const message = `month is from ${earliest} to ${latest}: ${manifest.dataset} must have twelve months on both sides`;
  refuse(tradeProblems["outside-coverage"], message, { errors: [{ path: "month", message }] });
}

type Watched = {
  hs: string | undefined;
  flow: Flow | undefined;
  origin: string;
  from: Period;
  first: Period;
  to: Period;
};
type FlowChange = { flow: Flow; product: string; partner: string; before_eur: number; after_eur: number };

/** Collapsed flows, each with the third countries that grew enough to be judged. */
async function collapsedFlows(
  lease: Lease,
  reporters: readonly ReporterCode[],
  watched: Watched,
  signal: AbortSignal | undefined,
): Promise<FlowChange[]> {
  const { hs, flow, origin, from, first, to } = watched;
  const rollups = rollupsOf(lease, { hs, years: { from: yearOf(from), to: yearOf(to) } });
  // Roll-ups only sum all of their reporters.
  if (rollups?.every((rollup) => rollup.reporters.every((code) => reporters.some((one) => one === code))))
    return rolledUp(rollups, watched);
  return lease.query<FlowChange>(
    `with sums as (
       select flow, ${hs === undefined ? "hs2" : literal(hs)} as product, partner,
         coalesce(sum(value_eur) filter (period < ${first}), 0)::bigint as before_eur,
         coalesce(sum(value_eur) filter (period >= ${first}), 0)::bigint as after_eur
       from ${partnersIn(lease, { hs, years: { from: yearOf(from), to: yearOf(to) } })}
       where ${inReporters(reporters)} and ${inFlow(flow)} and period between ${from} and ${to} group by all
     )
     from sums semi join (
       from sums where partner = ${literal(origin)} and before_eur - after_eur >= ${rerouteBounds.collapse} * before_eur
     ) using (flow, product)
     where partner = ${literal(origin)} or (after_eur - before_eur >= ${rerouteBounds.excess_eur}
       and partner not in (${reporterCodes.map(literal).join(", ")}))
     order by flow, product, partner`,
    undefined,
    signal,
  );
}

async function rolledUp(
  rollups: readonly YearRollup[],
  { hs, flow, origin, from, first, to }: Watched,
): Promise<FlowChange[]> {
  const codesOf = (list: (rollup: YearRollup) => readonly string[]) =>
    [...new Set(rollups.flatMap(list))].sort();
  const products = hs === undefined ? codesOf(({ chapters }) => chapters) : [hs];
  const partners = codesOf((rollup) => rollup.partners);
  // Two sums for each product, partner and flow.
  const size = products.length * partners.length * 2;
  const sums = {
    before: new Float64Array(size),
    after: new Float64Array(size),
    traded: new Uint8Array(size),
  };
  for (const rollup of rollups) {
    const begin = Math.max(0, monthsSince(rollup.year * 100 + 1, from));
    const breakMonth = monthsSince(rollup.year * 100 + 1, first);
    const end = Math.min(12, monthsSince(rollup.year * 100 + 1, to) + 1);
    const place = rollup.partners.map((code) => partners.indexOf(code));
    const values = await rollup.allReporters(hs);
    let at = 0;
    for (const product of values.length === 0 ? [] : hs === undefined ? rollup.chapters : [hs]) {
      const block = products.indexOf(product) * partners.length;
      for (const partner of place)
        for (let of = 0; of < 2; of++, at += 12) {
          const sum = (block + partner) * 2 + of;
          for (let month = begin; month < end; month++) {
            const value = values[at + month]!;
            if (Number.isNaN(value)) continue;
            sums.traded[sum] = 1;
            if (month < breakMonth) sums.before[sum]! += value;
            else sums.after[sum]! += value;
          }
        }
    }
  }
  const changes: FlowChange[] = [];
  for (const of of flows.toSorted()) {
    if (flow !== undefined && flow !== of) continue;
    const sumAt = (product: number, partner: number) =>
      (product * partners.length + partner) * 2 + flows.indexOf(of);
    for (const [p, product] of products.entries()) {
      const direct = sumAt(p, partners.indexOf(origin));
      const hasDirectTrade = partners.includes(origin) && sums.traded[direct];
      const drop = sums.before[direct]! - sums.after[direct]!;
      if (!hasDirectTrade || drop < rerouteBounds.collapse * sums.before[direct]!) continue;
      for (const [q, partner] of partners.entries()) {
        const sum = sumAt(p, q);
        const [before_eur, after_eur] = [sums.before[sum]!, sums.after[sum]!];
        const isThird = after_eur - before_eur >= rerouteBounds.excess_eur && !isReporter(partner);
        if (sums.traded[sum] && (partner === origin || isThird))
          changes.push({ flow: of, product, partner, before_eur, after_eur });
      }
    }
  }
  return changes;
}

function signalsIn(
  changes: FlowChange[],
  origin: string,
  nameOf: NameOf,
): Omit<z.infer<typeof rerouteRow>, "rank">[] {
  const changeOf = ({ partner, before_eur, after_eur }: FlowChange) => ({
    country: partner,
    before_eur,
    after_eur,
  });
  return changes
    .filter(({ partner }) => partner === origin)
    .flatMap((direct) => {
      const others = changes.filter(
        ({ flow, product, partner }) =>
          flow === direct.flow && product === direct.product && partner !== origin,
      );
      const signal = rerouting(changeOf(direct), others.map(changeOf));
      return signal ? [rowOf(direct, signal, nameOf)] : [];
    })
    .sort((a, b) => b.at_most_eur - a.at_most_eur);
}

const named = <Of extends { country: string }>(of: Of) => ({ ...of, name: partnerName(of.country) });

function rowOf(
  { flow, product }: FlowChange,
  { direct, drop_eur, collapse, surges, offset }: Rerouting,
  nameOf: NameOf,
) {
  const excess = surges.reduce((sum, { excess_eur }) => sum + excess_eur, 0);
  return {
    product,
    name: nameOf(product),
    flow,
    direct: named(direct),
    drop_eur,
    collapse: sixDecimals(collapse),
    surges: surges.map((surge) => ({
      ...named(surge),
      ratio: surge.ratio === null ? null : sixDecimals(surge.ratio),
    })),
    offset: sixDecimals(offset),
    at_most_eur: Math.min(excess, drop_eur),
  };
}
