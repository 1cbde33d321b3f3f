import { expect } from "vitest";
import type { App } from "../../src/app.ts";
import type { Chain } from "../../src/domain/ports.ts";
import { books } from "../../src/operator/books.ts";

/** What the chain moved for the payments and refunds of a log and what the log says of it agree to the micro-unit; `chain` where the app's own is being meddled with. */
export async function expectBooks(app: App, chain: Chain = app.chain): Promise<void> {
  expect(await books({ ...app, chain })).toMatchObject({
    payments: { differences: [] },
    refunds: { differences: [] },
  });
}
