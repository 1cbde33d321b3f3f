/** Reads and writes an export's evidence lines (docs/event-log.md, section 7) strictly. */

import { z } from "zod";
import { address, hexBytes, sha256 } from "../core/model/fields.ts";

const count = z.int().nonnegative();
/** A consistency proof of 2^53 leaves climbs both edges and is no longer. */
const hashes = z.array(sha256).max(110);

/** Nodes of a Merkle-Patricia trie from the root down; a 32-byte key has 64 digits. */
const nodes = z.array(hexBytes).max(65);

/**
 * A head in the contract's storage, as eth_getProof shows it: `size` events with `root`, under the state root of
 * `header`.
 */
export const anchorFields = {
  size: count.min(1),
  root: sha256,
  /** Such as eip155:8453. */
  network: z.string().regex(/^eip155:[1-9]\d{0,15}$/),
  contract: address,
  signer: address,
  /** The signed transaction that wrote the head. */
  transaction: hexBytes,
  /** An RLP block header. */
  header: hexBytes,
  account_proof: nodes,
  root_proof: nodes,
  numbers_proof: nodes,
};

const shapes = {
  key: z.strictObject({ evidence: z.literal("key"), key: z.string().max(1_000) }),
  frontier: z.strictObject({ evidence: z.literal("frontier"), size: count, hashes }),
  checkpoint: z.strictObject({ evidence: z.literal("checkpoint"), note: z.string().max(100_000) }),
  anchor: z.strictObject({ evidence: z.literal("anchor"), ...anchorFields }),
  consistency: z.strictObject({
    evidence: z.literal("consistency"),
    first: count,
    second: count,
    proof: hashes,
  }),
  inclusion: z.strictObject({
    evidence: z.literal("inclusion"),
    version: count.min(1),
    position: count.min(1),
    size: count.min(1),
    proof: hashes,
  }),
};

const evidenceLine = z.discriminatedUnion("evidence", [
  shapes.key,
  shapes.frontier,
  shapes.checkpoint,
  shapes.anchor,
  shapes.consistency,
  shapes.inclusion,
]);

export type Evidence = z.infer<typeof evidenceLine>;
export type EvidenceKind = Evidence["evidence"];
export type EvidenceOf<Kind extends EvidenceKind> = Extract<Evidence, { evidence: Kind }>;

/** An anchor's evidence, in addition to its event. */
export type AnchorEvidence = EvidenceOf<"anchor">;

/** Reads a line, or returns why it is invalid. Its text must equal the serialization of its members in order. */
export function readEvidence(line: string): Evidence | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return "it is not JSON";
  }
  const kind = (value as { evidence?: unknown } | null)?.evidence;
  const read = evidenceLine.safeParse(value);
  if (!read.success) {
    const { path, message } = read.error.issues[0]!;
    const what = typeof kind === "string" ? `${kind.slice(0, 20)} evidence` : "evidence";
    return `${path.join(".") || "the line"} of the ${what}: ${message}`;
  }
  if (JSON.stringify(read.data) !== line) return "its members are not exactly the given ones in their order";
  return read.data;
}
