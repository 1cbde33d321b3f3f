import { expect } from "vitest";
import { type App, withParts } from "../../src/core/app.ts";
import type { Chain } from "../../src/core/model/ports/chain.ts";
import { books } from "../../src/operator/books.ts";

/**
 * What the chain moved and what the log says of it agree to the micro-unit, and every transfer to where payments go is in the log;
 * `chain` where the app's own is being meddled with. No other log has the same PAY_TO on this chain.
 */
export async function expectBooks(app: App, chain: Chain = app.chain): Promise<void> {
  expect(await books(withParts(app, { chain }))).toMatchObject({
    payments: { differences: [] },
    refunds: { differences: [] },
    incoming: { unasked: [] },
    agree: true,
  });
}
