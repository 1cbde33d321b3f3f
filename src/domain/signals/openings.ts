/** The bets opened on a month, and a strategy's hypothetical result over past months of one vintage. */
import { createHash } from "node:crypto";
import { sixDecimals } from "../trade/units.ts";
import type { Opening } from "./paper-trade.ts";
import { brier, gainOf, sideOf, stakeOf, winRate } from "./score.ts";
import { outcomeAt, type Series, sentence, statementAt } from "./series.ts";
import { type History, historyOf, opinionAt, type Strategy } from "./strategies.ts";

/** Bets that a strategy opens on a release at most, the largest difference between chance and line first. */
const MOST_OPENED = 20;

/** The bet of a strategy on the month at a place; undefined where it has none. */
export function openingAt(
  strategy: Strategy,
  series: Series,
  at: number,
  history?: History,
): Opening | undefined {
  const opinion = opinionAt(strategy, series, at, history);
  const statement = opinion && statementAt(series, at);
  const side = opinion && sideOf(opinion.p, opinion.line);
  if (!opinion || !statement || !side) return undefined;
  const { p, line } = opinion;
  return {
    trade_id: idOf([series.dataset, strategy.name, strategy.version, statement]),
    statement,
    side,
    line,
    p,
    confidence: sixDecimals(side === "yes" ? p : 1 - p),
    stake: stakeOf(side, p, line),
    strategy: strategy.name,
    version: strategy.version,
    reasoning: `${sentence(statement)}: true of ${line} of the months before, and ${p} by logistic regression since ${strategy.reason}`,
  };
}

/** A strategy bets on a statement once: the same bet has the same id. */
const idOf = (facts: unknown[]): string =>
  createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 32);

/** The largest of them. */
export const largest = (opened: readonly Opening[]): Opening[] =>
  opened.toSorted((a, b) => edge(b) - edge(a) || (a.trade_id < b.trade_id ? -1 : 1)).slice(0, MOST_OPENED);

const edge = ({ p, line }: Opening) => sixDecimals(Math.abs(p - line));

/** A strategy's hypothetical result: never added to its actual one. */
export type Backtest = {
  strategy: string;
  version: number;
  n: number;
  win_rate: ReturnType<typeof winRate>;
  pnl: number;
  brier: number | null;
  line_brier: number | null;
};

/** Every bet that a strategy would have opened on the months of a series, with what came of it. */
export function betsOn(strategy: Strategy, series: Series) {
  const bets: { opening: Opening; outcome: boolean; pnl: number }[] = [];
  const history = historyOf(strategy, series);
  for (let at = 0; at < series.values.length; at++) {
    const outcome = outcomeAt(series, at);
    const opening = outcome === undefined ? undefined : openingAt(strategy, series, at, history);
    if (!opening || outcome === undefined) continue;
    bets.push({ opening, outcome, pnl: gainOf(opening.side, opening, outcome) });
  }
  return bets;
}

/** Sums up bets that one strategy would have opened: of each month the largest, as on a release. */
export function summed({ name: strategy, version }: Strategy, bets: ReturnType<typeof betsOn>): Backtest {
  const months = new Map<string, typeof bets>();
  for (const bet of bets) {
    const { month } = bet.opening.statement;
    months.set(month, [...(months.get(month) ?? []), bet]);
  }
  const taken = [...months.values()].flatMap((month) => {
    const kept = new Set(largest(month.map(({ opening }) => opening)));
    return month.filter(({ opening }) => kept.has(opening));
  });
  return {
    strategy,
    version,
    n: taken.length,
    win_rate: winRate(taken.filter(({ pnl }) => pnl > 0).length, taken.length),
    pnl: sixDecimals(taken.reduce((sum, { pnl }) => sum + pnl, 0)),
    brier: brier(taken.map(({ opening, outcome }) => ({ p: opening.p, outcome }))),
    line_brier: brier(taken.map(({ opening, outcome }) => ({ p: opening.line, outcome }))),
  };
}
