/** The log is anchored whoever dies meanwhile and whatever the chain does. */
import { generatePrivateKey } from "viem/accounts";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { deployAnchor } from "../../src/anchoring/deploy.ts";
import { anchorStatus } from "../../src/anchoring/status.ts";
import type { App } from "../../src/app.ts";
import { ANCHOR_ADDRESS } from "../../src/domain/anchoring/contract.ts";
import { type Chain, ChainUnavailable, type Receipt, TransactionPending } from "../../src/domain/ports.ts";
import { type AnchoringHouse, openAnchoringHouse } from "./anchoring-house.ts";

let house: AnchoringHouse;
let app: App;
beforeEach(async () => {
  house = await openAnchoringHouse();
  app = house.app;
  onTestFinished(() => house.close());
});

describe("after a send whose answer never came to the log", () => {
  test("the next turn takes up what the chain holds, and nothing is sent twice", async () => {
    await house.happen();
    const dying = house.over({
      send: async (call, options) => {
        await app.chain.send(call, options);
        throw new Error("killed");
      },
    });
    await expect(house.turn({}, dying)).rejects.toThrow("killed");
    expect(await house.story()).toEqual(["CheckpointSigned"]);
    const asked = house.over({ send: () => Promise.reject(new Error("sent again")) });
    expect(await house.turn({}, asked)).toEqual({ status: "done" });
    expect(await house.story()).toEqual(["CheckpointSigned", "Anchored"]);
    expect((await house.state()).anchors).toMatchObject([{ size: Number((await house.kept())!.size) }]);
  });

  test("a pending one is waited for by every process, and sent again once it has been for too long", async () => {
    await house.happen();
    let sent = 0;
    const transactions = [`0x${"1".repeat(64)}`] as const;
    const pending = house.over({
      send: async () => {
        sent++;
        throw new TransactionPending(transactions);
      },
    });
    for (let n = 0; n < 3; n++) expect(await house.turn({ memory: {} }, pending)).toEqual({ status: "done" });
    expect(sent).toBe(1);
    expect(await house.story()).toEqual(["CheckpointSigned", "AnchorPending"]);
    const { size } = (await house.state()).checkpoint!;
    expect((await anchorStatus(app)).pending).toMatchObject({ size, transactions });
    await house.turn({ pending_holds_ms: -60_000 });
    expect((await house.story()).slice(2)).toEqual(["Anchored"]);
    expect((await anchorStatus(app)).pending).toBeNull();
  });

  test("one that was mined while it was waited for is found", async () => {
    await house.happen();
    const memory = {};
    let mined: Receipt | undefined;
    const slow = house.over({
      send: async (call, options) => {
        mined = await app.chain.send(call, options);
        throw new TransactionPending([mined.transaction]);
      },
    });
    await house.turn({ memory }, slow);
    await house.turn({ memory }, slow);
    expect((await house.state()).anchors).toMatchObject([{ transaction: mined!.transaction }]);
  });

  test("one that came to nothing is no anchor, and is not sent again at once", async () => {
    await house.happen();
    const memory = {};
    let sent = 0;
    const vain = house.over({
      send: async () => {
        sent++;
        const { latest } = await app.chain.heads();
        const { number: block_number, hash: block_hash } = latest;
        const transaction = `0x${"2".repeat(64)}` as const;
        return { transaction, success: false, block_number, block_hash, fee_wei: 1n, logs: [] };
      },
    });
    for (let n = 0; n < 3; n++) await house.turn({ memory }, vain);
    expect(sent).toBe(1);
    expect(await house.story()).toEqual(["CheckpointSigned"]);
  });
});

describe("a reorg", () => {
  test("that drops an anchor has it sent again; once final it is said so, and later ones follow", async () => {
    await house.happen();
    const snapshot = await house.snapshot();
    await house.turn();
    await house.revert(snapshot);
    await house.turn();
    expect(await house.story()).toEqual(["CheckpointSigned", "Anchored", "AnchorReorged", "Anchored"]);
    const [again] = (await house.state()).anchors;
    expect(again).toMatchObject({ size: Number((await house.kept())!.size), final: false });

    await house.mine(4);
    await house.happen();
    await house.turn();
    expect((await house.story()).slice(4)).toEqual(["CheckpointSigned", "AnchorFinal", "Anchored"]);
    expect((await house.state()).anchors).toMatchObject([{ final: true }, { final: false }]);
    // What was final stays so, though the node's finalized head goes back.
    const heads = async () => ({ ...(await app.chain.heads()), finalized: (await app.chain.block(0n))! });
    expect(await house.turn({}, house.over({ heads }))).toEqual({ status: "done" });
    expect((await house.state()).anchors).toMatchObject([{ final: true }, { final: false }]);
  });

  test("that drops two leaves the chain with one that proves both", async () => {
    await house.happen();
    const snapshot = await house.snapshot();
    await house.turn();
    await house.happen();
    await house.turn();
    await house.revert(snapshot);
    await house.turn();
    expect((await house.story()).slice(4)).toEqual(["AnchorReorged", "AnchorReorged", "Anchored"]);
    expect((await house.state()).anchors).toMatchObject([{ size: (await house.state()).checkpoint!.size }]);
  });

  test("of what is final is none: the RPC serves another chain, and nothing is marked or sent", async () => {
    await house.happen();
    const snapshot = await house.snapshot();
    await house.turn();
    await house.mine(4);
    await house.turn();
    await house.happen();
    await house.revert(snapshot);
    expect(await house.turn()).toMatchObject({
      status: "foreign",
      message: expect.stringContaining("BASE_RPC_URL"),
    });
    expect(await house.story()).toEqual(["CheckpointSigned", "Anchored", "AnchorFinal", "CheckpointSigned"]);
  });
});

describe("a chain that", () => {
  test("is dead changes nothing but that the log is signed", async () => {
    await house.happen();
    const dead = house.workshop.connect({ rpc_url: "http://127.0.0.1:1", deadline_ms: 200 });
    onTestFinished(() => dead.close());
    expect(await house.turn({}, { ...app, chain: dead })).toMatchObject({ status: "away" });
    expect(await house.story()).toEqual(["CheckpointSigned"]);
  });

  test("is away has the log signed all the same, and anchored later", async () => {
    await house.happen();
    const away = () => Promise.reject(new ChainUnavailable("no answer"));
    expect(await house.turn({}, house.over({ read: away }))).toEqual({
      status: "away",
      message: "no answer",
    });
    expect(await house.story()).toEqual(["CheckpointSigned"]);
    await house.turn();
    expect(await house.turn({}, house.over({ heads: away }))).toMatchObject({ status: "away" });
    expect(await house.story()).toEqual(["CheckpointSigned", "Anchored"]);
  });

  test("lags behind what it showed before changes nothing", async () => {
    await house.happen();
    const { latest: old } = await app.chain.heads();
    await house.turn();
    await house.happen();
    const block: Chain["block"] = async (number) =>
      number > old.number ? undefined : app.chain.block(number);
    const heads = async () => ({ latest: old, safe: old, finalized: old });
    expect(await house.turn({}, house.over({ heads, block }))).toMatchObject({ status: "behind" });
    expect(await house.turn({}, house.over({ block }))).toMatchObject({ status: "away" });
    // Behind one address there may be nodes of different heights.
    const read: Chain["read"] = async () => [{ success: true, data: `0x${"0".repeat(256)}` }];
    expect(await house.turn({}, house.over({ read }))).toMatchObject({ status: "behind" });
    expect(await house.story()).toEqual(["CheckpointSigned", "Anchored", "CheckpointSigned"]);
  });

  test("has not the contract is told how it gets there", async () => {
    await house.happen();
    await house.workshop.rpc("anvil_setCode", ANCHOR_ADDRESS, "0x");
    await house.workshop.rpc("anvil_setNonce", ANCHOR_ADDRESS, "0x0");
    expect(await house.turn()).toMatchObject({
      status: "unplaced",
      message: expect.stringContaining("tallystick anchor deploy"),
    });
    const deployed = await deployAnchor(app.chain);
    expect(deployed).toMatchObject({ address: ANCHOR_ADDRESS, transaction: expect.stringMatching(/^0x/) });
    expect(await deployAnchor(app.chain)).toEqual({ address: ANCHOR_ADDRESS, transaction: null });
    await house.turn();
    expect(await house.story()).toEqual(["CheckpointSigned", "Anchored"]);
  });

  test("finds no gas on our key is asked again when there is some", async () => {
    await house.happen();
    const poor = house.workshop.connect({ gas_key: generatePrivateKey() });
    onTestFinished(() => poor.close());
    expect(await house.turn({}, { ...app, chain: poor })).toMatchObject({
      status: "away",
      message: expect.stringContaining("the gas key has too little ether"),
    });
    expect(await house.story()).toEqual(["CheckpointSigned"]);
    await house.workshop.rpc("anvil_setBalance", poor.sender, "0xde0b6b3a7640000");
    expect(await house.turn({}, { ...app, chain: poor })).toEqual({ status: "done" });
    expect((await house.state()).anchors).toMatchObject([{ signer: poor.sender }]);
    // Another key begins at the contract without a proof, and goes on from there.
    await house.happen();
    expect(await house.turn()).toEqual({ status: "done" });
    expect((await house.state()).anchors.map(({ signer }) => signer)).toEqual([
      poor.sender,
      app.chain.sender,
    ]);
  });
});
