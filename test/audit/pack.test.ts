/** The auditor verifies what the service exports: whole, in parts, a stream; with and without the chain. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  type ExportLogOptions,
  type ExportStreamOptions,
  exportFile,
} from "../../eventstore/files/export.ts";
import { openExport } from "../../eventstore/verify/verify-export.ts";
import { jsonRpc } from "../../src/adapters/json-rpc.ts";
import { recoverKey } from "../../src/adapters/secp256k1.ts";
import { type AnchorEvidence, readEvidence } from "../../src/anchoring/evidence.ts";
import { evidenceFor } from "../../src/anchoring/gather-evidence.ts";
import { verifierKey } from "../../src/anchoring/note.ts";
import { EMPTY_ROOT } from "../../src/anchoring/tree.ts";
import type { AskChain } from "../../src/audit/ask-chain.ts";
import type { ChainView } from "../../src/audit/chain-view.ts";
import type { ReceiptedEvent } from "../../src/audit/evidence-state.ts";
import { chainView, type VerifyPackOptions, verifyPack } from "../../src/audit/verify-pack.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import * as anchors from "../../src/domain/anchoring/anchor.ts";
import { ANCHOR_ADDRESS, successorCall } from "../../src/domain/anchoring/contract.ts";
import { type AnchoringSetup, openAnchoringSetup } from "../anchoring/anchoring-setup.ts";
import { failures } from "../eventstore/verify-support.ts";
import { until } from "../support/until.ts";

let setup: AnchoringSetup;
let folder: string;
let trusted: { origin: string; key: ReturnType<typeof verifierKey> };
const recover = recoverKey;

/** Anchored at 5 and 8 of 12 events; the last four are neither signed nor anchored. */
beforeAll(async () => {
  setup = await openAnchoringSetup();
  folder = await mkdtemp(join(tmpdir(), "tallystick-pack-"));
  const { happen, turn } = setup;
  await happen();
  await happen();
  await turn();
  await happen();
  await turn();
  await happen();
  await happen();
  const origin = await setup.origin();
  trusted = { origin, key: verifierKey(origin, "ed25519", setup.app.signer.public_key) };
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await setup.close();
});

type Part = Omit<ExportLogOptions, "log_id"> | Omit<ExportStreamOptions, "log_id">;

let exports = 0;
async function exported(part: Part): Promise<string> {
  const file = join(folder, `${exports++}.ndjson`);
  await exportFile(setup.app.pool, { log_id: 1, beside: evidenceFor(setup.app), ...part }, file);
  return file;
}
const verified = (file: string, options: Partial<VerifyPackOptions> = {}) =>
  verifyPack(openExport(file), { recover, ...options });
const asking = (url = setup.workshop.node.rpc_url) => jsonRpc({ rpc_url: url, request_ms: 2_000 });
const says = (report: Awaited<ReturnType<typeof verified>>, name: string) =>
  report.verdicts.find((verdict) => verdict.name === name)!.detail;

describe.each<[string, () => Promise<Part>, RegExp]>([
  ["the whole log", async () => ({}), /^anchored to (\d+), signed to \1, unproven beyond \1: without a head/],
  [
    "a part from the middle",
    async () => ({ from: 4 }),
    /^begins at 4, .*anchored to (\d+), signed to \1, unproven/,
  ],
  ["a beginning that ends before the newest anchor", async () => ({ to: 4 }), /^anchored to 4, signed to 4$/],
  ["a part in between", async () => ({ from: 2, to: 3 }), /^begins at 2, .*anchored to 3, signed to 3$/],
  [
    "a part after all that is signed",
    async () => ({ from: (await setup.app.store.head()).position }),
    /^begins at/,
  ],
  [
    "one stream",
    async () => ({ tenant: "operator", stream_id: anchors.streamOf(await setup.origin()) }),
    /^anchored to (\d), signed to \1, unproven beyond \1: without a head/,
  ],
])("%s", (_name, partOf, completeness) => {
  test("verifies alone, and reports its assumptions", async () => {
    const report = await verified(await exported(await partOf()));
    expect(failures(report)).toEqual({});
    expect(says(report, "signature")).toContain("a key that came with the log");
    expect(says(report, "anchor")).toContain("was assumed");
    expect(says(report, "completeness")).toMatch(completeness);
  });

  test("verifies against the auditor's knowledge and the chain", async () => {
    const ask = asking();
    const { sender } = setup.app.chain;
    const named = { network: "eip155:8453", contract: ANCHOR_ADDRESS, signer: sender };
    const report = await verified(await exported(await partOf()), { ...trusted, ...named, ask });
    expect(failures(report)).toEqual({});
    expect(says(report, "signature")).toContain("the key given");
    expect(says(report, "anchor")).toContain("the chain has this block");
  });
});

test("yesterday's pack verifies today, with the chain's larger head reported", async () => {
  const file = await exported({});
  // Block times are whole seconds, and late on a busy machine.
  const exported_at = Date.now();
  const { chain } = setup.app;
  await until(async () => {
    await setup.mine(1);
    expect((await chain.heads()).latest.timestamp * 1_000).toBeGreaterThan(exported_at);
  });
  await setup.happen();
  await setup.turn();
  const report = await verified(file, { ...trusted, ask: asking() });
  expect(failures(report)).toEqual({});
  expect(says(report, "anchor")).toMatch(/keeps \d+ events by now: export again/);
});

test("a receipt matches in a part and in a stream, or the verdict says that it does not", async () => {
  const { origin } = trusted;
  const whole = (await readFile(await exported({}), "utf8")).trimEnd().split("\n");
  const rows = whole.flatMap((line) => (line.startsWith('{"position"') ? [JSON.parse(line)] : []));
  const receipt = (position: number, event_hash: string = rows[position - 1].event_hash) => ({
    ...{ name: "receipt.jws", origin, position, event_hash },
  });
  const { tenant, stream_id } = rows[2];
  const faults = async (part: Part, ...events: ReceiptedEvent[]) =>
    failures(await verified(await exported(part), { events }));
  expect(await faults({ from: 4 }, receipt(4))).toEqual({});
  expect(await faults({ from: 4 }, receipt(2))).toEqual({ completeness: 4 });
  expect(await faults({ tenant, stream_id }, receipt(3))).toEqual({});
  expect(await faults({ tenant, stream_id }, receipt(1))).toHaveProperty("completeness");
  const issued_at = Math.floor(rows[3].recorded_at_us / 1_000_000);
  expect(await faults({ from: 4 }, { ...receipt(4), issued_at })).toEqual({});
  expect(await faults({ from: 4 }, { ...receipt(4), issued_at: issued_at - 86_400 })).toEqual({
    completeness: 4,
  });
  // Of two events at one position, at least one was never in the log.
  const forged = receipt(3, "ab".repeat(32));
  expect(await faults({}, forged, receipt(3))).toEqual({ completeness: 3 });
});

describe("a signer's successors", () => {
  const other = `0x${"66".repeat(20)}` as const;
  const anchorIn = async (contract: Hex) => {
    const lines = (await readFile(await exported({}), "utf8")).split("\n").map(readEvidence);
    const anchor = lines.findLast((line) => typeof line === "object" && line.evidence === "anchor");
    return { ...(anchor as AnchorEvidence), contract };
  };
  /** A second contract next to the chain's own, with the same heads; one of the two endorses the other. */
  const endorsedBy =
    (endorser: Hex): AskChain =>
    async (method, params) => {
      const { to, data } = (params[0] ?? {}) as { to?: string; data?: string };
      if (to === endorser && data === successorCall(setup.app.chain.sender).data)
        return `0x${other.slice(2).padStart(64, "0")}` as never;
      return asking()(method, to === other ? [{ to: ANCHOR_ADDRESS, data }, "latest"] : params);
    };
  const view = async (endorser: Hex, contract?: Hex) =>
    chainView(endorsedBy(endorser), trusted.origin, [await anchorIn(other)], {
      signer: setup.app.chain.sender,
      contract,
    });

  test("are read from the auditor's contract, not from the pack's", async () => {
    expect(await view(other, ANCHOR_ADDRESS)).toMatchObject({ successors: [] });
    expect(await view(other)).toMatchObject({ successors: [] });
  });

  test("have heads of their own if they are contracts", async () => {
    const { heads } = (await view(ANCHOR_ADDRESS, ANCHOR_ADDRESS)) as ChainView;
    expect(heads).toHaveLength(2);
    expect(await view(ANCHOR_ADDRESS, ANCHOR_ADDRESS)).toMatchObject({ successors: [other] });
  });
});

describe("the chain reveals", () => {
  /** The lines of an export without the last `n` events, framed as if they had never existed. */
  async function cut(file: string, last: number): Promise<string[]> {
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    const kept = lines.filter((line) => !line.startsWith('{"position"') || positionIn(line) <= last);
    const evidence = (line: string) =>
      line.startsWith('{"evidence"') && ["anchor", "checkpoint"].includes(JSON.parse(line).evidence);
    const { log_hash } = JSON.parse(kept.findLast((line) => line.startsWith('{"position"'))!);
    const end = JSON.stringify({ end: true, events: last, head: { position: last, log_hash } });
    // Written well after the anchor, as it states.
    const header = { ...JSON.parse(kept[0]!), exported_at: new Date(Date.now() + 600_000).toISOString() };
    return [JSON.stringify(header), ...kept.slice(1, -1).filter((line) => !evidence(line)), end];
  }
  const positionIn = (line: string) => (JSON.parse(line) as { position: number }).position;
  const bytes = async function* (lines: string[]) {
    yield Buffer.from(`${lines.join("\n")}\n`);
  };

  test("an end that was cut before the anchor, with all its evidence", async () => {
    const lines = await cut(await exported({}), 4);
    const { sender: signer } = setup.app.chain;
    const alone = await verifyPack(bytes(lines), { recover });
    expect(failures(alone)).toEqual({});
    expect(says(alone, "completeness")).toContain("unproven beyond 0");

    const report = await verifyPack(bytes(lines), { recover, signer, ask: asking() });
    expect(failures(report)).toMatchObject({ completeness: 5, anchor: 0 });
  });

  test("a cut end, and so do a checkpoint, a head or a receipt of the auditor", async () => {
    const file = await exported({});
    const lines = await cut(file, 4);
    const { checkpoint } = await setup.state();
    const note = { name: "kept.note", note: checkpoint!.note };
    const later = JSON.parse((await readFile(file, "utf8")).trimEnd().split("\n").at(-3)!);
    const { position, event_hash, log_hash } = later as {
      position: number;
      event_hash: string;
      log_hash: string;
    };
    const { origin } = trusted;
    for (const held of [
      { checkpoints: [note], key: undefined },
      { heads: [{ position, hash_prefix: log_hash }] },
      { events: [{ name: "receipt.jws", origin, position, event_hash }] },
    ]) {
      const report = await verifyPack(bytes(lines), { recover, ...held });
      expect(failures(report)).toMatchObject({ completeness: 5 });
      expect(failures(await verified(file, { ...held, ...trusted }))).toEqual({});
    }
  });

  test("nothing if the endpoint fails, serves another chain, or has no contract", async () => {
    const file = await exported({});
    const dead = await verified(file, { ask: asking("http://127.0.0.1:9") });
    expect(failures(dead)).toEqual({ anchor: 0 });
    const other: ReturnType<typeof asking> = (method, params) =>
      method === "eth_chainId" ? (Promise.resolve("0x1") as never) : asking()(method, params);
    expect(failures(await verified(file, { ask: other }))).toHaveProperty("anchor");
    const empty: ReturnType<typeof asking> = (method, params) =>
      method === "eth_call" ? (Promise.resolve("0x") as never) : asking()(method, params);
    expect(failures(await verified(file, { ask: empty }))).toEqual({ anchor: 0 });
    const reorged: ReturnType<typeof asking> = async (method, params) => {
      const answer = await asking()<{ hash: string }>(method, params);
      const isBlock = method === "eth_getBlockByNumber" && params[0] !== "finalized";
      return (isBlock ? { ...answer, hash: `0x${EMPTY_ROOT.toString("hex")}` } : answer) as never;
    };
    expect(failures(await verified(file, { ask: reorged }))).toHaveProperty("anchor");
  });
});

test("everything that the auditor names must match", async () => {
  const bare = await openAnchoringSetup();
  onTestFinished(() => bare.close());
  await bare.happen();
  const file = join(folder, "bare.ndjson");
  await exportFile(bare.app.pool, { log_id: 1, beside: evidenceFor(bare.app) }, file);
  const report = await verified(file);
  expect(failures(report)).toEqual({});
  expect(says(report, "completeness")).toContain("unproven beyond 0");
  const key = verifierKey(await bare.origin(), "ed25519", bare.app.signer.public_key);
  expect(failures(await verified(file, { key }))).toEqual({ signature: 0 });
  expect(failures(await verified(file, { contract: ANCHOR_ADDRESS }))).toEqual({ anchor: 0 });
  expect(failures(await verified(file, { key: trusted.key }))).toEqual({ signature: 0 });
});
