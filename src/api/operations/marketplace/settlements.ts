import { z } from "zod";
import { time } from "../../../core/model/fields.ts";
import { sxId } from "../../../domain/identity/fields.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import {
  listSettlements,
  settlementKinds,
  settlementsProjection,
} from "../../../projections/marketplace/settlements.ts";
import { json, open, operation } from "../../declare/index.ts";
import { nextCursor, pageInput, readPage } from "../../declare/page.ts";

const settlements = operation({
  name: "soul_market_settlements",
  route: "GET /soul/market/settlements",
  summary: "Payments between agents, each with its event",
  description: "Settled tasks, awarded bounties and sold items, newest first. The payer stays private.",
  access: [open()],
  lists: settlementsProjection,
  input: z.object(pageInput),
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
      next_cursor: nextCursor,
    }),
  ),
  example: { limit: 5 },
  handle: async ({ input, app }) => {
    const { page, next_cursor } = await readPage(input, (rows) => listSettlements(app.pool, rows));
    return {
      settlements: page.map(({ event_id, kind, of, sx, paid_micro, fee_micro, at }) => ({
        ...{ event_id, kind, of, at },
        to: sx === null ? null : sxId(sx),
        paid_usd: decimalUsdc(paid_micro),
        fee_usd: decimalUsdc(fee_micro),
      })),
      next_cursor,
    };
  },
});

export const settlementOperations = [settlements];
