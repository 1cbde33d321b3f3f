/** Sums of chapters from the roll-ups of a vintage, equal to those that its tables give. */
import { FlowSums } from "../../../datasets/rollups/sums.ts";
import type { YearRollup } from "../../../datasets/rollups/year.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { flowsOf } from "../../../domain/trade/coverage.ts";
import { type Flow, flows, type Period } from "../../../domain/trade/units.ts";
import { isChapters, type Slice } from "./tables.ts";

/** The roll-ups of the years asked for, where the question is about chapters and each of the years has one. */
export function rollupsOf({ partitions }: Lease, { hs, years }: Slice): YearRollup[] | undefined {
  if (!isChapters(hs)) return undefined;
  const found: YearRollup[] = [];
  for (const { year, rollup } of partitions) {
    if (year < years.from || year > years.to) continue;
    if (!rollup) return undefined;
    found.push(rollup);
  }
  return found;
}

/** What is summed: one or all chapters of these reporters, in one flow or both. */
type Asked = { hs?: string | undefined; flow?: Flow | undefined; reporters: readonly string[] };

/** Adds a year of what is asked for to the sums. */
export function addYear(sums: FlowSums, rollup: YearRollup, { hs, flow, reporters }: Asked): void {
  for (const reporter of reporters) {
    const months = rollup.totals(reporter, hs);
    if (months) sums.addMonths(months, flow);
  }
}

/** All that is asked for of the years, as one sum of each flow. */
export function totalOf(rollups: readonly YearRollup[], asked: Asked): FlowSums {
  const sums = new FlowSums();
  for (const rollup of rollups) addYear(sums, rollup, asked);
  return sums;
}

/** The months of the years that have trade, the reporters together or one by one. */
export function monthsOfTrade(
  rollups: readonly YearRollup[],
  { hs, flow, reporters }: Asked,
  label: string | undefined,
): ({ reporter: string; period: Period } & ReturnType<FlowSums["byFlow"]>)[] {
  const members = label === undefined ? reporters.map((code) => [code]) : [reporters];
  return rollups.flatMap((rollup) =>
    members.flatMap((codes) => {
      const found = codes.flatMap((code) => rollup.totals(code, hs) ?? []);
      if (found.length === 0) return [];
      const months = [];
      for (let month = 0; month < 12; month++) {
        const sums = new FlowSums();
        for (const one of found) sums.addMonths(one, flow, month, month + 1);
        const period = rollup.year * 100 + month + 1;
        if (!sums.isNone) months.push({ reporter: label ?? codes[0]!, period, ...sums.byFlow() });
      }
      return months;
    }),
  );
}

/** The chapters of one reporter. */
export function chaptersOf(
  rollups: readonly YearRollup[],
  reporter: string,
  flow: Flow | undefined,
): Map<string, FlowSums> {
  const found = new Map<string, FlowSums>();
  for (const rollup of rollups)
    for (const chapter of rollup.chapters) {
      const months = rollup.totals(reporter, chapter);
      if (months) sumsAt(found, chapter).addMonths(months, flow);
    }
  return traded(found);
}

/** The partners of one reporter, of one chapter or all. */
export async function partnersOf(
  rollups: readonly YearRollup[],
  reporter: string,
  { hs, flow }: { hs?: string | undefined; flow?: Flow | undefined },
): Promise<Map<string, FlowSums>> {
  const found = new Map<string, FlowSums>();
  if (hs === undefined) {
    for (const rollup of rollups)
      for (const partner of rollup.partners) {
        const months = rollup.withPartner(reporter, partner);
        if (months) sumsAt(found, partner).addMonths(months, flow);
      }
    return traded(found);
  }
  const asked = new Set(flowsOf(flow));
  for (const year of await Promise.all(rollups.map((rollup) => rollup.chapterPartners(reporter, hs))))
    for (const one of year) {
      const of = flows[one.flow]!;
      if (asked.has(of)) sumsAt(found, one.partner).of(of).add(one.eur, one.grams);
    }
  return traded(found);
}

function sumsAt(found: Map<string, FlowSums>, code: string): FlowSums {
  const known = found.get(code);
  if (known) return known;
  const made = new FlowSums();
  found.set(code, made);
  return made;
}

/** Those with any row. */
function traded(found: Map<string, FlowSums>): Map<string, FlowSums> {
  for (const [code, sums] of found) if (sums.isNone) found.delete(code);
  return found;
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
