/**
 * Text formats of proofs: that an event is in a log (c2sp.org/tlog-proof), and a log's submission to a witness
 * (tlog-witness).
 */
import { hash as digest } from "node:crypto";
import { decodeBase64 } from "./base64.ts";
import { openCheckpoint, parseCount, type Trust, type VerifiedCheckpoint } from "./checkpoint.ts";
import { MalformedNote } from "./note.ts";
import { inclusionFault } from "./proofs.ts";
import { HASH_BYTES, leafHash } from "./tree.ts";

const FIRST_LINE = "c2sp.org/tlog-proof@v1";

/** No tree of 2^63 leaves needs more hashes. */
const HASHES = 63;

/** `checkpoint` is a signed note; `extra` is the application's and unverified. */
export type TlogProof = { index: number; proof: Buffer[]; checkpoint: string; extra?: Buffer };

export function formatTlogProof({ index, proof, checkpoint, extra }: TlogProof): string {
  const extraLine = extra?.length ? [`extra ${extra.toString("base64")}`] : [];
  return formatAbove([FIRST_LINE, ...extraLine, `index ${index}`], proof, checkpoint);
}

/** Parses a proof without verifying it. Throws MalformedNote. */
export function parseTlogProof(text: string): TlogProof {
  const { lines, checkpoint } = parseHead(text);
  if (lines.shift() !== FIRST_LINE) throw new MalformedNote(`the first line is not ${FIRST_LINE}`);
  let extra: Buffer | undefined;
  if (lines[0]?.startsWith("extra ")) {
    extra = decodeBase64(lines.shift()!.slice("extra ".length));
    if (!extra?.length) throw new MalformedNote("the extra data is not base64");
  }
  const index = parseCount(afterWord("index ", lines.shift()), "the index");
  return { index, proof: lines.map(parseHash), checkpoint, ...(extra && { extra }) };
}

/** The proof does not show its claim. */
export class ProofError extends Error {
  override readonly name = "ProofError";
}

/** The checkpoint that covers the event, at position `index` + 1. Throws MalformedNote, UnverifiedNote, ProofError. */
export function openTlogProof(
  text: string,
  event_hash: Uint8Array,
  trust: Trust,
): VerifiedCheckpoint & { index: number } {
  const { index, proof, checkpoint: note } = parseTlogProof(text);
  const checkpoint = openCheckpoint(note, trust);
  const { size, root } = checkpoint;
  const fault = inclusionFault({ index, size, leaf: leafHash(event_hash), root, proof });
  if (fault) throw new ProofError(fault);
  return { ...checkpoint, index };
}

/**
 * The body of a witness's add-checkpoint: the last cosigned size (0: none), and the proof from there to
 * `checkpoint`.
 */
export type AddCheckpoint = { old_size: number; proof: Buffer[]; checkpoint: string };

export const formatAddCheckpoint = ({ old_size, proof, checkpoint }: AddCheckpoint): string =>
  formatAbove([`old ${old_size}`], proof, checkpoint);

/** Throws MalformedNote. */
export function parseAddCheckpoint(text: string): AddCheckpoint {
  const { lines, checkpoint } = parseHead(text);
  const old_size = parseCount(afterWord("old ", lines.shift()), "the old size");
  if (lines.length > HASHES) throw new MalformedNote(`a proof has at most ${HASHES} hashes`);
  return { old_size, proof: lines.map(parseHash), checkpoint };
}

/** A log's name in its checkpoint address at a witness. */
export const originHash = (origin: string): string => digest("sha256", origin, "hex");

const formatAbove = (lines: string[], proof: readonly Buffer[], checkpoint: string) =>
  [...lines, ...proof.map((hash) => hash.toString("base64")), "", checkpoint].join("\n");

/** The text above and below the first blank line. */
function parseHead(text: string): { lines: string[]; checkpoint: string } {
  const blank = text.indexOf("\n\n");
  if (blank < 0) throw new MalformedNote("no blank line separates the proof from the checkpoint");
  const lines = text.slice(0, blank).split("\n");
  if (lines.length > 3 + HASHES) throw new MalformedNote(`a proof has at most ${HASHES} hashes`);
  return { lines, checkpoint: text.slice(blank + 2) };
}

function afterWord(word: string, line = ""): string {
  if (!line.startsWith(word)) throw new MalformedNote(`there is no line beginning with "${word}"`);
  return line.slice(word.length);
}

function parseHash(line: string, n: number): Buffer {
  const hash = decodeBase64(line);
  if (hash?.length !== HASH_BYTES)
    throw new MalformedNote(`hash ${n + 1} of the proof is not base64 of ${HASH_BYTES} bytes`);
  return hash;
}
