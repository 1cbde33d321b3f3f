/** The reactor of payments: reconciles with the chain, finds what came for nothing, then pays what refunds and withdrawals are open. */
import { type ChainMemory, compareChain, noChainMemory } from "../../chain/history.ts";
import { reactor } from "../../core/background/reactor.ts";
import { findPayments } from "./find.ts";
import type { OutgoingOptions } from "./outgoing.ts";
import { type ReconcileOptions, reconcile } from "./reconcile.ts";
import { payRefunds } from "./refund.ts";
import { payWithdrawals } from "./withdraw.ts";

type Told = NonNullable<OutgoingOptions["told"]>;
type Memory = { chain: ChainMemory; refunds: Told; withdrawals: Told; is_compared: boolean };

export const paymentsReactor = (
  options: Pick<ReconcileOptions, "claim_holds_ms" | "answer_within_ms"> = {},
) =>
  reactor({
    name: "payments",
    every_ms: 2_000,
    memory: (): Memory => ({ chain: noChainMemory(), refunds: {}, withdrawals: {}, is_compared: false }),
    take: async ({ app, log, memory, signal, lease }) => {
      // A turn with nothing to look for asks the chain nothing, so the first one looks whether it is the right chain.
      if (!memory.is_compared) {
        const compared = await compareChain(app);
        if (compared.status !== "same") return compared;
        memory.is_compared = true;
      }
      const reconciled = await reconcile(app, { ...options, memory: memory.chain, signal });
      if (reconciled !== "done" || signal.aborted) return reconciled;
      await findPayments({ app, lease }, options.answer_within_ms);
      const refunded = await payRefunds(app, { log, told: memory.refunds, signal });
      if (refunded !== "done" || signal.aborted) return refunded;
      return payWithdrawals(app, { log, told: memory.withdrawals, signal });
    },
    troubles: {
      away: "the chain is away: payments are not reconciled meanwhile",
      behind: "payments are not reconciled: the chain lags behind what it showed before",
      foreign: "no payments are taken: the chain is not the one that the log knows",
      failed: "payments cannot be reconciled; trying again",
    },
    grave: ["foreign"],
    resumed: "payments are reconciled with the chain again",
  });
