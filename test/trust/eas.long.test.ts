/** Each attestation is on the chain once, whatever happens to the process, the node or its blocks. */
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noOnChainMemory } from "../../src/reactors/trust/attest-on-chain.ts";
import { mineAgain, stopMining } from "../chain/fixture.ts";
import { startProgram } from "../support/compiled.ts";
import { until } from "../support/until.ts";
import { GAS_KEY, PAYEE } from "../support/wallets.ts";
import { type EasSetup, openEasSetup, RICH } from "./eas-setup.ts";

let setup: EasSetup;
beforeAll(async () => {
  setup = await openEasSetup();
});
afterAll(() => setup?.close());

const done = { status: "done" };

describe("an attestation", () => {
  test("is written to EAS once, forty in a transaction, and shows its location", async () => {
    const ids = await setup.attest(45);
    const before = await setup.sent();
    expect(await setup.turn()).toEqual(done);
    expect(await setup.sent()).toBe(before + 1);
    expect(await setup.turn()).toEqual(done);
    expect(await setup.sent()).toBe(before + 2);
    for (const id of [ids[0]!, ids[39]!, ids[40]!]) {
      const { on_chain } = await setup.stateOf(id);
      expect(on_chain).toMatchObject({ status: "anchored", signer: setup.app.chain.sender, revoked_s: null });
      expect(await setup.kept(id)).toEqual([{ attestation_id: id, revoked_s: 0 }]);
    }
    await setup.turn();
    expect(await setup.sent()).toBe(before + 2);
    const { rows } = await setup.app.pool.query(
      "select count(*)::int as sent from chain.gas where purpose = 'attestation'",
    );
    expect(rows).toEqual([{ sent: 2 }]);
  });

  test("for no chain costs nothing", async () => {
    const before = await setup.sent();
    const [id] = await setup.attest();
    await setup.takeBack(id!);
    expect(await setup.turn()).toEqual(done);
    expect(await setup.sent()).toBe(before);
    expect(await setup.storyOf(id!)).toEqual(["Made", "Revoked"]);
  });

  test("is revoked on EAS once when its attestor revokes it", async () => {
    const [id] = await setup.attest();
    await setup.turn();
    await setup.takeBack(id!);
    const before = await setup.sent();
    await setup.turn();
    await setup.turn();
    expect(await setup.sent()).toBe(before + 1);
    expect(await setup.storyOf(id!)).toEqual(["Made", "Sent", "Anchored", "Revoked", "RevocationAnchored"]);
    const [kept] = await setup.kept(id!);
    const { on_chain } = await setup.stateOf(id!);
    expect(kept!.revoked_s).toBeGreaterThan(0);
    expect(on_chain).toMatchObject({ revoked_s: kept!.revoked_s });
  });
});

describe("a reorg", () => {
  test("removes an attestation, and it is written again", async () => {
    const snapshot = await setup.ledger.snapshot();
    const [id] = await setup.attest();
    await setup.turn();
    await setup.ledger.revert(snapshot);
    expect(await setup.kept(id!)).toEqual([]);
    await setup.turn();
    await setup.turn();
    await setup.turn();
    expect(await setup.storyOf(id!)).toEqual([
      "Made",
      "Sent",
      "Anchored",
      "Reorged",
      "Unsent",
      "Sent",
      "Anchored",
    ]);
    expect(await setup.kept(id!)).toHaveLength(1);
  });

  test("removes a revocation, so it is sent again", async () => {
    const [id] = await setup.attest();
    await setup.turn();
    await setup.takeBack(id!);
    const snapshot = await setup.ledger.snapshot();
    await setup.turn();
    await setup.ledger.revert(snapshot);
    expect((await setup.kept(id!))[0]!.revoked_s).toBe(0);
    await setup.turn();
    await setup.turn();
    expect((await setup.storyOf(id!)).slice(3)).toEqual([
      ...["Revoked", "RevocationAnchored", "RevocationReorged", "RevocationAnchored"],
    ]);
    expect((await setup.kept(id!))[0]!.revoked_s).toBeGreaterThan(0);
  });
});

describe("a transaction with an unknown outcome", () => {
  test("is found if it was mined meanwhile", async () => {
    const [id] = await setup.attest();
    const { workshop } = setup.ledger;
    await stopMining(workshop);
    const before = await setup.sent();
    const left = setup.carry(noOnChainMemory()).catch((error: Error) => error);
    await until(async () => (await setup.storyOf(id!)).includes("Sent"));
    const hasSent = async () =>
      Number(await workshop.rpc("eth_getTransactionCount", setup.app.chain.sender, "pending")) > before;
    await until(hasSent);
    await mineAgain(workshop);
    await left;
    await setup.turn();
    expect(await setup.storyOf(id!)).toEqual(["Made", "Sent", "Anchored"]);
    expect(await setup.kept(id!)).toHaveLength(1);
  });
});

async function dies(at: string): Promise<void> {
  const { ledger } = setup;
  const child = startProgram("test/trust/doomed-attestor.ts", [], {
    env: {
      PATH: process.env.PATH,
      DIES_AT: at,
      DATABASE_URL: ledger.database_url,
      DATA_DIR: ledger.workshop.dir,
      BASE_RPC_URL: ledger.workshop.node.rpc_url,
      SIGNING_KEY: ledger.signing_key,
      PAY_TO: PAYEE,
      GAS_KEY,
      ...RICH,
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
}

/** The last event before the process dies, and the expected outcome. */
test.each([
  ["before it is said", 0, ["Made"], ["Sent", "Anchored"]],
  ["before it is sent", 0, ["Made", "Sent"], ["Unsent", "Sent", "Anchored"]],
  ["while it is sent", 1, ["Made", "Sent"], ["Anchored"]],
  ["after it is mined", 1, ["Made", "Sent"], ["Anchored"]],
  ["after it is recorded", 1, ["Made", "Sent", "Anchored"], []],
])("killed %s, an attestation is on EAS once", async (step, by_the_dead, left, after) => {
  const [id] = await setup.attest();
  const before = await setup.sent();
  await dies(step);
  await until(async () => (await setup.sent()) === before + by_the_dead);
  expect(await setup.storyOf(id!)).toEqual(left);
  await setup.turn();
  await setup.turn();
  expect(await setup.storyOf(id!)).toEqual([...left, ...after]);
  expect(await setup.kept(id!)).toHaveLength(1);
});

test("killed while sending, and never mined: the attestation is recorded as unsent, and written again", async () => {
  const [id] = await setup.attest();
  const { workshop } = setup.ledger;
  await stopMining(workshop);
  await dies("while it is sent");
  await workshop.rpc("anvil_dropAllTransactions");
  await mineAgain(workshop);
  await setup.turn();
  await setup.turn();
  expect(await setup.storyOf(id!)).toEqual(["Made", "Sent", "Unsent", "Sent", "Anchored"]);
  expect(await setup.kept(id!)).toHaveLength(1);
});

test("killed while sending, and mined only during the next process's lookup: nothing is written twice", async () => {
  const [id] = await setup.attest();
  const { workshop } = setup.ledger;
  await stopMining(workshop);
  await dies("while it is sent");
  const turned = setup.turn();
  // The barrier has the same nonce as the dead process's transaction: one of the two is mined.
  await until(
    async () =>
      Number(await workshop.rpc("txpool_status").then((status) => (status as { pending: string }).pending)) >
      0,
  );
  await mineAgain(workshop);
  await turned;
  await setup.turn();
  await setup.turn();
  expect(await setup.kept(id!)).toHaveLength(1);
  expect((await setup.stateOf(id!)).on_chain.status).toBe("anchored");
});

test("while a higher nonce may still be mined, no attestation counts as unsent", async () => {
  const [id] = await setup.attest();
  await dies("before it is sent");
  const { chain } = setup.app;
  const isBeyond = (by: number) => ({
    ...setup.app,
    chain: Object.assign(Object.create(chain), {
      highestNonce: async () => (await chain.minedCount()) + by,
    }) as typeof chain,
  });
  const before = await setup.sent();
  await setup.turn(isBeyond(1_000));
  expect(await setup.sent()).toBe(before);
  await setup.turn(isBeyond(10));
  expect(await setup.sent()).toBe(before + 1);
  expect(await setup.storyOf(id!)).toEqual(["Made", "Sent"]);
  await setup.turn();
  await setup.turn();
  expect(await setup.storyOf(id!)).toEqual(["Made", "Sent", "Unsent", "Sent", "Anchored"]);
  expect(await setup.kept(id!)).toHaveLength(1);
});
