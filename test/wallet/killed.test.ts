/** The process is killed at each step of paying an airdrop; the next one goes on, and nobody is paid twice. */
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GAS_KEY, PAYEE } from "../chain/fixture.ts";
import { startProgram } from "../support/compiled.ts";
import { until } from "../support/until.ts";
import { type AirdropHouse, openAirdropHouse } from "./airdrop-house.ts";

let house: AirdropHouse;
beforeAll(async () => {
  house = await openAirdropHouse();
  // The approval is given once.
  await house.ask(1);
  await house.turn();
});
afterAll(() => house?.close());

async function dies(at: string): Promise<void> {
  const { ledger, app } = house;
  const child = startProgram("test/wallet/doomed-payer.ts", [], {
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
])("killed %s", async (step, by_the_dead, left) => {
  const airdrop = await house.ask(3);
  const before = await house.sent();
  await dies(step);
  if (by_the_dead > 0) await until(async () => (await house.sent()) !== before);
  expect(await house.sent()).toBe(before + by_the_dead);
  expect(await house.storyOf(airdrop)).toEqual(left);
  await house.turn();
  await house.turn();
  expect(await house.sent()).toBe(before + 1);
  expect(await house.storyOf(airdrop)).toEqual(["Asked", "Sent", "Paid"]);
  expect(await house.received(airdrop)).toEqual([1n, 1n, 1n]);
});
