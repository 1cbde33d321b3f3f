import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { madeId, month, time } from "../../../core/model/fields.ts";
import { backtest } from "../../../domain/signals/evaluation.ts";
import { LEAST_EDGE, POINTS, winRate } from "../../../domain/signals/score.ts";
import { sentence, statement } from "../../../domain/signals/series.ts";
import { LINE_MONTHS, strategies } from "../../../domain/signals/strategies.ts";
import { sixDecimals } from "../../../domain/trade/units.ts";
import {
  calibration,
  evaluations,
  listTrades,
  signalsProjection,
  strategyResults,
  type TradeRow,
} from "../../../projections/signals/trades.ts";
import { json, open, operation } from "../../declare/index.ts";
import { nextCursor, pageInput, readPage } from "../../declare/page.ts";

/** The three operations share one limit. */
const access = [open({ calls: 100, per: "minute", shared: "signals" })];

/** With fewer decided bets, the measured chances of a strategy prove nothing. */
const LEAST_DECIDED = 30;
/** A chance closer than this to one half does not count as an opinion. */
const LEAST_OPINION = 0.2;

const names = strategies.map(({ name }) => name) as [string, ...string[]];
const strategy = z
  .enum(names, `is one of ${names.join(", ")}`)
  .optional()
  .describe(`One of ${names.join(", ")}; omitted = all`);

const days = z
  .int("is a whole number of days")
  .min(1, "is at least 1")
  .max(365, "is at most 365")
  .default(30)
  .describe("Bets that ended in the last days, 1 to 365");

const chance = z.number();
const share = z.object({ share: chance, low: chance, high: chance }).nullable();
const synthetic = z.boolean().describe("true: bets on synthetic figures of the sandbox");
const RULES = `line: (k + ½) / (n + 1) of the last ${LINE_MONTHS} months; p: logistic regression of one standardised feature on all earlier months; opened at |p − line| ≥ ${LEAST_EDGE}; a quarter of Kelly's stake of ${POINTS} points, 10 at most; win rate with Wilson's interval at 95 %`;

const allowed = ({ settings: { allow_synthetic } }: App) => ({ allow_synthetic });
const rounded = (value: number | null) => (value === null ? null : sixDecimals(value));

const stats = operation({
  name: "signals_stats",
  route: "GET /v1/agent/signals/stats",
  summary: "Each strategy's paper bets: win rate, points, Brier score",
  description:
    "Bets use points, not money. `backtest` has results on past months of one vintage, which the live results do not include.",
  access,
  input: z.object({ days }),
  output: json(
    z.object({
      data: z.object({
        strategies: z.array(
          z.object({
            strategy: z.string(),
            version: z.int(),
            synthetic,
            open: z.int(),
            n: z.int().describe("Number of bets closed or stopped in these days"),
            win_rate: share.describe("Share of ended bets that won points; null = none ended"),
            pnl: z.number().describe("Points won; below 0, lost"),
            brier: chance.nullable().describe("Mean of (p − outcome)² of closed bets; 0 is best"),
            line_brier: chance.nullable().describe("The Brier score of the line; a good strategy's is lower"),
          }),
        ),
        backtest: z.array(
          z.object({
            dataset: z.string(),
            vintage: z.string(),
            synthetic,
            simulated_vintages: z
              .literal(true)
              .describe("One vintage, as if each month had been published 50 days after its end"),
            strategies: z.array(backtest),
          }),
        ),
      }),
      meta: z.object({ days: z.int(), formula: z.string() }),
    }),
  ),
  lists: signalsProjection,
  example: { days: 30 },
  async handle({ input, app }) {
    const since = new Date(app.clock.now().getTime() - input.days * 86_400_000);
    const [found, evaluated] = await Promise.all([
      strategyResults(app.pool, { since, ...allowed(app) }),
      evaluations(app.pool, app.settings.allow_synthetic),
    ]);
    return {
      data: {
        strategies: found.map(({ ended, won, decided: _, ...one }) => ({
          ...one,
          n: ended,
          win_rate: winRate(won, ended),
          pnl: sixDecimals(one.pnl),
          brier: rounded(one.brier),
          line_brier: rounded(one.line_brier),
        })),
        backtest: evaluated.map(({ dataset, vintage, synthetic, backtest }) => ({
          dataset,
          vintage,
          synthetic,
          simulated_vintages: true,
          strategies: backtest,
        })),
      },
      meta: { days: input.days, formula: RULES },
    };
  },
});

const tradeShown = z.object({
  trade_id: madeId,
  position: z.int().describe("Log position of its opening"),
  text: z.string().describe("The statement as a sentence"),
  statement,
  side: z.enum(["yes", "no"]),
  line: chance.describe("The bet's cost: how often the statement was true before"),
  p: chance,
  confidence: chance.describe("The probability of its side"),
  stake: z.number().describe("Points"),
  strategy: z.string(),
  version: z.int(),
  reasoning: z.string(),
  dataset: z.string(),
  synthetic,
  vintages: z.array(z.string()),
  as_of_position: z.int().describe("All its data was released at or before this position"),
  as_of_month: month
    .nullable()
    .describe("Last month used of synthetic vintages, which have later months; null: all used"),
  opened_at: time,
  decides_by: z.iso.date(),
  status: z.enum(["open", "stopped", "closed", "expired"]),
  outcome: z.boolean().nullable().describe("null: not decided"),
  pnl: z.number().nullable(),
  ended_at: time.nullable(),
  ended_by: z.string().nullable().describe("The vintage that decided or stopped it"),
});

const publicTrade = (row: TradeRow) => ({ ...row, text: sentence(row.statement) });

const trades = operation({
  name: "signals_trades",
  route: "GET /v1/agent/signals/trades",
  summary: "Paper bets, newest first, each with its data",
  description: "The log has each bet in the stream papertrade-<trade_id>.",
  access,
  input: z.object({
    status: z
      .enum(["open", "stopped", "closed", "expired"], "is open, stopped, closed or expired")
      .optional()
      .describe("open, stopped, closed or expired; omitted = all"),
    strategy,
    ...pageInput,
  }),
  output: json(
    z.object({
      data: z.array(tradeShown),
      meta: z.object({ count: z.int(), next_cursor: nextCursor }),
    }),
  ),
  lists: signalsProjection,
  example: { limit: 5 },
  async handle({ input, app }) {
    const { page, next_cursor } = await readPage(input, (rows) =>
      listTrades(app.pool, { ...input, ...allowed(app), ...rows }),
    );
    return { data: page.map(publicTrade), meta: { count: page.length, next_cursor } };
  },
});

const prediction = operation({
  name: "signals_prediction",
  route: "GET /v1/agent/signals/prediction",
  summary: "Open bets of proven strategies, and how often their earlier predictions came true",
  description: `Open bets of strategies with at least ${LEAST_DECIDED} decided bets, whose chance is at least ${LEAST_OPINION} away from one half. With fewer you get an empty list and the count.`,
  access,
  input: z.object({
    strategy,
    month: month.optional().describe("YYYY-MM of the statement; omitted = any"),
  }),
  output: json(
    z.object({
      data: z.object({
        predictions: z.array(tradeShown),
        strategies: z.array(
          z.object({
            strategy: z.string(),
            version: z.int(),
            synthetic,
            decided: z.int(),
            needed: z.int(),
            calibration: z.array(
              z.object({
                from: chance.describe("The stated probability p: from this value to 0.1 more"),
                n: z.int(),
                mean_p: chance,
                share_true: chance,
              }),
            ),
          }),
        ),
      }),
      meta: z.object({ count: z.int() }),
    }),
  ),
  lists: signalsProjection,
  example: {},
  async handle({ input, app }) {
    const ever = await strategyResults(app.pool, { since: null, ...allowed(app) });
    const matching = ever.filter((one) => input.strategy === undefined || one.strategy === input.strategy);
    const keyOf = (one: { strategy: string; version: number; synthetic: boolean }) =>
      `${one.strategy} ${one.version} ${one.synthetic}`;
    const tried = new Set(matching.filter(({ decided }) => decided >= LEAST_DECIDED).map(keyOf));
    const open =
      tried.size === 0 ? [] : await listTrades(app.pool, { status: "open", limit: 1_000, ...allowed(app) });
    const predictions = open
      .filter((one) => tried.has(keyOf(one)) && Math.abs(one.p - 0.5) >= LEAST_OPINION)
      .filter(({ statement }) => input.month === undefined || statement.month === input.month)
      .map(publicTrade);
    const strategies = await Promise.all(
      matching.map(async (one) => ({
        strategy: one.strategy,
        version: one.version,
        synthetic: one.synthetic,
        decided: one.decided,
        needed: LEAST_DECIDED,
        calibration: (await calibration(app.pool, one)).map((decile) => ({
          ...decile,
          mean_p: sixDecimals(decile.mean_p),
          share_true: sixDecimals(decile.share_true),
        })),
      })),
    );
    return { data: { predictions, strategies }, meta: { count: predictions.length } };
  },
});

export const signalOperations = [stats, trades, prediction];
