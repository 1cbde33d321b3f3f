import { loungeOperations } from "../api/operations/lounge/bets.ts";
import * as account from "../domain/lounge/account.ts";
import * as deposits from "../domain/lounge/deposits.ts";
import { loungeProblems } from "../domain/lounge/problems.ts";
import { depositsProjection } from "../projections/lounge/deposits.ts";
import { depositsReactor } from "../reactors/lounge/follow-deposits.ts";
import type { Area } from "./area.ts";

export const lounge: Area = {
  name: "lounge",
  about: "Keno, roulette and dice from the same seeds, with exact odds and proofs; and a bar",
  envelope: "success",
  entities: [account, deposits],
  projections: [depositsProjection],
  reactors: [depositsReactor],
  operations: loungeOperations,
  problems: loungeProblems,
};
