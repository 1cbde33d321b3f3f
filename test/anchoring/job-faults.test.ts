/** The log is signed whatever faults the node and the chain have, and anchored after they recover. */
import { encodeFunctionResult, multicall3Abi } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { BaseChainOptions } from "../../src/adapters/base-chain.ts";
import { deployAnchor } from "../../src/anchoring/deploy.ts";
import { type App, withParts } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { type Chain, ChainUnavailable } from "../../src/core/model/ports/chain.ts";
import { ANCHOR_ADDRESS } from "../../src/domain/anchoring/contract.ts";
import { type Meddler, openMeddler } from "../chain/meddler.ts";
import { type AnchoringSetup, openAnchoringSetup } from "./anchoring-setup.ts";

let setup: AnchoringSetup;
let app: App;
beforeEach(async () => {
  setup = await openAnchoringSetup();
  app = setup.app;
  onTestFinished(() => setup.close());
});

describe("an endpoint that", () => {
  let meddler: Meddler;
  let by: App;
  beforeEach(async () => {
    meddler = await openMeddler(setup.workshop.node.rpc_url);
    onTestFinished(() => meddler.close());
    by = through({ sending: { poll_ms: 20 } });
    await setup.happen();
  });
  /** The service with its chain behind the endpoint. */
  function through(options: Partial<BaseChainOptions>): App {
    const chain = setup.workshop.connect({ rpc_url: meddler.url, ...options });
    onTestFinished(() => chain.close());
    return withParts(app, { chain });
  }
  const honest: Meddler["meddle"] = () => undefined;

  test("hangs delays no signature, and the log is anchored when it answers again", async () => {
    meddler.meddle = () => "hangs";
    const impatient = through({ request_ms: 500, deadline_ms: 1_000 });
    expect(await setup.turn({}, impatient)).toMatchObject({ status: "away" });
    expect(await setup.story()).toEqual(["CheckpointSigned"]);
    meddler.meddle = honest;
    expect(await setup.turn({}, by)).toEqual({ status: "done" });
    expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored"]);
  });

  test("loses the receipt leaves an anchor pending, which is recorded when it is found", async () => {
    const before = await setup.workshop.rpc<Hex>("eth_getTransactionCount", app.chain.sender, "latest");
    meddler.meddle = (method) => (method === "eth_getTransactionReceipt" ? { result: null } : undefined);
    const impatient = through({ sending: { wait_ms: 1_500, poll_ms: 20 } });
    expect(await setup.turn({}, impatient)).toEqual({ status: "done" });
    expect(await setup.turn({}, impatient)).toEqual({ status: "done" });
    expect(await setup.story()).toEqual(["CheckpointSigned", "AnchorPending"]);
    meddler.meddle = honest;
    await setup.turn({}, by);
    expect((await setup.story()).slice(2)).toEqual(["Anchored"]);
    expect(await setup.workshop.rpc("eth_getTransactionCount", app.chain.sender, "latest")).toBe(
      `0x${(BigInt(before) + 1n).toString(16)}`,
    );
  });

  test("claims a larger anchor than the log raises an alarm, for as long as it does", async () => {
    const lie = Buffer.alloc(128);
    lie.writeBigUInt64BE(1_000_000n, 24);
    lie.fill(7, 32, 64);
    lie[95] = 1;
    lie[127] = 1;
    const answer = encodeFunctionResult({
      abi: multicall3Abi,
      functionName: "aggregate3",
      result: [{ success: true, returnData: `0x${lie.toString("hex")}` }],
    });
    meddler.meddle = (method) => (method === "eth_call" ? { result: answer } : undefined);
    expect(await setup.turn({}, by)).toMatchObject({
      status: "diverged",
      reason: expect.stringMatching(/1000000 events are anchored, and the log has \d+: .* unless the RPC/),
    });
    expect(await setup.story()).toEqual(["CheckpointSigned"]);
    meddler.meddle = honest;
    expect(await setup.turn({}, by)).toEqual({ status: "done" });
    expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored"]);
  });

  test("serves a chain with another id gets no transaction", async () => {
    meddler.meddle = (method) => (method === "eth_chainId" ? { result: "0x1" } : undefined);
    expect(await setup.turn({}, by)).toMatchObject({
      status: "away",
      reason: "the RPC endpoint serves chain 1, not 8453",
    });
    expect(meddler.methods).not.toContain("eth_sendRawTransaction");
  });

  test("takes its finalized block back neither removes an anchor nor raises an alarm", async () => {
    await setup.turn({}, by);
    await setup.mine(4);
    await setup.turn({}, by);
    const early = await setup.workshop.rpc("eth_getBlockByNumber", "0x1", false);
    meddler.meddle = (method, [tag]) =>
      method === "eth_getBlockByNumber" && tag === "finalized" ? { result: early } : undefined;
    await setup.happen();
    expect(await setup.turn({}, by)).toEqual({ status: "done" });
    expect(await setup.story()).toEqual([
      ...["CheckpointSigned", "Anchored", "AnchorFinal"],
      ...["CheckpointSigned", "Anchored"],
    ]);
    expect((await setup.state()).anchors).toMatchObject([{ final: true }, { final: false }]);
  });
});

describe("a chain that", () => {
  test("is dead changes nothing but the anchoring", async () => {
    await setup.happen();
    const dead = setup.workshop.connect({ rpc_url: "http://127.0.0.1:1", deadline_ms: 200 });
    onTestFinished(() => dead.close());
    expect(await setup.turn({}, withParts(app, { chain: dead }))).toMatchObject({ status: "away" });
    expect(await setup.story()).toEqual(["CheckpointSigned"]);
  });

  test("is away delays only the anchoring", async () => {
    await setup.happen();
    const away = () => Promise.reject(new ChainUnavailable("no answer"));
    expect(await setup.turn({}, setup.over({ read: away }))).toEqual({
      status: "away",
      reason: "no answer",
    });
    expect(await setup.story()).toEqual(["CheckpointSigned"]);
    await setup.turn();
    expect(await setup.turn({}, setup.over({ heads: away }))).toMatchObject({ status: "away" });
    expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored"]);
  });

  test("lags behind its earlier state changes nothing", async () => {
    await setup.happen();
    const { latest: old } = await app.chain.heads();
    await setup.turn();
    await setup.happen();
    const block: Chain["block"] = async (number) =>
      number > old.number ? undefined : app.chain.block(number);
    const heads = async () => ({ latest: old, safe: old, finalized: old });
    expect(await setup.turn({}, setup.over({ heads, block }))).toMatchObject({ status: "behind" });
    // Blocks come by themselves; none of them finalizes the anchor here.
    const mined = async () => ({ ...(await app.chain.heads()), finalized: old });
    expect(await setup.turn({}, setup.over({ heads: mined, block }))).toMatchObject({ status: "away" });
    // One address may have nodes of different heights.
    const read: Chain["read"] = async () => [{ success: true, data: `0x${"0".repeat(256)}` }];
    expect(await setup.turn({}, setup.over({ heads: mined, read }))).toMatchObject({ status: "behind" });
    expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored", "CheckpointSigned"]);
  });

  test("hides the origin of its stored head is reported, and followed once it shows it", async () => {
    await setup.happen();
    const dying = setup.over({
      send: async (call, options) => {
        await app.chain.send(call, options);
        throw new Error("killed");
      },
    });
    expect(await setup.turn({}, dying)).toEqual({ status: "failed", reason: "killed" });
    expect(await setup.turn({}, setup.over({ logs: async () => [] }))).toMatchObject({
      status: "behind",
      reason: expect.stringMatching(/does not show the transaction that anchored \d+ events/),
    });
    expect(await setup.turn()).toEqual({ status: "done" });
    expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored"]);
  });

  test("lacks the contract is reported with the remedy", async () => {
    await setup.happen();
    await setup.workshop.rpc("anvil_setCode", ANCHOR_ADDRESS, "0x");
    await setup.workshop.rpc("anvil_setNonce", ANCHOR_ADDRESS, "0x0");
    expect(await setup.turn()).toMatchObject({
      status: "unplaced",
      reason: expect.stringContaining("tallystick anchor deploy"),
    });
    const deployed = await deployAnchor(app.chain);
    expect(deployed).toMatchObject({ address: ANCHOR_ADDRESS, transaction: expect.stringMatching(/^0x/) });
    expect(await deployAnchor(app.chain)).toEqual({ address: ANCHOR_ADDRESS, transaction: null });
    await setup.turn();
    expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored"]);
  });

  test("has no gas on our key gets the transaction once the key has gas", async () => {
    await setup.happen();
    const poor = setup.workshop.connect({ gas_key: generatePrivateKey() });
    onTestFinished(() => poor.close());
    expect(await setup.turn({}, withParts(app, { chain: poor }))).toMatchObject({
      status: "away",
      reason: expect.stringContaining("the gas key has too little ether"),
    });
    expect(await setup.story()).toEqual(["CheckpointSigned"]);
    await setup.workshop.rpc("anvil_setBalance", poor.sender, "0xde0b6b3a7640000");
    expect(await setup.turn({}, withParts(app, { chain: poor }))).toEqual({ status: "done" });
    expect((await setup.state()).anchors).toMatchObject([{ signer: poor.sender }]);
    // Another key begins at the contract without a proof, and continues from there.
    await setup.happen();
    expect(await setup.turn()).toEqual({ status: "done" });
    expect((await setup.state()).anchors.map(({ signer }) => signer)).toEqual([
      poor.sender,
      app.chain.sender,
    ]);
  });
});
