/** The process is killed at each step of signing and anchoring; the next one goes on, and nothing is sent twice. */
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hex } from "../../src/domain/chain.ts";
import { GAS_KEY, PAYEE } from "../chain/fixture.ts";
import { startProgram } from "../support/compiled.ts";
import { until } from "../support/until.ts";
import { type AnchoringHouse, openAnchoringHouse } from "./anchoring-house.ts";

let house: AnchoringHouse;
beforeAll(async () => {
  house = await openAnchoringHouse();
});
afterAll(() => house.close());

async function dies(at: string): Promise<void> {
  const child = startProgram("test/anchoring/doomed-anchorer.ts", [], {
    env: {
      PATH: process.env.PATH,
      DIES_AT: at,
      DATABASE_URL: house.database_url,
      DATA_DIR: house.workshop.dir,
      BASE_RPC_URL: house.workshop.node.rpc_url,
      SIGNING_KEY: house.signing_key,
      PAY_TO: PAYEE,
      GAS_KEY,
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
}

const sent = async () =>
  Number(await house.workshop.rpc<Hex>("eth_getTransactionCount", house.workshop.chain.sender, "latest"));

test.each([
  ["before it is signed", 0],
  ["after it is signed", 0],
  ["before it is sent", 0],
  ["while it is sent", 1],
  ["after it is mined", 1],
  ["after it is recorded", 1],
])("killed %s", async (step, by_the_dead) => {
  await house.happen();
  const [before, told] = [await sent(), (await house.story()).length];
  await dies(step);
  if (by_the_dead > 0) await until(async () => (await sent()) !== before);
  expect(await sent()).toBe(before + by_the_dead);
  // Its lease runs out.
  await until(async () => (await house.turn()).status !== "taken");
  await house.turn();
  expect(await sent()).toBe(before + 1);
  expect((await house.story()).slice(told).filter((type) => type !== "AnchorFinal")).toEqual([
    ...["CheckpointSigned", "Anchored"],
  ]);
  const { checkpoint } = await house.state();
  expect(await house.kept()).toMatchObject({ size: BigInt(checkpoint!.size), root: checkpoint!.root });
});
