/** Kills the process at each step of paying an airdrop; the next process continues, and nobody is paid twice. */
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startProgram } from "../support/compiled.ts";
import { until } from "../support/until.ts";
import { GAS_KEY, PAYEE } from "../support/wallets.ts";
import { type AirdropSetup, openAirdropSetup } from "./airdrop-setup.ts";

let setup: AirdropSetup;
beforeAll(async () => {
  setup = await openAirdropSetup();
  // The approval is given once.
  await setup.ask(1);
  await setup.turn();
});
afterAll(() => setup?.close());

async function dies(at: string): Promise<void> {
  const { ledger, app } = setup;
  const child = startProgram("test/wallet/killed-payer.ts", [], {
    env: {
      PATH: process.env.PATH,
      DIES_AT: at,
      DATABASE_URL: ledger.database_url,
      DATA_DIR: ledger.workshop.dir,
      BASE_RPC_URL: ledger.workshop.node.rpc_url,
      SIGNING_KEY: ledger.signing_key,
      PLATFORM_TOKEN: app.platform_token,
      PAY_TO: PAYEE,
      GAS_KEY,
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
}

test.each([
  ["before it is said", 0, ["Asked"]],
  ["before it is sent", 0, ["Asked", "Sent"]],
  ["while it is sent", 1, ["Asked", "Sent"]],
  ["after it is mined", 1, ["Asked", "Sent"]],
  ["after it is recorded", 1, ["Asked", "Sent", "Paid"]],
])("an airdrop is sent and paid once if the process is killed %s", async (step, by_the_dead, left) => {
  const airdrop = await setup.ask(3);
  const before = await setup.sent();
  await dies(step);
  if (by_the_dead > 0) await until(async () => (await setup.sent()) !== before);
  expect(await setup.sent()).toBe(before + by_the_dead);
  expect(await setup.storyOf(airdrop)).toEqual(left);
  await setup.turn();
  await setup.turn();
  expect(await setup.sent()).toBe(before + 1);
  expect(await setup.storyOf(airdrop)).toEqual(["Asked", "Sent", "Paid"]);
  expect(await setup.received(airdrop)).toEqual([1n, 1n, 1n]);
});
