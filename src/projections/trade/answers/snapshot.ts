/** Which vintage was valid on a day: what `replay/eu-trade-snapshot` gives out. */
import type pg from "pg";
import { refuse } from "../../../core/model/refusal.ts";
import { KEEP_DAYS, retainedSince } from "../../../datasets/retention.ts";
import {
  type DatedRelease,
  firstReleaseOf,
  keptRelease,
  releasesBefore,
  releasesSince,
} from "../releases.ts";
import { inUsualOrder, type TradeData } from "./question.ts";

const DAY_MS = 86_400_000;
const dayOf = (time: Date) => time.toISOString().slice(0, 10);

export type SnapshotAsked = { date: string; dataset?: string | undefined };

type Sources = { pool: pg.Pool; trade: TradeData; now: Date };

/** The release of a vintage; refuses (`not_found`) one that is not kept, and a day or dataset beside it. */
export async function releaseNamed(
  { pool, trade, now }: Sources,
  { vintage, ...beside }: { vintage: string; date?: string | undefined; dataset?: string | undefined },
): Promise<DatedRelease> {
  for (const path of ["date", "dataset"] as const)
    if (beside[path] !== undefined) refuseField(path, `omit ${path}: vintage already selects the data`);
  const found = await keptRelease(pool, vintage, retainedSince(now));
  if (found && (trade.allow_synthetic || !found.synthetic)) return found;
  const kept = await releasesSince(pool, retainedSince(now));
  const names = kept.slice(0, MOST_TOLD).map((one) => `${one.dataset} ${one.vintage}`);
  const message = `vintage ${vintage} is not stored; stored: ${names.join(", ") || "nothing yet"}`;
  return refuse("not_found", message, { errors: [{ path: "vintage", message }] });
}

const MOST_TOLD = 20;

/**
 * The release that was current when the day ended (UTC), of the dataset named or of the first that has one. Refuses days
 * to come (`invalid`) and those before the first that is kept (`not_found`).
 */
export async function releaseOn(
  { pool, trade, now }: Sources,
  { date, dataset }: SnapshotAsked,
): Promise<DatedRelease> {
  if (date > dayOf(now)) refuseField("date", `${date} is in the future; today is ${dayOf(now)} (UTC)`);
  const datasets = inUsualOrder(trade).map((manifest) => manifest.dataset);
  if (dataset !== undefined && !datasets.includes(dataset))
    refuseField("dataset", `there is no dataset ${dataset}; there is ${datasets.join(", ")}`);
  const wanted = dataset === undefined ? datasets : [dataset];
  const firstKept = dayOf(new Date(now.getTime() - KEEP_DAYS * DAY_MS));
  const found = await releasesBefore(pool, new Date(Date.parse(date) + DAY_MS));
  const release = wanted.flatMap((name) => found.filter((one) => one.dataset === name))[0];
  if (release && date >= firstKept) return release;
  const first = await firstReleaseOf(pool, { datasets: wanted });
  const earliest = [first?.slice(0, 10) ?? firstKept, firstKept].sort()[1]!;
  return refuse(
    "not_found",
    `there is no snapshot of ${date}: the first day is ${earliest}; vintages are stored ${KEEP_DAYS} days`,
  );
}

function refuseField(path: string, message: string): never {
  refuse("invalid", message, { errors: [{ path, message }] });
}
