import { walletAirdropOperations } from "../api/operations/wallet/airdrop.ts";
import { walletOperations } from "../api/operations/wallet/balances.ts";
import * as airdrop from "../domain/wallet/airdrop.ts";
import { walletProblems } from "../domain/wallet/problems.ts";
import { airdropsProjection } from "../projections/wallet/airdrops.ts";
import { transfersReactor } from "../reactors/wallet/follow-transfers.ts";
import { airdropsReactor } from "../reactors/wallet/pay-airdrops.ts";
import type { Area } from "./area.ts";

export const wallet: Area = {
  name: "wallet",
  about: "The platform token, USDC and ether: balances, transfers, airdrops",
  envelope: "success",
  entities: [airdrop],
  projections: [airdropsProjection],
  reactors: [airdropsReactor, transfersReactor],
  operations: [...walletOperations, ...walletAirdropOperations],
  problems: walletProblems,
};
