import type { Fields } from "../../../domain/plans/plan.ts";
import { tradeOperations } from "./flows.ts";
import { macroOperations } from "./macro.ts";
import { tradeSignalOperations } from "./signals.ts";
import { tradeAnalyticsOperations } from "./structure.ts";

export const operationsOfTrade = [
  ...tradeOperations,
  ...tradeSignalOperations,
  ...tradeAnalyticsOperations,
  ...macroOperations,
] as const;

/** The fields of an operation of trade, which takes the 27 alone; the others take any country. */
export const fieldsOfTrade = (name: string): Fields | undefined =>
  operationsOfTrade.find((one) => one.name === name)?.input.shape;
