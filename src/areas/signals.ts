import { signalOperations } from "../api/operations/signals/signals.ts";
import * as evaluation from "../domain/signals/evaluation.ts";
import * as paperTrade from "../domain/signals/paper-trade.ts";
import { signalsProjection } from "../projections/signals/trades.ts";
import { signalsReactor } from "../reactors/signals/evaluate.ts";
import type { Area } from "./area.ts";

export const signals: Area = {
  name: "signals",
  about: "Paper bets on statements that later data decide, and how they went",
  envelope: "success",
  entities: [paperTrade, evaluation],
  projections: [signalsProjection],
  reactors: [signalsReactor],
  operations: signalOperations,
  problems: {},
};
