import type { z } from "zod";
import type { Chart, Series } from "../../../domain/chart.ts";
import type { timelineOutput, timelineRow } from "../series.ts";

const FLOWS = [
  { column: "imports_eur", name: "imports" },
  { column: "exports_eur", name: "exports" },
] as const;

type Month = Omit<z.infer<typeof timelineRow>, "reporter">;

/** A line for each flow of these months. */
export const flowLines = (months: Month[]): Series[] =>
  FLOWS.filter(({ column }) => months.some((month) => month[column] !== undefined)).map(
    ({ column, name }) => ({
      name,
      values: months.map((month) => month[column] ?? null),
      provisional: months.map(({ complete }) => !complete),
    }),
  );

/** A line for each reporter and flow; what all lines have in common stands in the title alone. */
export function timelineChart({ data }: z.infer<typeof timelineOutput>): Chart {
  const reporters = [...new Set(data.map(({ reporter }) => reporter))];
  const monthsOf = (reporter: string | undefined) => data.filter((row) => row.reporter === reporter);
  const lines = reporters.map((reporter) => ({ reporter, flows: flowLines(monthsOf(reporter)) }));
  const flows = lines[0]?.flows ?? [];
  const flow = flows.length === 1 ? flows[0]!.name : undefined;
  const nameOf = (reporter: string, name: string) => {
    if (reporters.length === 1) return name;
    return flow === undefined ? `${reporter} ${name}` : reporter;
  };
  return {
    kind: "line",
    title: `Monthly ${flow ?? "trade"} of ${listed(reporters)}`,
    x: monthsOf(reporters[0]).map(({ period }) => period),
    series: lines.flatMap(({ reporter, flows }) =>
      flows.map((line) => ({ ...line, name: nameOf(reporter, line.name) })),
    ),
    unit: "EUR",
    notes: [],
  };
}

const MOST_LISTED = 8;

const listed = (names: string[]) =>
  names.length > MOST_LISTED ? `${names.length} reporters` : names.join(", ");
