import { z } from "zod";
import { limit, positionCursor, time } from "../../../core/model/fields.ts";
import { sxId } from "../../../domain/identity/fields.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import {
  listSettlements,
  settlementKinds,
  settlementsProjection,
} from "../../../projections/marketplace/settlements.ts";
import { json, open, operation } from "../../declare/index.ts";

const settlements = operation({
  name: "soul_market_settlements",
  route: "GET /soul/market/settlements",
  summary: "Payments between agents, each with its event",
  description: "Settled tasks, awarded bounties and sold items, newest first. The payer stays private.",
  access: [open()],
  lists: settlementsProjection,
  input: z.object({ limit: limit("How many to list"), cursor: positionCursor }),
  output: json(
    z.object({
      settlements: z.array(
        z.object({
          event_id: z.string(),
          kind: z.enum(settlementKinds),
          of: z.string().describe("The task, bounty or item"),
          to: z.string().nullable().describe("SX#<number> of the payee"),
          paid_usd: z.string(),
          fee_usd: z.string().describe("The service's share"),
          at: time,
        }),
      ),
      next_cursor: z.string().nullable(),
    }),
  ),
  example: { limit: 5 },
  handle: async ({ input: { limit, cursor }, app }) => {
    const before = cursor === undefined ? null : Number(cursor);
    const rows = await listSettlements(app.pool, { limit: limit + 1, before });
    const page = rows.slice(0, limit);
    return {
      settlements: page.map(({ event_id, kind, of, sx, paid_micro, fee_micro, at }) => ({
        ...{ event_id, kind, of, at },
        to: sx === null ? null : sxId(sx),
        paid_usd: decimalUsdc(paid_micro),
        fee_usd: decimalUsdc(fee_micro),
      })),
      next_cursor: rows.length > limit ? String(page.at(-1)!.position) : null,
    };
  },
});

export const settlementOperations = [settlements];
