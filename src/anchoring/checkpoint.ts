/** Checkpoints (c2sp.org/tlog-checkpoint): the root of a log's first `size` leaves as a signed note. */
import type { Signer } from "../core/model/ports/signer.ts";
import { decodeBase64 } from "./base64.ts";
import {
  cosignText,
  formatNote,
  MalformedNote,
  type NoteSignature,
  openNote,
  parseNote,
  parseSignatureLine,
  signText,
  UnverifiedNote,
  type VerifierKey,
} from "./note.ts";
import { EMPTY_ROOT, HASH_BYTES, isCount } from "./tree.ts";

/** `root` has 32 bytes; `extensions` are further lines that only the log vouches for. */
export type Checkpoint = { origin: string; size: number; root: Buffer; extensions: string[] };

/** The signed text: origin, size, base64 root and extensions, each on a line. Throws MalformedNote. */
export function formatCheckpoint({ origin, size, root, extensions }: Checkpoint): string {
  const lines = [origin, String(size), root.toString("base64"), ...extensions];
  if (lines.some((line) => line.includes("\n")))
    throw new MalformedNote("a line of a checkpoint has no newline in it");
  const text = `${lines.join("\n")}\n`;
  parseCheckpoint(text);
  return text;
}

/** Throws MalformedNote. */
export function parseCheckpoint(text: string): Checkpoint {
  const checkpoint = parseTreeHead(text);
  if (checkpoint.size === 0 && !checkpoint.root.equals(EMPTY_ROOT))
    throw new MalformedNote("the checkpoint has a wrong root for the empty tree");
  return checkpoint;
}

/**
 * A checkpoint with any root, also at size 0, because witnesses answer such a root themselves. Throws
 * MalformedNote.
 */
export function parseTreeHead(text: string): Checkpoint {
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new MalformedNote("the checkpoint's last line does not end with a newline");
  const [origin, size = "", root = "", ...extensions] = lines;
  if (!origin) throw new MalformedNote("the checkpoint has no origin");
  const hash = decodeBase64(root);
  if (hash?.length !== HASH_BYTES)
    throw new MalformedNote(`the checkpoint's root is not base64 of ${HASH_BYTES} bytes`);
  if (extensions.includes("")) throw new MalformedNote("the checkpoint has an empty line");
  return { origin, size: parseCount(size, "the checkpoint's size"), root: hash, extensions };
}

/** A decimal integer without leading zeroes, up to 2^53 − 1. Throws MalformedNote, which begins with `what`. */
export function parseCount(text: string, what: string): number {
  if (!/^(0|[1-9]\d{0,15})$/.test(text) || !isCount(Number(text)))
    throw new MalformedNote(`${what} is not a whole number up to 2^53 - 1 without leading zeroes`);
  return Number(text);
}

/** The note that commits the log to a root. Its key's name is the origin. Throws MalformedNote. */
export function signCheckpoint(checkpoint: Checkpoint, signer: Signer): string {
  const text = formatCheckpoint(checkpoint);
  return formatNote({ text, signatures: [signText(text, checkpoint.origin, signer)] });
}

/** The keys that count: one of the log's signatures is required, witnesses' are optional. */
export type Trust = { log: VerifierKey | readonly VerifierKey[]; witnesses?: readonly VerifierKey[] };

/** `timestamp` in Unix seconds; `key_id` distinguishes keys of one name. */
export type Cosignature = { witness: string; key_id: string; timestamp: number };

export type VerifiedCheckpoint = Checkpoint & { cosignatures: Cosignature[] };

/** The checkpoint in a note of the log whose origin is its key's name. Throws MalformedNote and UnverifiedNote. */
export function openCheckpoint(note: string, { log, witnesses = [] }: Trust): VerifiedCheckpoint {
  const logs = [log].flat() as VerifierKey[];
  const { text, signatures } = openNote(note, [...logs, ...witnesses]);
  const checkpoint = parseCheckpoint(text);
  const other = logs.find(({ name }) => checkpoint.origin !== name);
  if (other)
    throw new UnverifiedNote(
      `the checkpoint is of the log ${JSON.stringify(checkpoint.origin)}, not of ${other.name}`,
    );
  if (!signatures.some(({ key }) => logs.includes(key)))
    throw new UnverifiedNote(
      `the log's key ${logs.map(({ name, id }) => `${name}+${id}`).join(" or ")} has not signed the checkpoint`,
    );
  const cosignatures = signatures.flatMap(({ key, timestamp }) =>
    timestamp === undefined || logs.includes(key) ? [] : [{ witness: key.name, key_id: key.id, timestamp }],
  );
  return { ...checkpoint, cosignatures };
}

/** The cosignature line, with its end, for a note whose checkpoint was checked. Throws MalformedNote. */
export function cosignCheckpoint(note: string, name: string, signer: Signer, timestamp: number): string {
  const { text } = parseNote(note);
  parseCheckpoint(text);
  const cosignature = cosignText(text, name, signer, timestamp);
  return formatNote({ text, signatures: [cosignature] }).slice(text.length + 1);
}

/**
 * Adds an answer's cosignatures by known witnesses to the note, replacing their earlier ones. Throws MalformedNote,
 * and UnverifiedNote if none is by a known witness or one is wrong.
 */
export function withCosignatures(note: string, answer: string, witnesses: readonly VerifierKey[]): string {
  const { text, signatures } = parseNote(note);
  const lines = answer.split("\n");
  if (lines.pop() !== "") throw new MalformedNote("the answer's last line does not end with a newline");
  const given = lines.map(parseSignatureLine);
  const twice = given.find((one, n) => given.findIndex((other) => isOfSameKey(one, other)) !== n);
  if (twice) throw new UnverifiedNote(`${twice.name}+${twice.key_id} answers twice`);
  const added = openNote(formatNote({ text, signatures: given }), witnesses).signatures;
  const isAdded = (one: NoteSignature) =>
    added.some(({ key: { name, id } }) => isOfSameKey(one, { name, key_id: id }));
  const kept = signatures.filter((signature) => !isAdded(signature));
  return formatNote({ text, signatures: [...kept, ...given.filter(isAdded)] });
}

const isOfSameKey = (one: Omit<NoteSignature, "bytes">, other: Omit<NoteSignature, "bytes">) =>
  one.name === other.name && one.key_id === other.key_id;
