/**
 * Repeats an answer on its former data: the input's `vintage` takes the value of `meta.rests_on`. Every operation
 * over data has both fields.
 */
import { z } from "zod";
import type { App } from "../../core/app.ts";
import { refuse, refuseWith } from "../../core/model/refusal.ts";
import { type Data, NONE } from "../../datasets/reading.ts";
import { KEEP_DAYS, retainedSince } from "../../datasets/retention.ts";
import type { Lease, Vintages } from "../../datasets/vintage-store.ts";
import { referenceProjection, referencesSince } from "../../projections/reference/releases.ts";
import { releasesProjection, releasesSince, type StoredRelease } from "../../projections/trade/releases.ts";
import type { Fields } from "./input.ts";

const MOST_NAMED = 32;

export const vintageField = z
  .string("vintage is text")
  .regex(/^([0-9a-f]{64}|none)(,([0-9a-f]{64}|none))*$/, {
    error:
      "vintage is a digest of 64 hex digits, or several separated by commas, from meta.rests_on of an answer",
    abort: true,
  })
  .refine((text) => text.split(",").length <= MOST_NAMED, `vintage has at most ${MOST_NAMED} vintages`)
  .optional()
  .describe(`Repeat an answer (up to ${KEEP_DAYS} days back): its \`meta.rests_on\`. Default: now`);

export const restsOnField = z
  .string()
  .describe(
    "Comma-separated vintages of the answer's datasets and tables; `none`: a table was missing. Send it as `vintage` to get the same answer again",
  )
  .meta({ id: "RestsOn" });

/** For operations that also read a read model, which is always current. */
export const vintageBesideList = vintageField.describe(
  "Comma-separated vintages of tables, from `meta.rests_on`; data from the log is always current",
);

export const restsOnBesideList = restsOnField.describe(
  "Comma-separated vintages of the answer's tables, for `vintage`; `none`: a table was missing. Data from the log has none",
);

export type LeasedData = { data: Data; release(): void };

export function dataNamed(
  app: App,
  { vintage }: { vintage?: unknown },
  input: Fields | undefined,
): Promise<LeasedData> | undefined {
  const named = vintage && input?.vintage;
  return typeof named === "string" ? leasedData(app, [...new Set(named.split(","))]) : undefined;
}

async function leasedData(app: App, named: string[]): Promise<LeasedData> {
  const wanted = named.filter((name) => name !== NONE);
  const releases = await releasesNamed(app, wanted);
  const leases: Lease[] = [];
  const release = () => {
    for (const lease of leases) lease.release();
  };
  try {
    for (const { vintage } of releases.datasets) leases.push(await app.vintage_store.leasePast(vintage));
    const tables = await Promise.all(releases.tables.map(({ vintage }) => app.data.reference.read(vintage)));
    const vintages = leases.length === 0 ? app.data.vintages : heldBy(leases);
    const reference = app.data.reference.with(tables, { alone: named.includes(NONE) });
    return { data: { ...app.data, vintages, reference }, release };
  } catch (error) {
    release();
    throw error;
  }
}

type NamedReleases = { datasets: StoredRelease[]; tables: StoredRelease[] };

/** Finds the named vintages. Refuses a deleted vintage, and two vintages of one dataset. */
async function releasesNamed(app: App, wanted: readonly string[]): Promise<NamedReleases> {
  const since = retainedSince(app.clock.now());
  const all = async (): Promise<NamedReleases> => ({
    datasets: await releasesSince(app.pool, since),
    tables: await referencesSince(app.pool, since),
  });
  const isIn = (releases: StoredRelease[], name: string) => releases.some(({ vintage }) => vintage === name);
  const lacks = ({ datasets, tables }: NamedReleases) =>
    wanted.find((name) => !isIn(datasets, name) && !isIn(tables, name));
  let releases = await all();
  if (lacks(releases) !== undefined) {
    await Promise.all([app.caughtUp(releasesProjection), app.caughtUp(referenceProjection)]);
    releases = await all();
  }
  const absent = lacks(releases);
  if (absent !== undefined) refuseUnkept(absent, releases);
  const found = (releases: StoredRelease[]) =>
    wanted.flatMap((name) => releases.find(({ vintage }) => vintage === name) ?? []);
  const named = { datasets: found(releases.datasets), tables: found(releases.tables) };
  const datasets = [...named.datasets, ...named.tables].map(({ dataset }) => dataset);
  const twice = datasets.find((dataset, at) => datasets.indexOf(dataset) !== at);
  if (twice !== undefined) {
    const message = `vintage names two vintages of ${twice}; name one of each dataset`;
    refuseWith("vintage", message);
  }
  return named;
}

const MOST_TOLD = 20;

function refuseUnkept(absent: string, { datasets, tables }: NamedReleases): never {
  const releases = [...datasets, ...tables];
  const listed = releases
    .slice(0, MOST_TOLD)
    .map(({ dataset, vintage, released_at }) => `${dataset} ${vintage} of ${released_at.slice(0, 10)}`);
  const more = releases.length > MOST_TOLD ? `, and ${releases.length - MOST_TOLD} more` : "";
  const list = releases.length === 0 ? "nothing yet" : listed.join(", ") + more;
  const message = `vintage ${absent} is not stored; vintages are stored ${KEEP_DAYS} days after replacement. Available: ${list}`;
  return refuse("not_found", message, { errors: [{ path: "vintage", message }] });
}

/** The vintages stay leased during the call. */
const heldBy = (leases: readonly Lease[]): Vintages => ({
  open: () => leases.map(({ manifest }) => manifest),
  awaited: () => [],
  lease: (dataset) => {
    const found = leases.find(({ manifest }) => manifest.dataset === dataset);
    if (found) return { ...found, release: () => undefined };
    return refuse("unavailable", `dataset ${dataset} is not among the given vintages`);
  },
});
