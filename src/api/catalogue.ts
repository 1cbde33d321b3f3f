/** Everything the service does, area by area: the one list that all faces and documents derive from. */
import type { Operation } from "./operation.ts";
import { alertOperations } from "./operations/alerts.ts";
import { checkOrderOperations } from "./operations/check-orders.ts";
import { checkOperations } from "./operations/checks.ts";
import { customsOperations } from "./operations/customs.ts";
import { discoveryOperations } from "./operations/discovery.ts";
import { logOperations } from "./operations/log.ts";
import { loungeOperations } from "./operations/lounge.ts";
import { macroOperations } from "./operations/macro.ts";
import { mirrorOperations } from "./operations/mirror.ts";
import { paymentOperations } from "./operations/payments.ts";
import { replayOperations } from "./operations/replay.ts";
import { rngOperations } from "./operations/rng.ts";
import { rngAnchorOperations } from "./operations/rng-anchor.ts";
import { rngProofOperations } from "./operations/rng-proof.ts";
import { salaryOperations } from "./operations/salary.ts";
import { snapshotOperations } from "./operations/snapshots.ts";
import { tradeOperations } from "./operations/trade.ts";
import { tradeAnalyticsOperations } from "./operations/trade-analytics.ts";
import { tradeProductOperations } from "./operations/trade-products.ts";
import { tradeSignalOperations } from "./operations/trade-signals.ts";
import { walletOperations } from "./operations/wallet.ts";
import { walletAirdropOperations } from "./operations/wallet-airdrop.ts";
import { x402Operations } from "./operations/x402.ts";

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
