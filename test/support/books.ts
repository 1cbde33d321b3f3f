import { expect } from "vitest";
import { type App, withParts } from "../../src/core/app.ts";
import type { Chain } from "../../src/core/model/ports/chain.ts";
import { books } from "../../src/operator/books.ts";

/**
 * The chain's transfers and the log agree to the micro-unit, and every transfer to the payment address is in the
 * log; `chain` if a test manipulates the app's own. No other log has the same PAY_TO on this chain.
 */
export async function expectBooks(app: App, chain: Chain = app.chain): Promise<void> {
  expect(await books(withParts(app, { chain }))).toMatchObject({
    payments: { differences: [] },
    channels: { differences: [] },
    refunds: { differences: [] },
    incoming: { unasked: [] },
    agree: true,
  });
}
