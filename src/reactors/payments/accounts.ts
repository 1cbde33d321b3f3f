/** Charges an account when the chain reverts a payment that was credited to it. */

import { reactor, unlessRefused } from "../../core/background/reactor.ts";
import * as account from "../../domain/payments/account.ts";
import { accountsProjection, undoneCredits } from "../../projections/payments/accounts.ts";
import { paymentsProjection } from "../../projections/payments/payments.ts";

/** Three times the period in which a credit can be reversed, so a long pause misses none. */
const LOOKS_BACK_MS = 3 * account.REVERSIBLE_MS;

const meta = { actor: "reactor:accounts", operation: "accounts.reverse" };

export const accountsReactor = reactor({
  name: "accounts",
  every_ms: 2_000,
  memory: () => ({}),
  async take({ app, signal }) {
    const current = await Promise.all([app.caughtUp(accountsProjection), app.caughtUp(paymentsProjection)]);
    const since = new Date(app.clock.now().getTime() - LOOKS_BACK_MS).toISOString();
    const undone = await undoneCredits(app.pool, since);
    for (const { tenant, source } of undone) {
      if (signal.aborted) break;
      const decision = account.reverse(source, app.clock.now().toISOString());
      await unlessRefused(app.decide(account, account.targetOf(tenant), decision, { meta }));
    }
    return undone.length === 0 && current.every(Boolean) ? "idle" : "done";
  },
  failures: { failed: "reverted payments are not charged to their accounts; trying again" },
  resumed: "reverted payments are charged to their accounts again",
});
