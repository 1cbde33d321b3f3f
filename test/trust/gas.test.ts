/**
 * The daily gas budget of attestations, and the schema that a reorg removes: nothing is lost, and nothing is reported
 * as pending.
 */
import { concatHex, keccak256 } from "viem/utils";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type App, withParts } from "../../src/core/app.ts";
import { SCHEMA_REGISTRY, SCHEMA_UID, statusCalls, statusIn } from "../../src/domain/trust/eas.ts";
import { noOnChainMemory } from "../../src/reactors/trust/attest-on-chain.ts";
import { type EasSetup, openEasSetup } from "./eas-setup.ts";

let setup: EasSetup;
/** A process of the same service with almost no gas budget. */
let poor: { app: App; close(): Promise<void> };
beforeAll(async () => {
  setup = await openEasSetup();
  poor = await setup.ledger.beside({ ATTESTATION_GAS_ETH: "0.000000001", GAS_BUDGET_ETH: "100" });
  await forgetSchema();
});
afterAll(async () => {
  await poor?.close();
  await setup?.close();
});

const spent = { status: "spent", reason: expect.stringContaining("gas budget for attestations is spent") };
const done = { status: "done" };
const forgetGas = () => setup.app.pool.query("delete from chain.gas");
const isRegistered = async () => statusIn(await setup.app.chain.read(statusCalls()))?.registered;
/**
 * As on a chain without the schema: the development chain has it from its start. The registry's mapping is at its slot
 * 0.
 */
async function forgetSchema(): Promise<void> {
  const { rpc } = setup.ledger.workshop;
  const slot = keccak256(concatHex([SCHEMA_UID, `0x${"00".repeat(32)}`]));
  await rpc("anvil_setStorageAt", SCHEMA_REGISTRY, slot, `0x${"00".repeat(32)}`);
  await rpc("evm_mine");
}
const at = (app: App, ms: number): App =>
  withParts(app, { clock: { now: () => new Date(app.clock.now().getTime() + ms) } });

beforeEach(forgetGas);

test("an unregistered schema also waits for the next day", async () => {
  await setup.app.pool.query(
    `insert into chain.gas (network, transaction, day, purpose, fee_wei)
     values ('eip155:8453', 'of somebody else', $1, 'attestation', 1e18)`,
    [new Date().toISOString().slice(0, 10)],
  );
  const [id] = await setup.attest();
  const before = await setup.sent();
  expect(await setup.turn(poor.app)).toEqual(spent);
  expect(await isRegistered()).toBe(false);
  expect(await setup.sent()).toBe(before);
  expect(await setup.storyOf(id!)).toEqual(["Made"]);
  await forgetGas();
  expect(await setup.turn()).toEqual(done);
  expect(await setup.storyOf(id!)).toEqual(["Made", "Sent", "Anchored"]);
});

test("once the day's gas is spent nothing is sent, waiting attestations are recorded as unsent, and the next day each is written once", async () => {
  const [first] = await setup.attest();
  expect(await setup.turn(poor.app)).toEqual(done);
  expect(await setup.storyOf(first!)).toEqual(["Made", "Sent", "Anchored"]);
  const before = await setup.sent();
  const ids = await setup.attest(2);
  const memory = noOnChainMemory();
  expect(await setup.carry(memory, poor.app)).toEqual(spent);
  // The day's remaining ticks make no chain query and record nothing.
  expect(await setup.carry(memory, poor.app)).toEqual(spent);
  expect(await setup.sent()).toBe(before);
  for (const id of ids) {
    expect(await setup.storyOf(id)).toEqual(["Made", "Sent", "Unsent"]);
    expect((await setup.stateOf(id)).on_chain).toEqual({ status: "asked" });
    expect(await setup.kept(id)).toEqual([]);
  }
  // A revocation waits too.
  await setup.takeBack(first!);
  expect(await setup.turn(poor.app)).toEqual(spent);
  expect(await setup.kept(first!)).toEqual([{ attestation_id: first, revoked_s: 0 }]);

  await forgetGas();
  const tomorrow = at(poor.app, 86_400_000);
  expect(await setup.carry(memory, tomorrow)).toEqual(spent);
  await forgetGas();
  expect(await setup.carry(memory, at(poor.app, 2 * 86_400_000))).toBe("done");
  for (const id of ids) expect(await setup.kept(id)).toHaveLength(1);
  expect((await setup.kept(first!))[0]!.revoked_s).toBeGreaterThan(0);
});

test("a schema that a reorg removed is registered again by the same process", async () => {
  const memory = noOnChainMemory();
  await setup.attest();
  expect(await setup.carry(memory)).toBe("done");
  expect(await isRegistered()).toBe(true);
  await forgetSchema();
  const [id] = await setup.attest();
  expect(await setup.carry(memory)).toMatchObject({ status: "refused" });
  // No immediate retry; after the pause the next tick finds EAS and its missing schema.
  expect(await setup.carry(memory)).toMatchObject({ status: "refused" });
  for (const minutes of [11, 12])
    expect(await setup.carry(memory, at(setup.app, minutes * 60_000))).toBe("done");
  expect(await isRegistered()).toBe(true);
  expect((await setup.stateOf(id!)).on_chain.status).toBe("anchored");
  expect(await setup.kept(id!)).toHaveLength(1);
});
