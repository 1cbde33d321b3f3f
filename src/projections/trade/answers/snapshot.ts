import type pg from "pg";
import { refuse, refuseWith } from "../../../core/model/refusal.ts";
import { KEEP_DAYS, retainedSince } from "../../../datasets/retention.ts";
import {
  type DatedRelease,
  firstReleaseOf,
  releasesBefore,
  releasesSince,
  storedRelease,
} from "../releases.ts";
import { requireCandidates, type TradeData } from "./question.ts";

const DAY_MS = 86_400_000;
const dayOf = (time: Date) => time.toISOString().slice(0, 10);

export type SnapshotQuery = { date: string; dataset?: string | undefined };

type Sources = { pool: pg.Pool; trade: TradeData; now: Date };

/** Refuses a day or dataset next to a vintage. */
export function refuseBeside(extraField: Partial<SnapshotQuery>): void {
  for (const path of ["date", "dataset"] as const)
    if (extraField[path] !== undefined) refuseWith(path, `omit ${path}: vintage already selects the data`);
}

/** Refuses a vintage that is not stored (`not_found`), and a day or dataset next to `vintage`. */
export async function releaseNamed(
  { pool, trade, now }: Sources,
  { vintage, ...extraField }: { vintage: string; date?: string | undefined; dataset?: string | undefined },
): Promise<DatedRelease> {
  refuseBeside(extraField);
  const release = await storedRelease(pool, vintage, retainedSince(now));
  if (release && (trade.allow_synthetic || !release.synthetic)) return release;
  const kept = await releasesSince(pool, retainedSince(now));
  const names = kept.slice(0, MOST_LISTED).map((one) => `${one.dataset} ${one.vintage}`);
  const message = `vintage ${vintage} is not stored; stored: ${names.join(", ") || "nothing yet"}`;
  return refuse("not_found", message, { errors: [{ path: "vintage", message }] });
}

const MOST_LISTED = 20;

/** The datasets that may answer; refuses future days (`invalid`) and unknown datasets. */
export function requestedDatasets(
  { trade, now }: Pick<Sources, "trade" | "now">,
  { date, dataset }: Partial<SnapshotQuery>,
): string[] {
  if (date !== undefined && date > dayOf(now))
    refuseWith("date", `${date} is in the future; today is ${dayOf(now)} (UTC)`);
  const datasets = requireCandidates(trade).map((manifest) => manifest.dataset);
  if (dataset === undefined) return datasets;
  if (datasets.includes(dataset)) return [dataset];
  return refuseWith("dataset", `there is no dataset ${dataset}; there is ${datasets.join(", ")}`);
}

/**
 * The release that was current at the end of the day (UTC), of the dataset or of the first that has one. Refuses future
 * days (`invalid`) and days before the first stored one (`not_found`).
 */
export async function releaseOn({ pool, trade, now }: Sources, query: SnapshotQuery): Promise<DatedRelease> {
  const { date } = query;
  const requested = requestedDatasets({ trade, now }, query);
  const firstStored = dayOf(new Date(now.getTime() - KEEP_DAYS * DAY_MS));
  const current = await releasesBefore(pool, new Date(Date.parse(date) + DAY_MS));
  const release = requested.flatMap((name) => current.filter((one) => one.dataset === name))[0];
  if (release && date >= firstStored) return release;
  const first = await firstReleaseOf(pool, { datasets: requested });
  const earliest = [first?.slice(0, 10) ?? firstStored, firstStored].sort()[1]!;
  return refuse(
    "not_found",
    `there is no snapshot of ${date}: the first day is ${earliest}; vintages are stored ${KEEP_DAYS} days`,
  );
}
