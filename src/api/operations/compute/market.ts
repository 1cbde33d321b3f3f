import { z } from "zod";
import { limit } from "../../../core/model/fields.ts";
import * as nodes from "../../../domain/compute/node.ts";
import { sxId } from "../../../domain/identity/fields.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import { matchNodes, nodesProjection } from "../../../projections/compute/nodes.ts";
import { marketSums } from "../../../projections/compute/sums.ts";
import { tasksProjection } from "../../../projections/compute/tasks.ts";
import { storedAt } from "../../../projections/trust/scores.ts";
import { json, open, operation } from "../../declare/index.ts";
import { microOf, usd } from "./fields.ts";

const match = operation({
  name: "compute_match",
  route: "GET /soul/match",
  summary: "Nodes that take work now and meet your needs",
  description: "Sorted by trust per dollar.",
  access: [open()],
  lists: nodesProjection,
  input: z.object({
    need: z
      .enum(nodes.capabilities, `is one of ${nodes.capabilities.join(", ")}`)
      .describe("Required hardware: cpu, gpu or memory"),
    kind: nodes.kindName.optional().describe("A task_type it must accept"),
    max_hourly_usd: usd(0, 1_000).optional().describe("The highest hourly price, in dollars"),
    min_trust: z
      .number("is a number from 0 to 100")
      .min(0, "is at least 0")
      .max(100, "is at most 100")
      .default(0)
      .describe("The lowest trust score, 0 to 100"),
    limit: limit("How many to list"),
  }),
  output: json(
    z.object({
      nodes: z.array(
        z.object({
          sx_id: z.string(),
          capabilities: z.array(z.string()),
          kinds: z.array(z.string()).describe("Accepted task types"),
          hourly_rate_usd: z.string(),
          trust: z.number().describe("Points, 0 to 100"),
          free: z.int().describe("Number of free slots; may be a few seconds old"),
          max_concurrent: z.int(),
          settled: z.int(),
        }),
      ),
    }),
  ),
  example: { need: "cpu", limit: 5 },
  handle: async ({ input, app }) => {
    const { need, kind = null, max_hourly_usd, min_trust, limit } = input;
    const max_hourly_micro = max_hourly_usd === undefined ? null : microOf(max_hourly_usd);
    const day = (await storedAt(app.pool))?.day ?? null;
    const found = await matchNodes(app.pool, { need, kind, max_hourly_micro, min_trust, day, limit });
    return {
      nodes: found.map(({ sx, hourly_rate_micro, trust, ...node }) => ({
        sx_id: sxId(sx),
        hourly_rate_usd: decimalUsdc(hourly_rate_micro),
        trust: Math.floor(trust * 1e4) / 1e4,
        ...node,
      })),
    };
  },
});

const marketplace = operation({
  name: "compute_marketplace",
  route: "GET /soul/compute/marketplace",
  summary: "The compute market: nodes, tasks, prices and settlements",
  description: "Counts and totals so far; quartiles of hourly prices.",
  access: [open()],
  lists: tasksProjection,
  input: z.object({}),
  output: json(
    z.object({
      online: z.int().describe("Nodes that are online"),
      free_slots: z.int(),
      queued: z.int().describe("Tasks not started"),
      active: z.int().describe("Tasks in progress"),
      hourly_rate_usd: z
        .object({ lower: z.string(), median: z.string(), upper: z.string() })
        .nullable()
        .describe("Null if no node takes work"),
      settled: z.int(),
      settled_usd: z.string().describe("Total price of the settled tasks; workers received 90 % of it"),
      refunded: z.int(),
      audited: z.int().describe("Results that the service checked by a run of its own"),
      mismatches: z.int().describe("Checks that gave another result"),
    }),
  ),
  example: {},
  handle: async ({ app }) => {
    const { quartiles, slots, running, settled_micro, ...sums } = await marketSums(app.pool);
    const [lower, median, upper] = (quartiles ?? []).map((rate) => decimalUsdc(rate));
    return {
      ...sums,
      free_slots: slots,
      active: running,
      settled_usd: decimalUsdc(settled_micro),
      hourly_rate_usd: quartiles ? { lower, median, upper } : null,
    };
  },
});

export const marketOperations = [match, marketplace];
