import { z } from "zod";
import { DELAY_DAYS, signal } from "../../../domain/reports/front-run.ts";
import { productCode } from "../../../domain/trade/inputs.ts";
import { frontRunProjection, frontRunSignals } from "../../../projections/reports/front-run.ts";
import { json, key, operation } from "../../declare/index.ts";

/** Reads a day written YYYYMMDD as YYYY-MM-DD. */
const since = z
  .string()
  .regex(/^\d{8}$/, { error: "since is a day as YYYYMMDD, such as 20240131", abort: true })
  .refine((text) => z.iso.date().safeParse(dayOf(text)).success, "since is not a day of the calendar")
  .describe("Policies of this day, YYYYMMDD, or later; omitted = all");

const dayOf = (text: string) => `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;

const watchOperation = operation({
  name: "front_run_watch",
  route: "GET /v1/agent/front-run/watch",
  summary: "Imports that rose before a policy began, the largest spikes first",
  description: `Computed each Monday at 07:00 UTC, for policies at least seven days old. A signal is not proof of who knew what. A product
whose season peaks in the months before gets no signal. A code that a revision changed is counted together with its predecessors and successors.`,
  access: [key("read")],
  input: z.object({
    limit: z
      .int("limit is a whole number")
      .min(1, "limit is at least 1")
      .max(50, "limit is at most 50")
      .default(5)
      .describe("How many signals, 1 to 50"),
    since: since.optional(),
    hs: productCode
      .optional()
      .describe(
        "Policies on this HS or CN code, on one that it is part of, or on a part of it; omitted = all",
      ),
  }),
  output: json(
    z.object({
      data: z.array(signal.extend({ week: z.iso.date(), vintage: z.string(), synthetic: z.boolean() })),
      meta: z.object({ count: z.int(), delay_days: z.int() }),
    }),
  ),
  lists: frontRunProjection,
  example: { limit: 5 },
  async handle({ input, app }) {
    const data = await frontRunSignals(app.pool, {
      limit: input.limit,
      hs: input.hs,
      since: input.since === undefined ? undefined : dayOf(input.since),
      allow_synthetic: app.settings.allow_synthetic,
    });
    return { data, meta: { count: data.length, delay_days: DELAY_DAYS } };
  },
});

export const frontRunOperations = [watchOperation];
