/** The log is signed and anchored whoever dies meanwhile and whatever the chain does, and a rewritten one is not. */
import { generatePrivateKey } from "viem/accounts";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { openCheckpoint } from "../../src/anchoring/checkpoint.ts";
import { deployAnchor } from "../../src/anchoring/deploy.ts";
import { type AnchorOptions, anchorTurn, startAnchoring } from "../../src/anchoring/job.ts";
import { verifierKey } from "../../src/anchoring/note.ts";
import { anchorStatus } from "../../src/anchoring/status.ts";
import { openTree } from "../../src/anchoring/tile-store.ts";
import type { App } from "../../src/app.ts";
import * as anchors from "../../src/domain/anchoring/anchor.ts";
import { ANCHOR_ADDRESS, headCall, keptHead, logIdOf } from "../../src/domain/anchoring/contract.ts";
import { type Chain, ChainUnavailable, type Receipt, TransactionPending } from "../../src/domain/ports.ts";
import { issueKey } from "../../src/operator/keys.ts";
import { alone } from "../../src/turn.ts";
import { type LedgerHouse, openLedgerHouse } from "../payments/ledger-house.ts";

let house: LedgerHouse;
let app: App;
beforeEach(async () => {
  house = await openLedgerHouse();
  app = house.app;
  onTestFinished(() => house.close());
});

/** Whatever waits is due. */
const AT_ONCE: AnchorOptions = { checkpoint_every_ms: -60_000, anchor_every_ms: -60_000 };

const turn = (options: AnchorOptions = {}, by = app) => anchorTurn(by, { ...AT_ONCE, ...options });

/** An event that is not the anchoring's own. */
const happen = async (by = app) => {
  await issueKey(by, {
    tenant: "acme",
    space: "live",
    scopes: ["read"],
    daily: null,
    monthly: null,
    label: null,
  });
};

const originOf = async () => (await app.store.identity()).origin;
const stateNow = async (by = app) => by.load(anchors, anchors.targetOf(await originOf()));
const story = async () => {
  const stream_id = anchors.streamOf(await originOf());
  return (await app.store.readStream({ tenant: "operator", stream_id })).map(({ type }) => type);
};
const headOf = async () => {
  const { chain } = app;
  const [answer] = await chain.read([headCall(chain.sender, logIdOf(await originOf()))]);
  return keptHead(answer!);
};
/** The house with another chain before it. */
const over = (more: Partial<Chain>): App => ({ ...app, chain: { ...app.chain, ...more } });

test("a turn signs what is there and anchors it; the chain keeps the very root of the tree", async () => {
  await happen();
  await happen();
  const { position: size } = await app.store.head();
  expect(await turn()).toEqual({ status: "done" });
  expect(await story()).toEqual(["CheckpointSigned", "Anchored"]);

  const { checkpoint, anchors: standing } = await stateNow();
  const root = `0x${(await openTree(app.pool, 1).rootAt(size)).toString("hex")}`;
  expect(checkpoint).toMatchObject({ size, root });
  const log = verifierKey(await originOf(), "ed25519", app.signer.public_key);
  expect(openCheckpoint(checkpoint!.note, { log })).toMatchObject({ origin: await originOf(), size });

  const kept = await headOf();
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

test("where nothing is new, nothing is signed, and the anchoring's own events ask for no checkpoint", async () => {
  expect(await turn()).toEqual({ status: "done" });
  expect(await story()).toEqual([]);
  await happen();
  const memory = {};
  for (let n = 0; n < 4; n++) await turn({ memory });
  await house.mine(4);
  for (let n = 0; n < 3; n++) await turn({ memory });
  expect(await story()).toEqual(["CheckpointSigned", "Anchored", "AnchorFinal"]);

  const asked = () => Promise.reject(new Error("the chain was asked"));
  const deaf = over({ heads: asked, block: asked, read: asked, send: asked, receipt: asked, logs: asked });
  expect(await turn({ memory }, deaf)).toEqual({ status: "done" });
});

test("events wait for their checkpoint as long, or as many, as they may, and checkpoints for their anchor", async () => {
  await happen();
  const patient = { checkpoint_every_ms: 3_600_000, anchor_every_ms: 3_600_000 };
  await turn(patient);
  expect(await story()).toEqual([]);
  await turn({ ...patient, checkpoint_every_events: 1 });
  expect(await story()).toEqual(["CheckpointSigned", "Anchored"]);
  await happen();
  await turn({ ...patient, checkpoint_every_events: 100 });
  expect(await story()).toHaveLength(2);
  await turn({ anchor_every_ms: 3_600_000 });
  expect((await story()).slice(2)).toEqual(["CheckpointSigned"]);
  await turn();
  expect((await story()).slice(3)).toEqual(["Anchored"]);
  const { checkpoint, anchors: standing } = await stateNow();
  expect(standing.at(-1)!.size).toBe(checkpoint!.size);
});

describe("after a send whose answer never came to the log", () => {
  test("the next turn takes up what the chain holds, and nothing is sent twice", async () => {
    await happen();
    const dying = over({
      send: async (call, options) => {
        await app.chain.send(call, options);
        throw new Error("killed");
      },
    });
    await expect(turn({}, dying)).rejects.toThrow("killed");
    expect(await story()).toEqual(["CheckpointSigned"]);
    const asked = over({ send: () => Promise.reject(new Error("sent again")) });
    expect(await turn({}, asked)).toEqual({ status: "done" });
    expect(await story()).toEqual(["CheckpointSigned", "Anchored"]);
    expect((await stateNow()).anchors).toMatchObject([{ size: Number((await headOf())!.size) }]);
  });

  test("a pending one is waited for, and sent again once it has been for too long", async () => {
    await happen();
    const memory = {};
    let sent = 0;
    const pending = over({
      send: async () => {
        sent++;
        throw new TransactionPending([`0x${"1".repeat(64)}`]);
      },
    });
    for (let n = 0; n < 3; n++) expect(await turn({ memory }, pending)).toEqual({ status: "done" });
    expect(sent).toBe(1);
    await turn({ memory: { send_after: Date.now() - 1 } });
    expect(await story()).toEqual(["CheckpointSigned", "Anchored"]);
  });

  test("one that was mined while it was waited for is found", async () => {
    await happen();
    const memory = {};
    let mined: Receipt | undefined;
    const slow = over({
      send: async (call, options) => {
        mined = await app.chain.send(call, options);
        throw new TransactionPending([mined.transaction]);
      },
    });
    await turn({ memory }, slow);
    await turn({ memory }, slow);
    expect((await stateNow()).anchors).toMatchObject([{ transaction: mined!.transaction }]);
  });

  test("one that came to nothing is no anchor, and is not sent again at once", async () => {
    await happen();
    const memory = {};
    let sent = 0;
    const vain = over({
      send: async () => {
        sent++;
        const { latest } = await app.chain.heads();
        const { number: block_number, hash: block_hash } = latest;
        const transaction = `0x${"2".repeat(64)}` as const;
        return { transaction, success: false, block_number, block_hash, fee_wei: 1n, logs: [] };
      },
    });
    for (let n = 0; n < 3; n++) await turn({ memory }, vain);
    expect(sent).toBe(1);
    expect(await story()).toEqual(["CheckpointSigned"]);
  });
});

describe("a reorg", () => {
  test("that drops an anchor has it sent again; once final it is said so, and later ones follow", async () => {
    await happen();
    const snapshot = await house.snapshot();
    await turn();
    await house.revert(snapshot);
    await turn();
    expect(await story()).toEqual(["CheckpointSigned", "Anchored", "AnchorReorged", "Anchored"]);
    const [again] = (await stateNow()).anchors;
    expect(again).toMatchObject({ size: Number((await headOf())!.size), final: false });

    await house.mine(4);
    await happen();
    await turn();
    expect((await story()).slice(4)).toEqual(["CheckpointSigned", "AnchorFinal", "Anchored"]);
    expect((await stateNow()).anchors).toMatchObject([{ final: true }, { final: false }]);
    // What was final stays so, though the node's finalized head goes back.
    const heads = async () => ({ ...(await app.chain.heads()), finalized: (await app.chain.block(0n))! });
    expect(await turn({}, over({ heads }))).toEqual({ status: "done" });
    expect((await stateNow()).anchors).toMatchObject([{ final: true }, { final: false }]);
  });

  test("that drops two leaves the chain with one that proves both", async () => {
    await happen();
    const snapshot = await house.snapshot();
    await turn();
    await happen();
    await turn();
    await house.revert(snapshot);
    await turn();
    expect((await story()).slice(4)).toEqual(["AnchorReorged", "AnchorReorged", "Anchored"]);
    expect((await stateNow()).anchors).toMatchObject([{ size: (await stateNow()).checkpoint!.size }]);
  });

  test("of what is final is none: the RPC serves another chain, and nothing is marked or sent", async () => {
    await happen();
    const snapshot = await house.snapshot();
    await turn();
    await house.mine(4);
    await turn();
    await happen();
    await house.revert(snapshot);
    expect(await turn()).toMatchObject({
      status: "foreign",
      message: expect.stringContaining("BASE_RPC_URL"),
    });
    expect(await story()).toEqual(["CheckpointSigned", "Anchored", "AnchorFinal", "CheckpointSigned"]);
  });
});

describe("several processes", () => {
  test("while one is at it, the others do nothing", async () => {
    await happen();
    await alone(app, "anchoring", async () => {
      expect(await turn()).toEqual({ status: "taken" });
    });
    // The payments' turn is another.
    await alone(app, "payments", async () => {
      expect(await turn()).toEqual({ status: "done" });
    });
    expect(await story()).toEqual(["CheckpointSigned", "Anchored"]);
  });

  test("taking turns all at once sign and anchor every size once, each after the one before", async () => {
    const other = await house.beside();
    onTestFinished(() => other.close());
    for (let n = 0; n < 4; n++) {
      await happen();
      const turns = await Promise.all([turn(), turn({}, other.app), turn(), turn({}, other.app)]);
      expect(turns.map(({ status }) => status)).toContain("done");
      expect(turns.filter(({ status }) => status !== "done" && status !== "taken")).toEqual([]);
    }
    await turn({}, other.app);
    const types = await story();
    expect(types.filter((type) => type === "Anchored")).toHaveLength(4);
    expect(types.filter((type) => type === "CheckpointSigned")).toHaveLength(4);
    expect((await stateNow()).anchors.at(-1)).toMatchObject({ size: Number((await headOf())!.size) });
  });

  test("whose lock broke do no harm: what one anchored the other takes up", async () => {
    const other = await house.beside();
    onTestFinished(() => other.close());
    await happen();
    // The other one anchors between this one's look and its send.
    const late = over({
      send: async (call, options) => {
        await app.chain.send(call, options);
        return app.chain.send(call, options);
      },
    });
    const memory = {};
    await turn({ memory }, late);
    expect(await story()).toEqual(["CheckpointSigned"]);
    await turn({ memory }, other.app);
    expect(await story()).toEqual(["CheckpointSigned", "Anchored"]);
  });
});

describe("a chain that", () => {
  test("is dead changes nothing but that the log is signed", async () => {
    await happen();
    const dead = house.workshop.connect({ rpc_url: "http://127.0.0.1:1", deadline_ms: 200 });
    onTestFinished(() => dead.close());
    expect(await turn({}, { ...app, chain: dead })).toMatchObject({ status: "away" });
    expect(await story()).toEqual(["CheckpointSigned"]);
  });

  test("is away has the log signed all the same, and anchored later", async () => {
    await happen();
    const away = () => Promise.reject(new ChainUnavailable("no answer"));
    expect(await turn({}, over({ read: away }))).toEqual({ status: "away", message: "no answer" });
    expect(await story()).toEqual(["CheckpointSigned"]);
    await turn();
    expect(await turn({}, over({ heads: away }))).toMatchObject({ status: "away" });
    expect(await story()).toEqual(["CheckpointSigned", "Anchored"]);
  });

  test("lags behind what it showed before changes nothing", async () => {
    await happen();
    const { latest: old } = await app.chain.heads();
    await turn();
    await happen();
    const block: Chain["block"] = async (number) =>
      number > old.number ? undefined : app.chain.block(number);
    const heads = async () => ({ latest: old, safe: old, finalized: old });
    expect(await turn({}, over({ heads, block }))).toMatchObject({ status: "behind" });
    expect(await turn({}, over({ block }))).toMatchObject({ status: "away" });
    // Behind one address there may be nodes of different heights.
    const read: Chain["read"] = async () => [{ success: true, data: `0x${"0".repeat(256)}` }];
    expect(await turn({}, over({ read }))).toMatchObject({ status: "behind" });
    expect(await story()).toEqual(["CheckpointSigned", "Anchored", "CheckpointSigned"]);
  });

  test("has not the contract is told how it gets there", async () => {
    await happen();
    await house.workshop.rpc("anvil_setCode", ANCHOR_ADDRESS, "0x");
    await house.workshop.rpc("anvil_setNonce", ANCHOR_ADDRESS, "0x0");
    expect(await turn()).toMatchObject({
      status: "unplaced",
      message: expect.stringContaining("tallystick anchor deploy"),
    });
    const deployed = await deployAnchor(app.chain);
    expect(deployed).toMatchObject({ address: ANCHOR_ADDRESS, transaction: expect.stringMatching(/^0x/) });
    expect(await deployAnchor(app.chain)).toEqual({ address: ANCHOR_ADDRESS, transaction: null });
    await turn();
    expect(await story()).toEqual(["CheckpointSigned", "Anchored"]);
  });

  test("finds no gas on our key is asked again when there is some", async () => {
    await happen();
    const poor = house.workshop.connect({ gas_key: generatePrivateKey() });
    onTestFinished(() => poor.close());
    expect(await turn({}, { ...app, chain: poor })).toMatchObject({
      status: "away",
      message: expect.stringContaining("the gas key has too little ether"),
    });
    expect(await story()).toEqual(["CheckpointSigned"]);
    await house.workshop.rpc("anvil_setBalance", poor.sender, "0xde0b6b3a7640000");
    expect(await turn({}, { ...app, chain: poor })).toEqual({ status: "done" });
    expect((await stateNow()).anchors).toMatchObject([{ signer: poor.sender }]);
    // Another key begins at the contract without a proof, and goes on from there.
    await happen();
    expect(await turn()).toEqual({ status: "done" });
    expect((await stateNow()).anchors.map(({ signer }) => signer)).toEqual([poor.sender, app.chain.sender]);
  });
});

/** As somebody with the owner's rights who means harm. */
async function unguarded(sql: string): Promise<void> {
  const client = await app.pool.connect();
  try {
    await client.query("begin");
    await client.query("set local session_replication_role = replica");
    await client.query(sql);
    await client.query("commit");
  } finally {
    client.release();
  }
}

describe("a log that was", () => {
  test("rewritten is neither signed nor anchored any more", async () => {
    await happen();
    await turn();
    await unguarded("update eventstore.events set event_hash = sha256('other') where position = 1");
    await happen();
    expect(await turn()).toMatchObject({
      status: "diverged",
      message: expect.stringContaining("the log does not continue"),
    });
    expect(await story()).toEqual(["CheckpointSigned", "Anchored"]);
  });

  test("rewritten between its checkpoint and its anchor is not sent", async () => {
    await happen();
    await turn();
    await happen();
    await turn({ anchor_every_ms: 3_600_000 });
    const { size } = (await stateNow()).checkpoint!;
    await unguarded(`update eventstore.events set event_hash = sha256('other') where position = ${size}`);
    const unsent = over({ send: () => Promise.reject(new Error("it was sent")) });
    expect(await turn({}, unsent)).toMatchObject({
      status: "diverged",
      message: expect.stringContaining("do not continue the anchor"),
    });
  });

  test("rewritten with its checkpoints is caught by what the chain keeps", async () => {
    await happen();
    await happen();
    await turn();
    await unguarded("update eventstore.events set event_hash = sha256('other') where position = 1");
    await unguarded("delete from eventstore.events where tenant = 'operator' and stream_id like 'anchor-%'");
    const fresh = await house.beside();
    onTestFinished(() => fresh.close());
    await happen(fresh.app);
    expect(await turn({}, fresh.app)).toMatchObject({
      status: "diverged",
      message: expect.stringContaining("on the chain it is"),
    });
    expect(await story()).toEqual(["CheckpointSigned"]);
  });

  test("cut is told from one that lags: by the checkpoint, and without it by the chain", async () => {
    for (let n = 0; n < 5; n++) await happen();
    await turn();
    await unguarded("delete from eventstore.events where position > 2");
    expect(await turn()).toMatchObject({ status: "diverged", message: expect.stringContaining("was cut") });
    const fresh = await house.beside();
    onTestFinished(() => fresh.close());
    expect(await turn({}, fresh.app)).toMatchObject({
      status: "diverged",
      message: expect.stringContaining("events are anchored, and the log has"),
    });
  });
});

test("it runs until it is stopped, and tells troubles when they begin and when they end", async () => {
  await happen();
  let isAway = true;
  const read: Chain["read"] = (...calls) =>
    isAway ? Promise.reject(new ChainUnavailable("no answer")) : app.chain.read(...calls);
  const told: [string, object, string][] = [];
  const note = (level: string) => (facts: object, message: string) => void told.push([level, facts, message]);
  const log = { info: note("info"), warn: note("warn"), error: note("error") };
  const job = startAnchoring(over({ read }), log, { ...AT_ONCE, every_ms: 5 });
  while (told.length < 1) await new Promise((wake) => setTimeout(wake, 5));
  isAway = false;
  while ((await story()).length < 2) await new Promise((wake) => setTimeout(wake, 5));
  while (told.length < 2) await new Promise((wake) => setTimeout(wake, 5));
  await job.stop();
  expect(told).toEqual([
    ["warn", { reason: "no answer", account: app.chain.sender }, "the log is not anchored for now"],
    ["info", {}, "the log is signed and anchored again"],
  ]);
  expect(await story()).toEqual(["CheckpointSigned", "Anchored"]);
});

test("the status says how far the log is proven", async () => {
  await happen();
  const { position } = await app.store.head();
  const origin = await originOf();
  expect(await anchorStatus(app)).toEqual({
    ...{ origin, events: position, checkpoint: null, anchor: null, unproven_events: position },
  });
  await turn();
  const mined = { events: position + 2, checkpoint: { size: position }, unproven_events: position + 2 };
  expect(await anchorStatus(app)).toMatchObject({ ...mined, anchor: { size: position, firmness: "mined" } });
  await house.mine(4);
  await turn();
  expect(await anchorStatus(app)).toMatchObject({
    ...{ events: position + 3, unproven_events: 3 },
    anchor: { size: position, firmness: "final" },
  });
});
