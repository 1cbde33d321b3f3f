/** Sums of chapters from a vintage's roll-ups equal those from its tables. */
import { FlowSums } from "../../../datasets/rollups/sums.ts";
import type { YearRollup } from "../../../datasets/rollups/year.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { flowsOf } from "../../../domain/trade/coverage.ts";
import { type Flow, flows, type Period } from "../../../domain/trade/units.ts";
import { isChapters, type Slice } from "./tables.ts";

/** Returns roll-ups only if the question is about chapters and every year has one. */
export function rollupsOf({ partitions, manifest }: Lease, { hs, years }: Slice): YearRollup[] | undefined {
  if (!isChapters(hs) || manifest.coverage.procedure !== undefined) return undefined;
  const yearRollups: YearRollup[] = [];
  for (const { year, rollup } of partitions) {
    if (year < years.from || year > years.to) continue;
    if (!rollup) return undefined;
    yearRollups.push(rollup);
  }
  return yearRollups;
}

/** One chapter or all, of these reporters, in one flow or both. */
type SumsQuery = { hs?: string | undefined; flow?: Flow | undefined; reporters: readonly string[] };

function addYear(sums: FlowSums, rollup: YearRollup, { hs, flow, reporters }: SumsQuery): void {
  for (const reporter of reporters) {
    const months = rollup.totals(reporter, hs);
    if (months) sums.addMonths(months, flow);
  }
}

export function totalOf(rollups: readonly YearRollup[], query: SumsQuery): FlowSums {
  const sums = new FlowSums();
  for (const rollup of rollups) addYear(sums, rollup, query);
  return sums;
}

/** Reporters are summed or separate. */
export function monthsOfTrade(
  rollups: readonly YearRollup[],
  { hs, flow, reporters }: SumsQuery,
  label: string | undefined,
): ({ reporter: string; period: Period } & ReturnType<FlowSums["byFlow"]>)[] {
  const members = label === undefined ? reporters.map((code) => [code]) : [reporters];
  return rollups.flatMap((rollup) =>
    members.flatMap((codes) => {
      const totals = codes.flatMap((code) => rollup.totals(code, hs) ?? []);
      if (totals.length === 0) return [];
      const months = [];
      for (let month = 0; month < 12; month++) {
        const sums = new FlowSums();
        for (const one of totals) sums.addMonths(one, flow, month, month + 1);
        const period = rollup.year * 100 + month + 1;
        if (!sums.isNone) months.push({ reporter: label ?? codes[0]!, period, ...sums.byFlow() });
      }
      return months;
    }),
  );
}

export function chaptersOf(
  rollups: readonly YearRollup[],
  reporter: string,
  flow: Flow | undefined,
): Map<string, FlowSums> {
  const byCode = new Map<string, FlowSums>();
  for (const rollup of rollups)
    for (const chapter of rollup.chapters) {
      const months = rollup.totals(reporter, chapter);
      if (months) sumsAt(byCode, chapter).addMonths(months, flow);
    }
  return withTrade(byCode);
}

/** EUR of each chapter's suppressed codes. */
export function confidentialOf(
  rollups: readonly YearRollup[],
  reporter: string,
  flow: Flow | undefined,
): Map<string, number> {
  const byCode = new Map<string, number>();
  for (const rollup of rollups)
    for (const chapter of rollup.chapters)
      for (const of of flowsOf(flow))
        byCode.set(chapter, (byCode.get(chapter) ?? 0) + rollup.confidential(reporter, chapter, of));
  return byCode;
}

export async function partnersOf(
  rollups: readonly YearRollup[],
  reporter: string,
  { hs, flow }: { hs?: string | undefined; flow?: Flow | undefined },
): Promise<Map<string, FlowSums>> {
  const byCode = new Map<string, FlowSums>();
  if (hs === undefined) {
    for (const rollup of rollups)
      for (const partner of rollup.partners) {
        const months = rollup.withPartner(reporter, partner);
        if (months) sumsAt(byCode, partner).addMonths(months, flow);
      }
    return withTrade(byCode);
  }
  const query = new Set(flowsOf(flow));
  for (const year of await Promise.all(rollups.map((rollup) => rollup.chapterPartners(reporter, hs))))
    for (const one of year) {
      const of = flows[one.flow]!;
      if (query.has(of)) sumsAt(byCode, one.partner).of(of).add(one.eur, one.grams);
    }
  return withTrade(byCode);
}

function sumsAt(byCode: Map<string, FlowSums>, code: string): FlowSums {
  const existing = byCode.get(code);
  if (existing) return existing;
  const made = new FlowSums();
  byCode.set(code, made);
  return made;
}

/** Keeps sums with any row. */
function withTrade(byCode: Map<string, FlowSums>): Map<string, FlowSums> {
  for (const [code, sums] of byCode) if (sums.isNone) byCode.delete(code);
  return byCode;
}

/** EUR of each partner and flow, the largest first. */
export const listedByFlow = (partners: Map<string, FlowSums>, flow: Flow | undefined) =>
  [...partners]
    .flatMap(([partner, sums]) =>
      flowsOf(flow)
        .filter((of) => !sums.of(of).isNone)
        .map((of) => ({ flow: of, partner, value_eur: sums.of(of).eur })),
    )
    .sort((a, b) => b.value_eur - a.value_eur || (a.partner < b.partner ? -1 : 1));
