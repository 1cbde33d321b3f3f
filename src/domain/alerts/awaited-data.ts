/** The data that a watch waits for: a dataset, product, country or month that is still to come. */
import { type Coverage, gapIn } from "../trade/coverage.ts";
import { isReporter } from "../trade/reporters.ts";
import { monthText } from "../trade/units.ts";
import type { Watch } from "./subscription.ts";

type OpenDataset = { dataset: string; synthetic: boolean; coverage: Coverage };

/** As a phrase; null where an open dataset has all that is watched. */
export function awaitedData(watch: Watch, open: readonly OpenDataset[]): string | null {
  const named = watch.dataset;
  const fitting = open.filter(({ dataset, synthetic }) => (named === null ? !synthetic : dataset === named));
  if (fitting.length === 0)
    return named === null ? "a real dataset: none is released" : `the dataset ${named}: it is not released`;
  const lacks = fitting.map(({ dataset, coverage }) => {
    const lack = lackOf(watch, coverage);
    return lack && `${dataset} ${lack}`;
  });
  return lacks.includes(undefined) ? null : `data: ${lacks.join("; ")}`;
}

function lackOf({ hs, reporter, flow, dataset, from }: Watch, coverage: Coverage): string | undefined {
  const question = {
    hs: hs ?? undefined,
    reporters: reporter !== null && isReporter(reporter) ? [reporter] : [],
    flow: flow ?? undefined,
  };
  // Without a product every chapter of the dataset is watched; a named dataset is watched for its part of a product.
  const gap = gapIn(coverage, question, hs === null || dataset !== null);
  if (gap) return gap.message;
  const last = monthText(coverage.months.to);
  return from !== null && last < from ? `ends in ${last}, before ${from}` : undefined;
}
