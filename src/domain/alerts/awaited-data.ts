/** The data that a watch waits for: a dataset, product, country or month that is still to come. */
import { type Coverage, coveredReporters, gapIn, reportersOfEu } from "../trade/coverage.ts";
import { isReporter } from "../trade/reporters.ts";
import { monthText } from "../trade/units.ts";
import type { Watch } from "./subscription.ts";

type OpenDataset = { dataset: string; synthetic: boolean; coverage: Coverage };

/** As a phrase; null where an open dataset has all that is watched. */
export function awaitedData(watch: Watch, open: readonly OpenDataset[]): string | null {
  const named = watch.dataset;
  const fitting = fittingTo(watch, open);
  if (fitting.length === 0)
    return named === null ? "a real dataset: none is released" : `the dataset ${named}: it is not released`;
  const lacks = fitting.map(({ dataset, coverage }) => {
    const lack = lackOf(watch, coverage);
    return lack && `${dataset} ${lack}`;
  });
  return lacks.includes(undefined) ? null : `data: ${lacks.join("; ")}`;
}

/** The reporters of the open datasets that the watch judges, sorted; none while it waits for data. */
export const judgedReporters = (watch: Watch, open: readonly OpenDataset[]): string[] =>
  [...new Set(fittingTo(watch, open).flatMap(({ coverage }) => reportersIn(watch, coverage)))].sort();

/** As trade_alerts: without a reporter each of the dataset's, which must be all 27 for a product below a chapter. */
export function reportersIn(watch: Watch, coverage: Coverage): string[] {
  if (lackOf(watch, coverage) !== undefined) return [];
  return watch.reporter === null
    ? coveredReporters(coverage, { hs: watch.hs ?? undefined })
    : [watch.reporter];
}

const fittingTo = ({ dataset: named }: Watch, open: readonly OpenDataset[]) =>
  open.filter(({ dataset, synthetic }) => (named === null ? !synthetic : dataset === named));

function lackOf({ hs, reporter, flow, dataset, from }: Watch, coverage: Coverage): string | undefined {
  const question = {
    hs: hs ?? undefined,
    reporters: reporter !== null && isReporter(reporter) ? [reporter] : reportersOfEu(hs ?? undefined),
    flow: flow ?? undefined,
  };
  // Without a product every chapter of the dataset is watched; a named dataset is watched for its part of a product.
  const gap = gapIn(coverage, question, hs === null || dataset !== null);
  if (gap) return gap.message;
  const last = monthText(coverage.months.to);
  return from !== null && last < from ? `ends in ${last}, before ${from}` : undefined;
}
