/** Refusals of the operations that a report calls, by the fields of the report. */
import { Refusal } from "../../core/model/refusal.ts";
import { type MarketSubject, marketQuestion } from "../fusion/answers/market.ts";
import { chooseDataset, type TradeData } from "../trade/answers/question.ts";

/** The report's field for a field of an operation that it calls; others have the same name. */
export type FieldNames = Readonly<Record<string, string>>;

export function inFieldsOf(error: unknown, names: FieldNames): unknown {
  if (!(error instanceof Refusal) || error.errors === undefined) return error;
  const errors = error.errors.map(({ path, message }) => ({ path: names[path] ?? path, message }));
  return new Refusal(error.type, error.message, { errors });
}

/** Refuses a market that no dataset covers, without reading any figure. */
export function checkMarket(trade: TradeData, market: MarketSubject, names: FieldNames): void {
  try {
    chooseDataset(trade, marketQuestion(market));
  } catch (error) {
    throw inFieldsOf(error, names);
  }
}
