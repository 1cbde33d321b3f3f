/** Settlement that takes no payment on a chain which is not the log's. */
import type { App } from "../app.ts";
import { ChainUnavailable, type Settlement } from "../domain/ports.ts";
import { type Comparison, compareChain } from "./history.ts";

/** For so long what was found of the chain holds. */
const HOLDS_MS = 2_000;

/** Refuses with ChainUnavailable, which names the remedy, while the chain behind the RPC has another history than the log. */
export function settlementOnLogsChain(app: App, { facts, ended, settle }: Settlement): Settlement {
  let compared: Promise<Comparison> | undefined;
  let compared_at = 0;
  const refuseForeign = async () => {
    if (!compared || performance.now() - compared_at >= HOLDS_MS) {
      compared_at = performance.now();
      compared = compareChain(app);
      // What could not be found out is asked again by the next payment.
      compared.catch(() => {
        compared = undefined;
      });
    }
    const comparison = await compared;
    if (comparison.status === "foreign") throw new ChainUnavailable(comparison.reason);
  };
  return {
    facts: async (payment) => {
      await refuseForeign();
      return facts(payment);
    },
    ended: async (payment) => {
      await refuseForeign();
      return ended(payment);
    },
    settle: async (payment, seen_block) => {
      await refuseForeign();
      return settle(payment, seen_block);
    },
  };
}
