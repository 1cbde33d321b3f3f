/** Everything the service does, area by area: the one list that all faces and documents derive from. */
import type { Operation } from "./operation.ts";
import { alertOperations } from "./operations/alerts/subscriptions.ts";
import { checkOperations } from "./operations/checks/checks.ts";
import { checkOrderOperations } from "./operations/checks/orders.ts";
import { customsOperations } from "./operations/customs/customs.ts";
import { discoveryOperations } from "./operations/discovery/discovery.ts";
import { logOperations } from "./operations/log/tree.ts";
import { loungeOperations } from "./operations/lounge/bets.ts";
import { mirrorOperations } from "./operations/mirror/reconstruct.ts";
import { paymentOperations } from "./operations/payments/ledger.ts";
import { x402Operations } from "./operations/payments/x402.ts";
import { snapshotOperations } from "./operations/replay/snapshots.ts";
import { replayOperations } from "./operations/replay/wal-since.ts";
import { rngAnchorOperations } from "./operations/rng/anchor.ts";
import { rngProofOperations } from "./operations/rng/proof.ts";
import { rngOperations } from "./operations/rng/rolls.ts";
import { salaryOperations } from "./operations/salary/salary.ts";
import { tradeOperations } from "./operations/trade/flows.ts";
import { macroOperations } from "./operations/trade/macro.ts";
import { tradeProductOperations } from "./operations/trade/products.ts";
import { tradeSignalOperations } from "./operations/trade/signals.ts";
import { tradeAnalyticsOperations } from "./operations/trade/structure.ts";
import { walletAirdropOperations } from "./operations/wallet/airdrop.ts";
import { walletOperations } from "./operations/wallet/balances.ts";

export const catalogue: Operation[] = [
  ...discoveryOperations,
  ...tradeOperations,
  ...tradeProductOperations,
  ...tradeAnalyticsOperations,
  ...tradeSignalOperations,
  ...macroOperations,
  ...salaryOperations,
  ...mirrorOperations,
  ...customsOperations,
  ...rngOperations,
  ...rngProofOperations,
  ...rngAnchorOperations,
  ...walletOperations,
  ...walletAirdropOperations,
  ...checkOperations,
  ...checkOrderOperations,
  ...loungeOperations,
  ...alertOperations,
  ...replayOperations,
  ...snapshotOperations,
  ...x402Operations(() => catalogue),
  ...paymentOperations,
  ...logOperations,
];
