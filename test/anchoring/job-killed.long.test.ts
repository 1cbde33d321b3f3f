/** Kills the process at each step of signing and anchoring; the next one continues, and nothing is sent twice. */
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import { startProgram } from "../support/compiled.ts";
import { until } from "../support/until.ts";
import { GAS_KEY, PAYEE } from "../support/wallets.ts";
import { type AnchoringSetup, openAnchoringSetup } from "./anchoring-setup.ts";

let setup: AnchoringSetup;
beforeAll(async () => {
  setup = await openAnchoringSetup();
});
afterAll(() => setup.close());

async function dies(at: string): Promise<void> {
  const child = startProgram("test/anchoring/killed-anchorer.ts", [], {
    env: {
      PATH: process.env.PATH,
      DIES_AT: at,
      DATABASE_URL: setup.database_url,
      DATA_DIR: setup.workshop.dir,
      BASE_RPC_URL: setup.workshop.node.rpc_url,
      SIGNING_KEY: setup.signing_key,
      PAY_TO: PAYEE,
      GAS_KEY,
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
}

const sent = async () =>
  Number(await setup.workshop.rpc<Hex>("eth_getTransactionCount", setup.workshop.chain.sender, "latest"));

test.each([
  ["before it is signed", 0],
  ["after it is signed", 0],
  ["before it is sent", 0],
  ["while it is sent", 1],
  ["after it is mined", 1],
  ["after it is recorded", 1],
])("an anchor is sent and recorded once if its process is killed %s", async (step, by_the_dead) => {
  await setup.happen();
  const [before, count] = [await sent(), (await setup.story()).length];
  await dies(step);
  if (by_the_dead > 0) await until(async () => (await sent()) !== before);
  expect(await sent()).toBe(before + by_the_dead);
  // Its lease expires.
  await until(async () => (await setup.turn()).status !== "taken");
  await setup.turn();
  expect(await sent()).toBe(before + 1);
  expect((await setup.story()).slice(count).filter((type) => type !== "AnchorFinal")).toEqual([
    ...["CheckpointSigned", "Anchored"],
  ]);
  const { checkpoint } = await setup.state();
  expect(await setup.kept()).toMatchObject({ size: BigInt(checkpoint!.size), root: checkpoint!.root });
});
