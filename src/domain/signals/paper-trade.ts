/** A paper trade: a bet of points on a statement that later data decide. There is no money in it. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { madeId, month, time } from "../../core/model/fields.ts";
import { gainAt, gainOf, isAgainst } from "./score.ts";
import { statement } from "./series.ts";

/** Days after the opening release within which a statement must be decided. */
export const EXPIRES_DAYS = 120;

const chance = z.number().min(0).max(1);

const opening = z.strictObject({
  trade_id: madeId.describe(
    "From dataset, strategy, version and statement: a strategy bets on a statement of a dataset once.",
  ),
  statement,
  side: z.enum(["yes", "no"]),
  line: chance.describe(
    "The smoothed share of the last ten decided months in which the statement was true; the bet's price.",
  ),
  p: chance.describe("The chance that the strategy gives the statement."),
  confidence: chance.describe("The chance that the strategy gives its own side."),
  stake: z.number().min(0).max(10).describe("Stake in points, of 1,000."),
  strategy: z.string(),
  version: z.int().positive(),
  reasoning: z.string(),
});
export type Opening = z.infer<typeof opening>;

const opened = z.strictObject({
  ...opening.shape,
  dataset: z.string(),
  synthetic: z.boolean(),
  as_of_position: z.int().positive().describe("The log position of the newest release that it rests on."),
  vintages: z
    .array(z.string())
    .min(1)
    .describe("All vintages that it rests on, released at or before as_of_position."),
  opened_at: time.describe("Release time of the newest vintage that it rests on."),
  decides_by: z.iso.date(),
});

const pnl = z.number().describe("Points won; below 0, lost.");

export const events = {
  PaperTradeOpened: {
    means: "A bet without money was placed on the figures of a coming month.",
    1: opened,
    2: opened.extend({
      as_of_month: month
        .nullable()
        .describe(
          "The last month used of synthetic vintages, which contain later months; null: all months used.",
        ),
    }),
    upcast: { 1: (old: object) => ({ ...old, as_of_month: null }) },
    public: true,
  },
  PaperTradeStopped: {
    means: "A bet without money was ended early, because newer figures spoke against it.",
    1: z.strictObject({ line: chance, pnl, vintage: z.string(), stopped_at: time }),
    public: true,
  },
  PaperTradeClosed: {
    means: "The month of a bet without money was published, and the bet was won or lost.",
    1: z.strictObject({
      outcome: z.boolean(),
      pnl,
      vintage: z.string().describe("The first vintage with the complete month."),
      closed_at: time,
    }),
    public: true,
  },
  PaperTradeExpired: {
    means: "The figures that would have decided a bet without money did not come in time.",
    1: z.strictObject({ expired_at: time }),
    public: true,
  },
};

export type Opened = DataOf<typeof events, "PaperTradeOpened">;
export type TradeEvent = EventOf<typeof events>;
export type TradeState =
  | { status: "open"; facts: Opened }
  | { status: "stopped" | "closed" | "expired"; facts: Opened }
  | undefined;

export const targetOf = (trade_id: string) => ({ tenant: "operator", id: trade_id });

export const prefix = "papertrade-";
export const streamOf = (trade_id: string) => prefix + trade_id;
export const initialState = (): TradeState => undefined;

export function evolve(state: TradeState, event: TradeEvent): TradeState {
  if (event.type === "PaperTradeOpened") return { status: "open", facts: event.data };
  const { facts } = state!;
  switch (event.type) {
    case "PaperTradeStopped":
      return { status: "stopped", facts };
    case "PaperTradeClosed":
      return { status: "closed", facts };
    case "PaperTradeExpired":
      return { status: "expired", facts };
  }
}

export const open =
  (data: Opened) =>
  (state: TradeState): TradeEvent[] =>
    state ? [] : [{ type: "PaperTradeOpened", data }];

/** Data have decided the statement. */
export const close =
  ({ outcome, vintage, at }: { outcome: boolean; vintage: string; at: string }) =>
  (state: TradeState): TradeEvent[] => {
    if (state?.status !== "open") return [];
    const { side } = state.facts;
    const data = { outcome, pnl: gainOf(side, state.facts, outcome), vintage, closed_at: at };
    return [{ type: "PaperTradeClosed", data }];
  };

/** Revised data have moved the line; 0.20 against the bet end it. */
export const follow =
  ({ line, vintage, at }: { line: number; vintage: string; at: string }) =>
  (state: TradeState): TradeEvent[] => {
    if (state?.status !== "open" || !isAgainst(state.facts.side, state.facts.line, line)) return [];
    const data = { line, pnl: gainAt(state.facts.side, state.facts, line), vintage, stopped_at: at };
    return [{ type: "PaperTradeStopped", data }];
  };

/** Its day has passed undecided: nothing is won or lost. */
export const expire =
  (at: string) =>
  (state: TradeState): TradeEvent[] =>
    state?.status === "open" && at.slice(0, 10) > state.facts.decides_by
      ? [{ type: "PaperTradeExpired", data: { expired_at: at } }]
      : [];

/** The last day on which a bet opened then may be decided. */
export const decidesBy = (opened_at: string): string =>
  new Date(Date.parse(opened_at) + EXPIRES_DAYS * 86_400_000).toISOString().slice(0, 10);
