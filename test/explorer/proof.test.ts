/**
 * The page's verification of one event's proof: valid ones pass, each forgery fails in its place, and nothing
 * throws.
 */
import { describe, expect, test } from "vitest";
import { verifyProof } from "../../src/explorer/proof.ts";
import { inclusionLine, keyOf, noteOf, treeOf } from "../audit/pack-builder.ts";
import { LOG, packVerdicts, recordedAnchors, WITNESS } from "../audit/vectors.ts";
import { sha256 } from "../eventstore/log-builder.ts";
import { log, ORIGIN } from "../eventstore/tampering.ts";

const HASH = sha256("another").toString("hex");
const anchors = recordedAnchors();
const vectors = packVerdicts(anchors);
const rows = log();
const tree = treeOf(rows);
const other = { ...LOG, signer: WITNESS.signer };
const note = (size: number, root: Uint8Array = tree.root(size), signer = LOG) =>
  noteOf(ORIGIN, { size, root }, [signer]);
const red = ({ verdicts }: Awaited<ReturnType<typeof verifyProof>>) =>
  verdicts.filter(({ ok }) => !ok).map(({ name }) => name);

const row = rows[5]!;
const { idem_key: _, request_hash: __, commit_size: ___, ...event } = row;
const { evidence: ____, ...anchor } = anchors[1]!;
const inclusion = (size: number) => ({ size, proof: inclusionLine(rows, row, size).proof });
const answer = {
  origin: ORIGIN,
  key: keyOf(LOG),
  event,
  checkpoint: note(7),
  inclusion: inclusion(7),
  tlog_proof: null,
  anchor: { ...anchor, firmness: "final", inclusion: inclusion(8) },
  pending: null,
};

test("a valid proof passes, whole or with some columns, signed or anchored", async () => {
  const { payload: _payload, meta: _meta, ...bare } = event;
  const { position, event_id, type, recorded_at_us, event_hash } = event;
  for (const one of [
    answer,
    { ...answer, event: bare },
    { ...answer, event: { position, event_id, type, recorded_at_us, event_hash } },
    { ...answer, anchor: null },
    { ...answer, checkpoint: null, inclusion: null },
  ])
    expect(red(await verifyProof(one))).toEqual([]);
  expect((await verifyProof(answer, vectors.options)).ok).toBe(true);
});

test.each<[string, object, string[]]>([
  ["payload", { event: { ...event, payload: "{}" } }, ["chain"]],
  ["type", { event: { ...event, type: "Other" } }, ["chain"]],
  ["position", { event: { ...event, position: 5 } }, ["tree"]],
  ["event_hash", { event: { ...event, event_hash: HASH } }, ["chain", "tree"]],
  ["checkpoint", { checkpoint: note(7, Buffer.from(HASH, "hex"), other) }, ["signature", "tree"]],
  ["inclusion", { inclusion: inclusion(8) }, ["tree"]],
  ["anchor's root", { anchor: { ...answer.anchor, root: HASH } }, ["anchor", "tree"]],
  [
    "nothing yet",
    { checkpoint: null, anchor: null, pending: { detail: "wait", retry_after_s: 5 } },
    ["format"],
  ],
])("a proof with another %s fails", async (_, change, names) => {
  expect(red(await verifyProof({ ...answer, ...change })).sort()).toEqual(names.sort());
});

test("a proof fails without the key's signature or the signer's anchor that the auditor named", async () => {
  const unsigned = { ...answer, checkpoint: null, inclusion: null };
  expect(red(await verifyProof(unsigned, { key: keyOf(LOG) }))).toEqual(["signature"]);
  expect(red(await verifyProof({ ...answer, anchor: null }, { signer: anchor.signer }))).toEqual(["anchor"]);
  expect(red(await verifyProof(answer, { key: keyOf(other) }))).toEqual(["signature"]);
});

describe("any answer gets a verdict", () => {
  test.each([
    null,
    1,
    {},
    { event: {} },
    { origin: 1, event: { position: -1 } },
    { anchor: {}, checkpoint: 7 },
  ])("%j", async (hostile) => {
    expect((await verifyProof(hostile)).ok).toBe(false);
  });
});
