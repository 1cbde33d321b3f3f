/** A final block in the log identifies its chain, whichever area recorded the block. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { compareChain } from "../../src/chain/history.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import * as following from "../../src/domain/checks/following.ts";
import * as confirmation from "../../src/domain/payments/confirmation.ts";
import { checksReactor } from "../../src/reactors/checks/follow.ts";
import { transfersReactor } from "../../src/reactors/wallet/follow-transfers.ts";
import { airdropsReactor } from "../../src/reactors/wallet/pay-airdrops.ts";
import { type LedgerSetup, openLedgerSetup } from "../payments/ledger-setup.ts";
import { turn } from "../support/turns.ts";
import { wallet } from "../support/wallets.ts";

let setup: LedgerSetup;
beforeAll(async () => {
  setup = await openLedgerSetup();
});
afterAll(() => setup?.close());

const meta = { actor: "test", operation: "test" };
const OTHER: Hex = `0x${"ab".repeat(32)}`;

test("a block that is final for one area but missing on the chain stops all reactors", async () => {
  const { app } = setup;
  await setup.mine(4);
  expect(await compareChain(app)).toEqual({ status: "same" });
  expect(await turn(app, checksReactor)).toEqual({ status: "done" });
  expect(await compareChain(app)).toEqual({ status: "same" });

  const network = "eip155:8453";
  const { block_number, timestamp } = (await app.load(following, following.targetOf(network)))!;
  const facts: confirmation.ConfirmationData = {
    network,
    // Below the one that stands.
    block_number: block_number - 1,
    block_hash: OTHER,
    timestamp,
    as_of_position: 0,
    claimed_before: new Date().toISOString(),
    payments: 0,
    settled_micro: 0,
    refunds: 0,
    refunded_micro: 0,
    confirmed_at: new Date().toISOString(),
  };
  await app.decide(confirmation, confirmation.targetOf(network), confirmation.confirm(facts, undefined), {
    meta,
  });
  expect(await compareChain(app)).toMatchObject({
    status: "foreign",
    reason: expect.stringContaining(OTHER),
  });
  await setup.mine(4);
  for (const one of [checksReactor, transfersReactor]) expect((await turn(app, one)).status).toBe("foreign");
  // Nothing is asked for, so there is nothing to believe the chain about.
  expect((await turn(app, airdropsReactor)).status).toBe("done");
  await expect(app.settlement.facts(await setup.sign(wallet(0), 5n))).rejects.toThrow(/another history/);
});
