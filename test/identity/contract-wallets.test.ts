/** Contract wallets (ERC-1271): their code's answer counts at the time of the proof. */
import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import { rewind } from "../chain/fixture.ts";
import { type Desk, openDesk } from "../checks/check-setup.ts";
import { SAYS_NO, SAYS_YES } from "../support/wallets.ts";
import { caller, ed25519Key, kidOf, PROXIED, type TestKey } from "./agents.ts";

let desk: Desk;
let api: ReturnType<typeof caller>;
beforeAll(async () => {
  desk = await openDesk({ env: PROXIED });
  api = caller(desk.service.url);
});
afterAll(() => desk?.service.stop());

/** A contract with an address of its own; its signatures are as long as those of several owners. */
async function contract(code: Hex): Promise<TestKey> {
  const name: Hex = `0x${randomBytes(20).toString("hex")}`;
  await desk.rpc("anvil_setCode", name, code);
  await desk.mine(1);
  return { kind: "evm", name, sign: async () => `0x${"12".repeat(195)}` };
}

const register = async (agent_id: string, key: TestKey) =>
  api.post("/soul/register", { agent_id, ...(await api.proof(key, agent_id)) });
const control = async (agent_id: string, key: TestKey) =>
  (await api.post(`/soul/passport/${agent_id}/verify`, await api.proof(key, agent_id, "verify"))).body
    .control;
async function describe(agent_id: string, key: TestKey) {
  const said = { services: [], version: "2" };
  const about = createHash("sha256").update(JSON.stringify(said)).digest("hex");
  const proof = await api.proof(key, agent_id, "describe", about);
  return (await api.post(`/soul/${agent_id}/description`, { ...said, ...proof })).status;
}

test("a contract that accepts the signature is a key; one that refuses, or does not exist, is not a key", async () => {
  expect(await register("yes", await contract(SAYS_YES))).toMatchObject({ status: 200 });
  expect((await api.get("/soul/passport/yes")).body).toMatchObject({
    status: "proven",
    keys: [{ method: "erc1271" }],
  });
  for (const code of [SAYS_NO, "0xfe", "0x5b600056", "0x"] as const)
    expect(await register("no", await contract(code))).toMatchObject({
      status: 400,
      body: {
        errors: [{ path: "signature", message: expect.stringContaining("'s signature of this text") }],
      },
    });
  expect((await api.get("/soul/passport/no")).status).toBe(404);
});

test("a contract that changes its answer controls nothing, and the agent's other key removes it", async () => {
  const key = await contract(SAYS_YES);
  await register("fickle", key);
  const other = ed25519Key();
  const endorsement = await api.proof(key, "fickle", "prove", await kidOf(api, other));
  expect(
    await api.post("/soul/fickle/keys", { ...(await api.proof(other, "fickle")), endorsement }),
  ).toMatchObject({ status: 200 });
  expect([await control("fickle", key), await describe("fickle", key)]).toEqual(["proven", 200]);

  await desk.rpc("anvil_setCode", key.name, SAYS_NO);
  await desk.mine(1);
  expect([await control("fickle", key), await describe("fickle", key)]).toEqual(["refused", 400]);
  const gone = new URLSearchParams(await api.proof(other, "fickle", "revoke", key.name));
  expect(await api.call("DELETE", `/soul/fickle/keys/${key.name}?${gone}`)).toMatchObject({ status: 200 });
});

test("a contract whose block a reorg reverts controls nothing", async () => {
  const { app, rpc } = desk;
  const snapshot = await rpc<Hex>("evm_snapshot");
  const key = await contract(SAYS_YES);
  expect(await register("undone", key)).toMatchObject({ status: 200 });
  expect(await control("undone", key)).toBe("proven");
  await rewind({ chain: app.chain, rpc }, snapshot);
  expect(await app.chain.hasCode([key.name as Hex])).toEqual([false]);
  expect([await control("undone", key), await describe("undone", key)]).toEqual(["refused", 400]);
  // The log keeps the proof and its method.
  expect((await api.get("/soul/passport/undone")).body).toMatchObject({ keys: [{ method: "erc1271" }] });
});
