import { checkOperations } from "../api/operations/checks/checks.ts";
import { checkOrderOperations } from "../api/operations/checks/orders.ts";
import * as check from "../domain/checks/check.ts";
import * as following from "../domain/checks/following.ts";
import { checkProblems } from "../domain/checks/problems.ts";
import { checksProjection } from "../projections/checks/checks.ts";
import { checksReactor } from "../reactors/checks/follow.ts";
import type { Area } from "./area.ts";

export const checks: Area = {
  name: "checks",
  about: "Signed USDC checks (ERC-3009) that only their issuer can pay, redeemed on Base",
  envelope: "success",
  entities: [check, following],
  projections: [checksProjection],
  reactors: [checksReactor],
  operations: [...checkOperations, ...checkOrderOperations],
  problems: checkProblems,
};
