/** Finds the operations that the steps of an intent call, before anybody pays. */
import type { StepChecks } from "../../../projections/reports/answers/query.ts";
import type { PricedCall } from "../../declare/access/way.ts";
import type { OperationDeclaration } from "../../declare/index.ts";
import { stepCover } from "../../declare/uncovered.ts";
import { salaryOperations } from "../salary/salary.ts";
import { fieldsOfTrade, operationsOfTrade } from "../trade/fields.ts";
import { fusionOperations } from "./fusion.ts";

const operations: readonly OperationDeclaration[] = [
  ...operationsOfTrade,
  ...fusionOperations,
  ...salaryOperations,
];

export const stepChecks = (call: PricedCall): StepChecks => ({
  fieldsOf: fieldsOfTrade,
  covers: stepCover(operations, call),
});
