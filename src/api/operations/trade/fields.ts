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

/** The fields of a trade operation, for the 27 member states alone; the other operations take any country. */
export const fieldsOfTrade = (name: string): Fields | undefined =>
  operationsOfTrade.find((one) => one.name === name)?.input.shape;
