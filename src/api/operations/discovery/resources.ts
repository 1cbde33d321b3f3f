import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { sha256, time } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { KEEP_DAYS, retainedSince } from "../../../datasets/retention.ts";
import { controlTotals } from "../../../domain/trade/dataset.ts";
import { monthText } from "../../../domain/trade/units.ts";
import { eventsAt } from "../../../projections/anchoring/events.ts";
import { paymentsOf } from "../../../projections/payments/ledger.ts";
import { reportsOf } from "../../../projections/reports/stored-reports.ts";
import { releasesBelow, releasesProjection, storedRelease } from "../../../projections/trade/releases.ts";
import type { Caller } from "../../declare/caller.ts";
import { json, open, operation } from "../../declare/index.ts";
import { nextCursor, pageInput, readPage } from "../../declare/page.ts";

export const resourceKinds = ["vintage", "report", "receipt"] as const;

type Listed = { kind: (typeof resourceKinds)[number]; id: string; title: string; position: number };

const resources = operation({
  name: "resources",
  route: "GET /v1/agent/resources",
  summary: "Vintages, reports and receipts that you can read again",
  description:
    "Newest first. Anybody sees the vintages of datasets; a key that may read also sees its tenant's stored reports and " +
    "settled payments. `vintage`, `report` and `payment_status` read one; `log_proof` proves its event. Over MCP these are " +
    "resources.",
  access: [open()],
  lists: releasesProjection,
  input: z.object(pageInput),
  output: json(
    z.object({
      data: z.array(
        z.object({
          kind: z.enum(resourceKinds).describe("A receipt is a settled payment"),
          id: z.string().describe("The vintage, the report_id or the payment's id"),
          title: z.string().describe("For people: the dataset, or the operation that was bought"),
          event_id: z.uuid().describe("Its event in the log"),
          position: z.int().describe("The event's position in the log"),
          recorded_at: time.describe("When the event was recorded"),
        }),
      ),
      meta: z.object({
        count: z.int().describe("Number of resources on this page"),
        next_cursor: nextCursor.describe("The `cursor` of the next page; null on the last"),
      }),
    }),
  ),
  example: { limit: 5 },
  handle: async ({ input, app, caller }) => {
    const { page, next_cursor } = await readPage(input, ({ before, limit }) =>
      listed(app, caller, { before: before ?? Number.MAX_SAFE_INTEGER, limit }),
    );
    const events = await eventsAt(
      app.pool,
      page.map(({ position }) => position),
    );
    const data = page.map((one) => {
      const { event_id, recorded_at_us } = events.get(one.position)!;
      return { ...one, event_id, recorded_at: new Date(recorded_at_us / 1_000).toISOString() };
    });
    return { data, meta: { count: data.length, next_cursor } };
  },
});

async function listed(
  { pool, clock }: App,
  caller: Caller,
  { before, limit }: { before: number; limit: number },
): Promise<Listed[]> {
  const now = clock.now();
  const page = { before, limit };
  const releases = releasesBelow(pool, { ...page, since: retainedSince(now) });
  const reads = caller.kind === "subject" || (caller.kind === "key" && caller.scopes.includes("read"));
  const { tenant } = caller;
  const [vintages, reports, receipts] = await Promise.all([
    releases,
    reads ? reportsOf(pool, tenant, { ...page, now }) : [],
    reads ? paymentsOf(pool, tenant, page) : [],
  ]);
  const all: Listed[] = [
    ...vintages.map(({ dataset, vintage, synthetic, position }) => {
      const title = `Vintage of ${dataset}${synthetic ? ", synthetic" : ""}`;
      return { kind: "vintage" as const, id: vintage, title, position };
    }),
    ...reports.map(({ report_id, position }) => {
      return { kind: "report" as const, id: report_id, title: "Report", position };
    }),
    ...receipts.map(({ id, operation, position }) => {
      return { kind: "receipt" as const, id, title: `Payment for ${operation}`, position };
    }),
  ];
  return all.sort((one, other) => other.position - one.position).slice(0, limit);
}

const month = z.string().describe("YYYY-MM");

const vintageOperation = operation({
  name: "vintage",
  route: "GET /v1/agent/vintages/{vintage}",
  summary: "One vintage of a dataset",
  description: `Months, rows, sums and digests of the vintage, as its release in the log states them. A replaced vintage is stored for another ${KEEP_DAYS} days.`,
  access: [open()],
  lists: releasesProjection,
  input: z.object({ vintage: sha256.describe("From the `meta` of an answer, or from resources") }),
  output: json(
    z.object({
      data: z.object({
        dataset: z.string().describe("The dataset that it is a vintage of"),
        vintage: sha256.describe("Digest of dataset, source and the content of each year"),
        source: z.string().describe("Where its data come from"),
        synthetic: z.boolean().describe("True if its data are made for trials"),
        periods: z.object({ from: month, to: month }).describe("Its first and last month"),
        rows: z.int().describe("Number of its lines"),
        control_totals: controlTotals,
        partitions: z
          .array(
            z.object({
              year: z.int().describe("The year of the months"),
              content_sha256: sha256.describe("Digest of its content"),
              rows: z.int().describe("Number of its lines"),
            }),
          )
          .describe("Its years, each with the digest of its content"),
        replaces: sha256.nullable().describe("The vintage it was built upon"),
        released_at: time.describe("When it became the current vintage"),
        replaced_at: time.nullable().describe("Null while it is current"),
        position: z.int().describe("Position of its release in the log"),
        event_id: z.uuid().describe("The event of its release, for log_proof"),
      }),
      meta: z.object({ kept_days: z.int().describe("Days for which a replaced vintage is stored") }),
    }),
  ),
  refuses: [404],
  example: { vintage: "ab".repeat(32) },
  example_from: { vintage: ["trade_snapshot"] },
  handle: async ({ input: { vintage }, app }) => {
    const release = await storedRelease(app.pool, vintage, retainedSince(app.clock.now()));
    if (!release)
      return refuse("not_found", `vintage ${vintage} is not stored; resources lists those that are`);
    const { dataset, source, synthetic, periods, rows, control_totals, partitions, replaces } = release;
    const { position, released_at, replaced_at } = release;
    const { event_id } = (await eventsAt(app.pool, [position])).get(position)!;
    return {
      data: {
        ...{ dataset, vintage, source, synthetic },
        periods: { from: monthText(periods.from), to: monthText(periods.to) },
        ...{ rows, control_totals, partitions, replaces, released_at, replaced_at, position, event_id },
      },
      meta: { kept_days: KEEP_DAYS },
    };
  },
});

export const resourceOperations = [resources, vintageOperation];
