/** The second verifier refuses each forgery of the evidence in the right place, with the reason. */
import { expect, test } from "vitest";
import { verifyPack } from "../../src/explorer/verifier.js";
import { exportLines, rehash, sha256 } from "../eventstore/log-builder.ts";
import { log, ORIGIN } from "../eventstore/tampering.ts";
import {
  type AnchorLine,
  type EvidenceLine,
  inclusionLine,
  keyOf,
  noteOf,
  type Pack,
  packOf,
  textOf,
  treeOf,
} from "./pack-builder.ts";
import { type Options, reasons, red } from "./second-verdicts.ts";
import { LOG, planOf, recordedAnchors, WITNESS } from "./vectors.ts";

const anchors = recordedAnchors();
const HASH = sha256("another").toString("hex");

type Forgery = {
  name: string;
  fails: Record<string, number>;
  says: RegExp;
  change: (pack: Pack) => void;
  plan?: Partial<Parameters<typeof packOf>[0]>;
  options?: Options;
};

const find = <Kind extends EvidenceLine["evidence"]>(pack: Pack, kind: Kind, at = 0) =>
  pack.evidence.filter((line): line is Extract<EvidenceLine, { evidence: Kind }> => line.evidence === kind)[
    at
  ]!;
const rows = log();
const tree = treeOf(rows);
const note = (size: number, root: Uint8Array = tree.root(size), origin = ORIGIN, signer = LOG) =>
  noteOf(origin, { size, root }, [signer]);
const other = { ...LOG, signer: WITNESS.signer };
const anchorMember = (
  name: keyof AnchorLine,
  value: AnchorLine[keyof AnchorLine],
  says: RegExp,
  more: Record<string, number> = {},
): Forgery => ({
  name: `the ${name} of an anchor`,
  fails: { anchor: name === "size" ? (value as number) : 4, ...more },
  says,
  change: (pack) => void Object.assign(find(pack, "anchor"), { [name]: value }),
});
const first = anchors[0]!;
const second = anchors[1]!;

const forgeries: Forgery[] = [
  anchorMember("size", 5, /(call|size|root|length) is /, { tree: 5 }),
  anchorMember("root", HASH, /(call|size|root|length) is /, { tree: 4 }),
  anchorMember("network", "eip155:1", /(network|contract) is /),
  anchorMember("contract", `0x${"11".repeat(20)}`, /state proof/),
  anchorMember("signer", `0x${"11".repeat(20)}`, /state proof/),
  anchorMember("transaction", second.transaction, /(call|size|root|length) is /),
  anchorMember("header", second.header, /state proof/),
  anchorMember("account_proof", second.account_proof, /state proof/),
  anchorMember("account_proof", first.account_proof.slice(0, -1), /state proof/),
  anchorMember("account_proof", [...first.account_proof, "0xc0"], /state proof/),
  anchorMember("root_proof", second.root_proof, /state proof/),
  anchorMember("numbers_proof", first.root_proof, /state proof/),
  anchorMember("root_proof", [], /state proof/),
  {
    name: "a checkpoint by another key",
    fails: { signature: 4 },
    says: /it is not signed by/,
    change: (pack) =>
      void Object.assign(find(pack, "checkpoint"), { note: note(4, tree.root(4), ORIGIN, other) }),
  },
  {
    name: "a signature on another text",
    fails: { signature: 5, tree: 5 },
    says: /signature is wrong/,
    change: (pack) => {
      const line = find(pack, "checkpoint");
      line.note = line.note.replace("\n4\n", "\n5\n");
    },
  },
  {
    name: "a checkpoint of another log",
    fails: { signature: 0 },
    says: /no checkpoint of/,
    change: (pack) =>
      void Object.assign(find(pack, "checkpoint"), {
        note: note(4, tree.root(4), "x/y/z", { ...LOG, name: "x/y/z" }),
      }),
  },
  {
    name: "a note that is none",
    fails: { signature: 0 },
    says: /no checkpoint/,
    change: (pack) => void Object.assign(find(pack, "checkpoint"), { note: "x" }),
  },
  {
    name: "a fork: two signed roots of one size",
    fails: { tree: 7 },
    says: /root of size 7/,
    change: (pack) =>
      pack.evidence.splice(2, 0, { evidence: "checkpoint", note: note(7, Buffer.from(HASH, "hex")) }),
  },
  {
    name: "a history rewritten behind its checkpoints",
    fails: { tree: 4 },
    says: /size 4/,
    change: (pack) => {
      const changed = log();
      changed[1]!.payload = "{}";
      const lines = exportLines(ORIGIN, rehash(ORIGIN, changed));
      Object.assign(pack, { end: lines.at(-1), events: lines.slice(1, -1).map((line) => ({ line })) });
    },
  },
  {
    name: "the end cut off behind a checkpoint",
    fails: { tree: 8 },
    says: /joined to nothing/,
    change: (pack) => {
      const lines = exportLines(ORIGIN, log().slice(0, 7));
      Object.assign(pack, { end: lines.at(-1), events: lines.slice(1, -1).map((line) => ({ line })) });
    },
  },
  {
    name: "a consistency line that joins nothing known",
    fails: { tree: 12 },
    says: /too short/,
    change: (pack) => void pack.evidence.push({ evidence: "consistency", first: 10, second: 12, proof: [] }),
  },
  {
    name: "a forged frontier",
    plan: { first: 7 },
    fails: { tree: 4 },
    says: /root|extend|joined/,
    change: (pack) => void (find(pack, "frontier").hashes[1] = HASH),
  },
  {
    name: "a frontier of another size",
    plan: { first: 7 },
    fails: { tree: 4 },
    says: /frontier|joined/,
    change: (pack) => void (find(pack, "frontier").size = 5),
  },
  {
    name: "a consistency proof of other hashes",
    plan: { first: 7 },
    fails: { tree: 4 },
    says: /joined to nothing/,
    change: (pack) => void (find(pack, "consistency").proof[0] = HASH),
  },
  {
    name: "a stream's inclusion in another leaf",
    plan: { stream: { tenant: "acme", stream_id: "order" } },
    fails: { tree: 2 },
    says: /does not lead/,
    change: (pack) => void (pack.events[1]!.inclusion!.position = 3),
  },
  {
    name: "a stream's inclusion beyond the tree",
    plan: { stream: { tenant: "acme", stream_id: "order" } },
    fails: { tree: 2 },
    says: /does not lead from 5/,
    change: (pack) => void (pack.events[1]!.inclusion!.position = 5),
  },
  {
    name: "a stream's inclusion, padded",
    plan: { stream: { tenant: "acme", stream_id: "order" } },
    fails: { tree: 2 },
    says: /does not lead/,
    change: (pack) => void pack.events[1]!.inclusion!.proof.push(HASH),
  },
  {
    name: "a stream's tree heads that nothing joins",
    plan: { stream: { tenant: "acme", stream_id: "order" } },
    fails: { tree: 4 },
    says: /joined to nothing/,
    change: (pack) => void pack.evidence.splice(pack.evidence.indexOf(find(pack, "consistency")), 1),
  },
  {
    name: "an inclusion line before its event",
    plan: { stream: { tenant: "acme", stream_id: "order" } },
    fails: { format: 2 },
    says: /elsewhere than after its event/,
    change: (pack) => void (pack.events[0]!.inclusion = inclusionLine(rows, rows[3]!, 4)),
  },
  {
    name: "evidence out of order",
    fails: { format: 1 },
    says: /stands too late/,
    change: (pack) => void pack.evidence.push(pack.evidence.shift()!),
    options: { key: keyOf(LOG) },
  },
  {
    name: "an anchor the auditor did not mean",
    fails: { anchor: 4 },
    says: /signer is/,
    change: () => {},
    options: { signer: `0x${"11".repeat(20)}` },
  },
  {
    name: "another key than the pack's",
    fails: { signature: 4 },
    says: /not signed by/,
    change: () => {},
    options: { key: keyOf(other) },
  },
  {
    name: "a later checkpoint in the auditor's hand",
    fails: { completeness: 10 },
    says: /cut|not met/,
    change: () => {},
    options: { checkpoints: [note(12, Buffer.from(HASH, "hex"))] },
  },
  {
    name: "no checkpoint, though a key is given",
    fails: { signature: 0 },
    says: /no checkpoint/,
    change: (pack) => void (pack.evidence = []),
    options: { key: keyOf(LOG) },
  },
  {
    name: "no anchor, though a contract is named",
    fails: { anchor: 0 },
    says: /no anchor/,
    change: (pack) => void (pack.evidence = []),
    options: { contract: first.contract },
  },
];

test.each(forgeries)("forged: $name", async ({ plan, change, options, fails, says }) => {
  const pack = packOf({ ...planOf(structuredClone(anchors)), ...plan });
  change(pack);
  const report = await verifyPack(textOf(pack), options);
  expect(red(report.verdicts)).toEqual(fails);
  expect(reasons(report.verdicts)).toMatch(says);
});
