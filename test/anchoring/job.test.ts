/** The log is signed and anchored at the configured intervals, by any process. */
import { formatEther } from "viem";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { gasRecord } from "../../src/adapters/gas-record.ts";
import { openCheckpoint } from "../../src/anchoring/checkpoint.ts";
import { verifierKey } from "../../src/anchoring/note.ts";
import { anchoringReactor, signingReactor } from "../../src/anchoring/reactors.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { anchorStatus, chainStatus } from "../../src/anchoring/status.ts";
import { openTree } from "../../src/anchoring/tile-store.ts";
import type { App } from "../../src/core/app.ts";
import { startReactors } from "../../src/core/background/reactor.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { type Chain, ChainUnavailable, GasBudgetSpent } from "../../src/core/model/ports/chain.ts";
import type * as anchors from "../../src/domain/anchoring/anchor.ts";
import { ANCHOR_ADDRESS } from "../../src/domain/anchoring/contract.ts";
import { newSigningKey } from "../payments/ledger-setup.ts";
import { alone } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { wallet } from "../support/wallets.ts";
import { type AnchoringSetup, AT_ONCE, openAnchoringSetup } from "./anchoring-setup.ts";

let setup: AnchoringSetup;
let app: App;
beforeEach(async () => {
  setup = await openAnchoringSetup();
  app = setup.app;
  onTestFinished(() => setup.close());
});

test("a tick signs and anchors the log; the contract has the very root of the tree", async () => {
  await setup.happen();
  await setup.happen();
  const { position: size } = await app.store.head();
  expect(await setup.turn()).toEqual({ status: "done" });
  expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored"]);

  const { checkpoint, anchors: standing } = await setup.state();
  const root = `0x${(await openTree(app.pool, 1).rootAt(size)).toString("hex")}`;
  expect(checkpoint).toMatchObject({ size, root });
  const log = verifierKey(await setup.origin(), "ed25519", app.signer.public_key);
  expect(openCheckpoint(checkpoint!.note, { log })).toMatchObject({ origin: await setup.origin(), size });

  const kept = await setup.kept();
  expect(kept).toMatchObject({ size: BigInt(size), root });
  const [anchor] = standing;
  expect(anchor).toMatchObject({
    ...{ size, root, final: false, signer: app.chain.sender, contract: ANCHOR_ADDRESS },
    ...{ block_number: Number(kept!.block_number), timestamp: kept!.timestamp, network: "eip155:8453" },
  });
  const receipt = await app.chain.receipt(anchor!.transaction);
  expect(anchor).toMatchObject({
    block_hash: receipt!.block_hash,
    fee_wei: String(receipt!.fee_wei),
  });
});

test("without new events nothing is signed, and the anchoring's own events require no checkpoint", async () => {
  expect(await setup.turn()).toEqual({ status: "done" });
  expect(await setup.story()).toEqual([]);
  await setup.happen();
  const memory = {};
  for (let n = 0; n < 4; n++) await setup.turn({ memory });
  await setup.mine(4);
  for (let n = 0; n < 3; n++) await setup.turn({ memory });
  expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored", "AnchorFinal"]);

  const unreachable = () => Promise.reject(new Error("the chain was asked"));
  const deaf = setup.over({
    heads: unreachable,
    block: unreachable,
    read: unreachable,
    send: unreachable,
    receipt: unreachable,
    logs: unreachable,
  });
  expect(await setup.turn({ memory }, deaf)).toEqual({ status: "done" });
});

test("events wait for their checkpoint up to the limit of time or number, and checkpoints for their anchor", async () => {
  // An anchor becomes final once the chain has grown enough.
  const story = async () => (await setup.story()).filter((type) => type !== "AnchorFinal");
  await setup.happen();
  const patient = { checkpoint_every_ms: 3_600_000, anchor_every_ms: 3_600_000 };
  await setup.turn(patient);
  expect(await story()).toEqual([]);
  await setup.turn({ ...patient, checkpoint_every_events: 1 });
  expect(await story()).toEqual(["CheckpointSigned", "Anchored"]);
  await setup.happen();
  await setup.turn({ ...patient, checkpoint_every_events: 100 });
  expect(await story()).toHaveLength(2);
  await setup.turn({ anchor_every_ms: 3_600_000 });
  expect((await story()).slice(2)).toEqual(["CheckpointSigned"]);
  await setup.turn();
  expect((await story()).slice(3)).toEqual(["Anchored"]);
  const { checkpoint, anchors: standing } = await setup.state();
  expect(standing.at(-1)!.size).toBe(checkpoint!.size);
});

test("after a change of key the log is signed again, once, and not before the service's interval is over", async () => {
  await setup.happen();
  await setup.turn();
  const other = await setup.beside({ SIGNING_KEY: newSigningKey() });
  onTestFinished(() => other.close());
  const signs = async (checkpoint_every_ms: number) => {
    const before = (await setup.story()).length;
    await signTick(other.app, { checkpoint_every_ms });
    return (await setup.story()).length - before;
  };
  expect(await signs(3_600_000)).toBe(0);
  expect(await signs(-60_000)).toBe(1);
  const origin = await setup.origin();
  const log = verifierKey(origin, "ed25519", other.app.signer.public_key);
  expect(openCheckpoint((await setup.state()).checkpoint!.note, { log })).toMatchObject({ origin });
  expect(await signs(-60_000)).toBe(0);
});

describe("several processes", () => {
  test("do nothing while another one has the lease", async () => {
    await setup.happen();
    await alone(app, "log-anchoring", async () => {
      expect(await setup.turn()).toEqual({ status: "taken" });
    });
    // Payments have another lease.
    await alone(app, "payments", async () => {
      expect(await setup.turn()).toEqual({ status: "done" });
    });
    expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored"]);
  });

  test("that run ticks concurrently sign and anchor every size once, each after the one before", async () => {
    const other = await setup.beside();
    onTestFinished(() => other.close());
    for (let n = 0; n < 4; n++) {
      await setup.happen();
      const turns = await Promise.all([
        setup.turn(),
        setup.turn({}, other.app),
        setup.turn(),
        setup.turn({}, other.app),
      ]);
      expect(turns.map(({ status }) => status)).toContain("done");
      expect(turns.filter(({ status }) => status !== "done" && status !== "taken")).toEqual([]);
    }
    await setup.turn({}, other.app);
    const types = await setup.story();
    expect(types.filter((type) => type === "Anchored")).toHaveLength(4);
    expect(types.filter((type) => type === "CheckpointSigned")).toHaveLength(4);
    expect((await setup.state()).anchors.at(-1)).toMatchObject({ size: Number((await setup.kept())!.size) });
  });

  test("that lost their lease do no harm: another records their anchor", async () => {
    const other = await setup.beside();
    onTestFinished(() => other.close());
    await setup.happen();
    // The other process anchors between this one's check and its send.
    const late = setup.over({
      send: async (call, options) => {
        await app.chain.send(call, options);
        return app.chain.send(call, options);
      },
    });
    const memory = {};
    await setup.turn({ memory }, late);
    expect(await setup.story()).toEqual(["CheckpointSigned"]);
    await setup.turn({ memory }, other.app);
    expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored"]);
  });
});

test("the reactor runs until it is stopped, and reports failures when they begin and when they end", async () => {
  await setup.happen();
  let isAway = true;
  const read: Chain["read"] = (...calls) =>
    isAway ? Promise.reject(new ChainUnavailable("no answer")) : app.chain.read(...calls);
  const messages: [string, object, string][] = [];
  const note = (level: string) => (facts: object, message: string) =>
    void messages.push([level, facts, message]);
  const log = { info: note("info"), warn: note("warn"), error: note("error") };
  const often = [signingReactor(AT_ONCE), anchoringReactor(AT_ONCE)].map((one) => ({ ...one, every_ms: 5 }));
  const job = startReactors(setup.over({ read }), often, log);
  await until(() => messages.length >= 1);
  isAway = false;
  await until(async () => (await setup.story()).length >= 2);
  await until(() => messages.length >= 2);
  await job.stop();
  expect(messages).toEqual([
    [
      "warn",
      { reactor: "log-anchoring", reason: "no answer" },
      "the log is not anchored for now: the chain is unavailable",
    ],
    ["info", { reactor: "log-anchoring" }, "the log is anchored again"],
  ]);
  expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored"]);
});

test("the status shows how far the log is proven", async () => {
  await setup.happen();
  const { position } = await app.store.head();
  const origin = await setup.origin();
  expect(await anchorStatus(app)).toEqual({
    ...{ origin, events: position, unproven_events: position },
    ...{ checkpoint: null, anchor: null, pending: null, contradiction: null },
  });
  await setup.turn();
  const mined = { events: position + 2, checkpoint: { size: position }, unproven_events: position + 2 };
  expect(await anchorStatus(app)).toMatchObject({ ...mined, anchor: { size: position, firmness: "mined" } });
  await setup.mine(4);
  await setup.turn();
  expect(await anchorStatus(app)).toMatchObject({
    ...{ events: position + 3, unproven_events: 3 },
    anchor: { size: position, firmness: "final" },
  });
});

test("the gas of anchors counts against the day's budget in every process, also for reorged ones", async () => {
  await setup.happen();
  const snapshot = await setup.snapshot();
  await setup.turn();
  const [{ fee_wei, transaction, anchored_at }] = (await setup.state()).anchors as [anchors.StandingAnchor];
  const { spent } = gasRecord(app.pool, "eip155:8453");
  const day = anchored_at.slice(0, 10);
  expect(await spent(day)).toBe(BigInt(fee_wei));

  const budget = async (GAS_BUDGET_ETH: string) => {
    const other = await setup.beside({ GAS_BUDGET_ETH });
    onTestFinished(() => other.close());
    return other.app.settlement.facts(await setup.sign(wallet(0), 5n));
  };
  await expect(budget(formatEther(BigInt(fee_wei)))).rejects.toThrow(GasBudgetSpent);
  expect(await budget(formatEther(BigInt(fee_wei) + 1n))).toMatchObject({ would_settle: true });

  await setup.revert(snapshot);
  // Another fee, because the same bytes would be one transaction.
  await setup.workshop.rpc("anvil_setNextBlockBaseFeePerGas", "0x77359400");
  await setup.mine(1);
  await setup.turn({ anchor_every_ms: 3_600_000 });
  expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored", "AnchorReorged", "Anchored"]);
  const again = (await setup.state()).anchors.at(-1)!;
  expect(again.transaction).not.toBe(transaction);
  expect(await spent(day)).toBe(BigInt(fee_wei) + BigInt(again.fee_wei));
});

test("the chain shows an anchor's finality, and the gas key's balance", async () => {
  await setup.happen();
  const now = async () => chainStatus(app.chain, await setup.origin());
  expect(await now()).toMatchObject({ placed: true, head: null, contract: ANCHOR_ADDRESS });
  await setup.turn();
  const { size, block_number } = (await setup.state()).anchors[0]!;
  const firmness = async () => {
    const { head } = await now();
    expect(head).toMatchObject({ size, block_number });
    return head!.firmness;
  };
  const seen = new Set<string>();
  for (let n = 0; n < 6; n++) {
    seen.add(await firmness());
    await setup.mine(1);
  }
  // A block may come by itself before the first check.
  expect(["unsafe", "safe", "finalized"].filter((one) => seen.has(one))).toEqual([...seen]);
  expect([...seen].at(-1)).toBe("finalized");
  const balance = await setup.workshop.rpc<Hex>("eth_getBalance", app.chain.sender, "latest");
  expect((await now()).balance_wei).toBe(String(BigInt(balance)));
});
