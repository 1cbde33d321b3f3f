import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { sha256, time } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { KEEP_DAYS } from "../../../datasets/retention.ts";
import { type Snapshot, snapshotColumns } from "../../../datasets/snapshots.ts";
import { checkLink, LINK_SECONDS, signLink } from "../../../domain/replay/snapshot-link.ts";
import { controlTotals } from "../../../domain/trade/dataset.ts";
import { dataset } from "../../../domain/trade/inputs.ts";
import { monthText } from "../../../domain/trade/units.ts";
import { dataOf } from "../../../projections/trade/answers/data.ts";
import {
  refuseBeside,
  releaseNamed,
  releaseOn,
  requestedDatasets,
} from "../../../projections/trade/answers/snapshot.ts";
import {
  type DatedRelease,
  firstReleaseOf,
  releasesProjection,
} from "../../../projections/trade/releases.ts";
import { file, json, key, open, operation, pathWith, pay, reads } from "../../declare/index.ts";

const VERIFY =
  "The file's SHA-256 is `sha256`. `vintage` is the digest in the event DatasetReleased at `position` of the log " +
  "(/log/events, docs/datasets.md); its sums are `control_totals`: for each reporter, product, flow and month the WORLD row " +
  "if there is one (is_aggregate), else the sum of the partners.";

const snapshotLink = z.object({
  url: z.url().describe("The Parquet file; needs no key, takes HEAD and Range"),
  expires_at: time.describe("The url expires then"),
  date: z.string().nullable().describe("The requested day; null for a vintage"),
  dataset: z.string(),
  vintage: z.string(),
  source: z.string(),
  synthetic: z.boolean().describe("true: synthetic figures of the sandbox, for trying the service out"),
  valid_from: time.describe("When it was released"),
  valid_to: time.nullable().describe("When the next vintage replaced it; null: it is current"),
  position: z.int().describe("Position of its release in the log"),
  periods: z.object({ from: z.string(), to: z.string() }),
  rows: z.int(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  control_totals: controlTotals,
  bytes: z.int(),
  sha256: z.string(),
  verify: z.string().describe("How to check the file"),
});

const snapshotFile = operation({
  name: "trade_snapshot_file",
  route: "GET /v1/agent/replay/snapshots/{vintage}",
  summary: "The Parquet file of a signed link",
  description:
    "The `url` of replay/eu-trade-snapshot points here. The signature is the credential: no key or payment, for " +
    `${LINK_SECONDS / 60} minutes. Range requests work; the ETag is the file's SHA-256.`,
  access: [open()],
  input: z.object({
    vintage: sha256.describe("The vintage, from the url"),
    expires: z.int("expires is a whole number").describe("Unix seconds at which the link expires"),
    signature: sha256.describe("The service's signature over `vintage` and `expires`"),
  }),
  output: file(
    "application/vnd.apache.parquet",
    "A vintage of trade figures as Parquet, compressed with Zstandard",
  ),
  refuses: [403, 404, 410],
  example: { vintage: "ab".repeat(32), expires: 1_790_000_000, signature: "cd".repeat(32) },
  caching: () => `private, max-age=${LINK_SECONDS}, no-transform`,
  handle: async ({ input, app }) => {
    checkLink(app.link_secret, input, app.clock.now());
    const released_at = await firstReleaseOf(app.pool, { vintage: input.vintage });
    if (released_at === undefined) return refuse("not_found", "this vintage was never released");
    const snapshot = await app.snapshots.open(input.vintage, released_at);
    return { ...snapshot, name: `eu-trade-${input.vintage.slice(0, 12)}.parquet` };
  },
});

/** A new, signed address from which a vintage can be downloaded. */
export function linkTo(app: App, vintage: string): { url: string; expires_at: string } {
  const expires = Math.floor(app.clock.now().getTime() / 1000) + LINK_SECONDS;
  const query = `expires=${expires}&signature=${signLink(app.link_secret, { vintage, expires })}`;
  return {
    url: `${app.settings.public_url}${pathWith(snapshotFile, { vintage })}?${query}`,
    expires_at: new Date(expires * 1000).toISOString(),
  };
}

const snapshot = operation({
  name: "trade_snapshot",
  route: "POST /v1/agent/replay/eu-trade-snapshot",
  effect: reads,
  summary: "EU trade as known on any of the last 180 days, as one Parquet file",
  description:
    "The vintage valid at the end of the day (UTC), at a signed link that is valid for " +
    `${LINK_SECONDS / 60} minutes. Columns: ${Object.keys(snapshotColumns).join(", ")}. quantity_kg is null without a ` +
    "stated mass; is_aggregate marks WORLD and other groups of countries. You get the real dataset if there is " +
    "one, otherwise the sandbox, marked `synthetic`. The first call for a vintage makes its file; if that takes too " +
    "long, you get a 503 and pay nothing. A repeat with the same payment or Idempotency-Key returns the same link.",
  again_to: "anybody",
  access: [key("read"), pay("1.50")],
  input: z.object({
    date: z.iso
      .date("date is a day such as 2026-01-31")
      .describe("YYYY-MM-DD, one of the last 180 days; omitted = today")
      .optional(),
    dataset: dataset.optional(),
    vintage: sha256
      .describe("A stored vintage, instead of date and dataset: for a day with two vintages")
      .optional(),
  }),
  refuses: [404],
  output: json(z.object({ data: snapshotLink, meta: z.object({ kept_days: z.int() }) })),
  example: {},
  covers: (
    { vintage, date, dataset }: { vintage?: string; date?: string; dataset?: string },
    { app, data },
  ) => {
    if (vintage === undefined)
      requestedDatasets({ trade: dataOf(data), now: app.clock.now() }, { date, dataset });
    else refuseBeside({ date, dataset });
  },
  handle: async ({ input, app, data }) => {
    await app.caughtUp(releasesProjection);
    const now = app.clock.now();
    const { vintage } = input;
    const date = vintage === undefined ? (input.date ?? now.toISOString().slice(0, 10)) : null;
    const request = { pool: app.pool, trade: dataOf(data), now };
    const release =
      date === null
        ? await releaseNamed(request, { ...input, vintage: vintage! })
        : await releaseOn(request, { ...input, date });
    const released_at = await firstReleaseOf(app.pool, release);
    const made = await app.snapshots.open(release.vintage, released_at ?? release.released_at);
    return { data: publicSnapshot(app, date, release, made), meta: { kept_days: KEEP_DAYS } };
  },
});

function publicSnapshot(app: App, date: string | null, release: DatedRelease, { bytes, sha256 }: Snapshot) {
  const { dataset, vintage, source, synthetic, periods, rows, control_totals, position } = release;
  return {
    ...linkTo(app, vintage),
    date,
    dataset,
    vintage,
    source,
    synthetic,
    valid_from: release.released_at,
    valid_to: release.replaced_at,
    position,
    periods: { from: monthText(periods.from), to: monthText(periods.to) },
    rows,
    columns: Object.entries(snapshotColumns).map(([name, type]) => ({ name, type })),
    control_totals,
    bytes,
    sha256,
    verify: VERIFY,
  };
}

export const snapshotOperations = [snapshot, snapshotFile];
