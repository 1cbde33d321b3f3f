import { privateKeyToAccount } from "viem/accounts";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { SendLimits } from "../../src/adapters/send-queue/limits.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { anchorStatus } from "../../src/anchoring/status.ts";
import { type App, withParts } from "../../src/core/app.ts";
import type { Receipt } from "../../src/core/model/chain.ts";
import { TransactionPending } from "../../src/core/model/ports/chain.ts";
import { headInCall } from "../../src/domain/anchoring/contract.ts";
import { inPool, mineAgain, type Pooled, stopMining } from "../chain/fixture.ts";
import { until } from "../support/until.ts";
import { GAS_KEY, PAYEE } from "../support/wallets.ts";
import { type AnchoringSetup, AT_ONCE, openAnchoringSetup } from "./anchoring-setup.ts";

let setup: AnchoringSetup;
let app: App;
beforeEach(async () => {
  setup = await openAnchoringSetup();
  app = setup.app;
  onTestFinished(() => setup.close());
});

describe("after a send without an answer in the log", () => {
  test("the next tick records the chain's head, and nothing is sent twice", async () => {
    await setup.happen();
    const dying = setup.over({
      send: async (call, options) => {
        await app.chain.send(call, options);
        throw new Error("killed");
      },
    });
    expect(await setup.turn({}, dying)).toEqual({ status: "failed", reason: "killed" });
    expect(await setup.story()).toEqual(["CheckpointSigned"]);
    const request = setup.over({ send: () => Promise.reject(new Error("sent again")) });
    expect(await setup.turn({}, request)).toEqual({ status: "done" });
    expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored"]);
    expect((await setup.state()).anchors).toMatchObject([{ size: Number((await setup.kept())!.size) }]);
  });

  test("every process waits for a pending one, and resends it after the limit", async () => {
    await setup.happen();
    let sent = 0;
    const transactions = [`0x${"1".repeat(64)}`] as const;
    const pending = setup.over({
      send: async () => {
        sent++;
        throw new TransactionPending(transactions);
      },
    });
    for (let n = 0; n < 3; n++) expect(await setup.turn({ memory: {} }, pending)).toEqual({ status: "done" });
    expect(sent).toBe(1);
    expect(await setup.story()).toEqual(["CheckpointSigned", "AnchorPending"]);
    const { size } = (await setup.state()).checkpoint!;
    expect((await anchorStatus(app)).pending).toMatchObject({ size, transactions });
    await setup.turn({ pending_holds_ms: -60_000 });
    expect((await setup.story()).slice(2)).toEqual(["Anchored"]);
    expect((await anchorStatus(app)).pending).toBeNull();
  });

  test("a transaction mined during the wait is found", async () => {
    await setup.happen();
    const memory = {};
    let mined: Receipt | undefined;
    const slow = setup.over({
      send: async (call, options) => {
        mined = await app.chain.send(call, options);
        throw new TransactionPending([mined.transaction]);
      },
    });
    await setup.turn({ memory }, slow);
    await setup.turn({ memory }, slow);
    expect((await setup.state()).anchors).toMatchObject([{ transaction: mined!.transaction }]);
  });

  test("a failed transaction is not an anchor, and is not resent at once", async () => {
    await setup.happen();
    const memory = {};
    let sent = 0;
    const vain = setup.over({
      send: async () => {
        sent++;
        const { latest } = await app.chain.heads();
        const { number: block_number, hash: block_hash } = latest;
        const transaction = `0x${"2".repeat(64)}` as const;
        return { transaction, success: false, block_number, block_hash, fee_wei: 1n, logs: [] };
      },
    });
    for (let n = 0; n < 3; n++) await setup.turn({ memory }, vain);
    expect(sent).toBe(1);
    expect(await setup.story()).toEqual(["CheckpointSigned"]);
  });
});

describe("a stuck transaction", () => {
  const sending = { stuck_ms: 150, poll_ms: 20, foreign_ms: 150 };
  /** Mines without saving the chain's state, which would set it mining. */
  const stuckOver = async (more: Partial<SendLimits> = {}) => {
    const chain = setup.workshop.connect({ sending: { ...sending, ...more } });
    onTestFinished(() => chain.close());
    await stopMining(setup.workshop);
    return { ...withParts(app, { chain }), chain };
  };
  const newestInPool = (isAwaited: (one: Pooled) => boolean = () => true) =>
    until(async () => {
      const [one] = await inPool(setup.workshop);
      expect(one).toSatisfy((waiting?: Pooled) => waiting !== undefined && isAwaited(waiting));
      return one!;
    });

  test("is replaced by one of the newest checkpoint with a higher fee; signing continues meanwhile", async () => {
    await setup.happen();
    const by = await stuckOver();
    const turn = setup.turn({}, by);
    const first = await newestInPool();
    await setup.happen();
    expect(await signTick(app, AT_ONCE)).toBe("done");
    const { size } = (await setup.state()).checkpoint!;
    // The first may be replaced by one with a higher fee before the newer checkpoint is signed.
    const second = await newestInPool(({ input }) => headInCall(input)?.size === BigInt(size));
    expect(second.nonce).toBe(first.nonce);
    expect(BigInt(second.maxFeePerGas) * 10n).toBeGreaterThanOrEqual(BigInt(first.maxFeePerGas) * 11n);
    await mineAgain(setup.workshop);
    expect(await turn).toEqual({ status: "done" });
    expect(await setup.story()).toEqual(["CheckpointSigned", "CheckpointSigned", "Anchored"]);
    expect((await setup.state()).anchors).toMatchObject([{ size }]);
    expect(await setup.kept()).toMatchObject({ size: BigInt(size) });
  });

  test("outlives its process: another process replaces it under its nonce", async () => {
    await setup.happen();
    const dying = await stuckOver({ wait_ms: 100, stuck_ms: 60_000 });
    // A tick that signed nothing within its time is repeated.
    await until(async () => {
      await setup.turn({}, dying);
      return (await setup.state()).pending !== undefined;
    });
    dying.chain.close();
    const left = await newestInPool();
    expect(await setup.story()).toEqual(["CheckpointSigned", "AnchorPending"]);
    expect((await setup.state()).pending!.transactions).toEqual([left.hash]);

    await setup.happen();
    await signTick(app, AT_ONCE);
    const heir = setup.workshop.connect({ sending });
    onTestFinished(() => heir.close());
    const turn = setup.turn({ pending_holds_ms: -60_000 }, withParts(app, { chain: heir }));
    expect((await newestInPool(({ hash }) => hash !== left.hash)).nonce).toBe(left.nonce);
    await mineAgain(setup.workshop);
    expect(await turn).toEqual({ status: "done" });
    const { checkpoint, anchors, pending } = await setup.state();
    expect(anchors).toMatchObject([{ size: checkpoint!.size }]);
    expect(pending).toBeUndefined();
  });

  test("and whose nonce was used by another is not resent; the next tick reads the chain", async () => {
    await setup.happen();
    const by = await stuckOver({ stuck_ms: 400 });
    const turn = setup.turn({}, by);
    const { nonce, maxFeePerGas } = await newestInPool();
    const raw = await privateKeyToAccount(GAS_KEY).signTransaction({
      type: "eip1559",
      chainId: 8453,
      nonce: Number(nonce),
      gas: 21_000n,
      maxFeePerGas: BigInt(maxFeePerGas) * 100n,
      maxPriorityFeePerGas: BigInt(maxFeePerGas) * 100n,
      to: PAYEE,
    });
    await setup.workshop.rpc("eth_sendRawTransaction", raw);
    await mineAgain(setup.workshop);
    expect(await turn).toMatchObject({ status: "away", reason: expect.stringContaining("took the nonce") });
    expect(await setup.story()).toEqual(["CheckpointSigned"]);
    await setup.turn();
    expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored"]);
  });
});

describe("a reorg", () => {
  test("that drops an anchor has it resent; once final that is recorded, and later ones follow", async () => {
    await setup.happen();
    const snapshot = await setup.snapshot();
    await setup.turn();
    await setup.revert(snapshot);
    await setup.turn();
    expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored", "AnchorReorged", "Anchored"]);
    const [again] = (await setup.state()).anchors;
    expect(again).toMatchObject({ size: Number((await setup.kept())!.size), final: false });

    await setup.mine(4);
    await setup.happen();
    await setup.turn();
    expect((await setup.story()).slice(4)).toEqual(["CheckpointSigned", "AnchorFinal", "Anchored"]);
    expect((await setup.state()).anchors).toMatchObject([{ final: true }, { final: false }]);
    // A final anchor stays final, though the node's finalized head goes back.
    const heads = async () => ({ ...(await app.chain.heads()), finalized: (await app.chain.block(0n))! });
    expect(await setup.turn({}, setup.over({ heads }))).toEqual({ status: "done" });
    expect((await setup.state()).anchors).toMatchObject([{ final: true }, { final: false }]);
  });

  test("that drops two anchors leads to one anchor that proves both", async () => {
    await setup.happen();
    const snapshot = await setup.snapshot();
    await setup.turn();
    await setup.happen();
    await setup.turn();
    await setup.revert(snapshot);
    await setup.turn();
    expect((await setup.story()).slice(4)).toEqual(["AnchorReorged", "AnchorReorged", "Anchored"]);
    expect((await setup.state()).anchors).toMatchObject([{ size: (await setup.state()).checkpoint!.size }]);
  });

  test("of a final block is impossible: the RPC serves another chain, and nothing is recorded or sent", async () => {
    await setup.happen();
    const snapshot = await setup.snapshot();
    await setup.turn();
    await setup.mine(4);
    await setup.turn();
    await setup.happen();
    await setup.revert(snapshot);
    expect(await setup.turn()).toMatchObject({
      status: "foreign",
      reason: expect.stringContaining("BASE_RPC_URL"),
    });
    expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored", "AnchorFinal", "CheckpointSigned"]);
  });
});
