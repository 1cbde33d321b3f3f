/**
 * Signed notes (c2sp.org/signed-note): a text, a blank line, and a line per signature. Three types are supported:
 * Ed25519 over the text, and the timestamped cosignatures by Ed25519 and ML-DSA-44 (c2sp.org/tlog-cosignature).
 */
import { createPublicKey, hash, verify } from "node:crypto";
import type { OkpKey, Signer } from "../core/model/ports/signer.ts";
import { isWeakKey } from "../standards/ed25519.ts";
import { ML_DSA_BYTES, type MlDsaKey, verifiesMlDsa } from "../standards/ml-dsa.ts";
import { decodeBase64 } from "./base64.ts";
import { subtreeMessage } from "./subtree-message.ts";

/** The text violates its specification's format. */
export class MalformedNote extends Error {
  override readonly name = "MalformedNote";
}

/** The note is well-formed but lacks a required signature. */
export class UnverifiedNote extends Error {
  override readonly name = "UnverifiedNote";
}

const TYPE_BYTES = { ed25519: 0x01, "cosignature/v1": 0x04, "ml-dsa-44": 0x06 } as const;

export type KeyType = keyof typeof TYPE_BYTES;

/** A key and its name. `id` is 8 hex digits and distinguishes keys of one name. */
export type VerifierKey = { name: string; type: KeyType; id: string; public_key: Buffer };

const ED25519_BYTES = { public_key: 32, signature: 64 };
const NAME = /^[^\s\p{Cc}+]+$/u;

/**
 * Throws MalformedNote for a name that is empty or has spaces or a plus, and for a key that is weak or of another
 * length than its type's.
 */
export function verifierKey(name: string, type: KeyType, key: OkpKey | Uint8Array): VerifierKey {
  const public_key = Buffer.from("x" in key ? Buffer.from(key.x, "base64url") : key);
  if (!isName(name)) throw new MalformedNote(`${JSON.stringify(name)} is not a key name: no spaces, no plus`);
  const bytes = type === "ml-dsa-44" ? ML_DSA_BYTES.public_key : ED25519_BYTES.public_key;
  if (public_key.length !== bytes)
    throw new MalformedNote(`the key of ${name} has ${public_key.length} bytes, not ${bytes}`);
  if (type !== "ml-dsa-44" && isWeakKey(public_key))
    throw new MalformedNote(`the key of ${name} is of small order or misspelt: anybody could sign under it`);
  const named = Buffer.concat([Buffer.from(`${name}\n`), typedKey(type, public_key)]);
  return { name, type, id: hash("sha256", named, "buffer").subarray(0, 4).toString("hex"), public_key };
}

const isName = (name: string) => NAME.test(name) && name.isWellFormed();

const typedKey = (type: KeyType, public_key: Uint8Array) =>
  Buffer.concat([Buffer.of(TYPE_BYTES[type]), public_key]);

/** name+id+base64(type ‖ key). */
export const formatVerifierKey = ({ name, type, id, public_key }: VerifierKey): string =>
  `${name}+${id}+${typedKey(type, public_key).toString("base64")}`;

/** Throws MalformedNote, also for an id that is not the key's. */
export function parseVerifierKey(text: string): VerifierKey {
  const [, name, id, base64] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/s.exec(text) ?? [];
  const bytes = decodeBase64(base64 ?? "");
  if (name === undefined || !bytes?.length)
    throw new MalformedNote(`${JSON.stringify(text)} is not a verifier key: name+8 hex digits+base64`);
  const type = (Object.keys(TYPE_BYTES) as KeyType[]).find((known) => TYPE_BYTES[known] === bytes[0]);
  if (!type) throw new MalformedNote(`the key of ${name} has type ${bytes[0]}, not 1, 4 or 6`);
  const key = verifierKey(name, type, bytes.subarray(1));
  if (key.id !== id) throw new MalformedNote(`the id of this key of ${name} is ${key.id}, not ${id}`);
  return key;
}

/** `bytes` are the signature as its type defines it. */
export type NoteSignature = { name: string; key_id: string; bytes: Buffer };

/** `text` ends with a newline. */
export type Note = { text: string; signatures: NoteSignature[] };

/** Only the length is limited, because a log may have more than a hundred witnesses. */
const NOTE_LENGTH = 1_000_000;

/** Parses a note without verifying it. Throws MalformedNote. */
export function parseNote(note: string): Note {
  if (note.length > NOTE_LENGTH) throw new MalformedNote(`a note has at most ${NOTE_LENGTH} characters`);
  checkCharacters(note);
  const blank = note.lastIndexOf("\n\n");
  if (blank < 0) throw new MalformedNote("no blank line separates the text from the signatures");
  const lines = note.slice(blank + 2).split("\n");
  if (lines.pop() !== "") throw new MalformedNote("the last line does not end with a newline");
  if (lines.length === 0) throw new MalformedNote("there is no signature");
  return { text: note.slice(0, blank + 1), signatures: lines.map(parseSignatureLine) };
}

export const formatNote = ({ text, signatures }: Note): string =>
  `${text}\n${signatures.map(formatSignatureLine).join("")}`;

function checkCharacters(text: string): void {
  if (!text.isWellFormed()) throw new MalformedNote("the text is not Unicode: it has a lone surrogate");
  for (const character of text)
    if (character < " " && character !== "\n")
      throw new MalformedNote("there is a control character other than newline");
}

/** One line, without its end. Throws MalformedNote. */
export function parseSignatureLine(line: string): NoteSignature {
  const [dash, name, base64, ...more] = line.split(" ");
  if (dash !== "—" || name === undefined || base64 === undefined || more.length > 0 || !isName(name))
    throw new MalformedNote(`${JSON.stringify(line)} is not a signature: — name base64`);
  const bytes = decodeBase64(base64);
  if (!bytes || bytes.length <= 4)
    throw new MalformedNote(`the signature of ${name} is not base64 of a key id and a signature`);
  return { name, key_id: bytes.subarray(0, 4).toString("hex"), bytes: bytes.subarray(4) };
}

/** One line, with its end. */
export function formatSignatureLine({ name, key_id, bytes }: NoteSignature): string {
  const base64 = Buffer.concat([Buffer.from(key_id, "hex"), bytes]).toString("base64");
  return `— ${name} ${base64}\n`;
}

/** The text must end with a newline. Throws MalformedNote. */
export function signText(text: string, name: string, signer: Signer): NoteSignature {
  checkText(text);
  const { id } = verifierKey(name, "ed25519", signer.public_key);
  return { name, key_id: id, bytes: Buffer.from(signer.sign(Buffer.from(text))) };
}

/**
 * A witness's signature at a Unix time in seconds. It states that the witness saw no larger tree and no other root
 * of the log.
 */
export function cosignText(text: string, name: string, signer: Signer, timestamp: number): NoteSignature {
  checkText(text);
  const time = timeBytes(timestamp);
  const { id } = verifierKey(name, "cosignature/v1", signer.public_key);
  return { name, key_id: id, bytes: Buffer.concat([time, signer.sign(cosigned(text, timestamp))]) };
}

/** The same statement under ML-DSA-44, of a witness or of the log itself. The text must be a checkpoint. */
export function mlDsaSign(text: string, name: string, key: MlDsaKey, timestamp: number): NoteSignature {
  checkText(text);
  const time = timeBytes(timestamp);
  const { id } = verifierKey(name, "ml-dsa-44", key.public_key);
  const message = subtreeMessage(name, BigInt(timestamp), text);
  if (!message) throw new MalformedNote(`${name} signs only checkpoints, with names up to 255 bytes`);
  return { name, key_id: id, bytes: Buffer.concat([time, key.sign(message)]) };
}

function timeBytes(timestamp: number): Buffer {
  if (!Number.isSafeInteger(timestamp) || timestamp < 0)
    throw new RangeError(`${timestamp} is not a time in whole seconds`);
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(timestamp));
  return time;
}

const cosigned = (text: string, timestamp: number | bigint) =>
  Buffer.from(`cosignature/v1\ntime ${timestamp}\n${text}`);

function checkText(text: string): void {
  checkCharacters(text);
  if (!text.endsWith("\n")) throw new MalformedNote("a note's text ends with a newline");
}

/** `timestamp`: a cosignature's, in Unix seconds. */
export type VerifiedSignature = { key: VerifierKey; timestamp?: number };

export type VerifiedNote = { text: string; signatures: VerifiedSignature[] };

/**
 * The text and its known signers, each once. Signatures of unknown keys are ignored, even under a known name.
 * Throws MalformedNote, and UnverifiedNote if a known key's signature is wrong or none exists.
 */
export function openNote(note: string, keys: readonly VerifierKey[]): VerifiedNote {
  const { text, signatures } = parseNote(note);
  const verified = signatures.flatMap((signature): VerifiedSignature[] => {
    const key = keys.find(({ name, id }) => name === signature.name && id === signature.key_id);
    return key ? [verifySignature(text, signature, key)] : [];
  });
  if (verified.length === 0) throw new UnverifiedNote("no known key signed the note");
  const isFirst = ({ key }: VerifiedSignature, n: number) =>
    verified.findIndex((other) => other.key === key) === n;
  return { text, signatures: verified.filter(isFirst) };
}

function verifySignature(text: string, { bytes }: NoteSignature, key: VerifierKey): VerifiedSignature {
  const wrong = new UnverifiedNote(`the signature of ${key.name}+${key.id} is wrong`);
  if (key.type === "ed25519") {
    if (!verifies(Buffer.from(text), key, bytes)) throw wrong;
    return { key };
  }
  const length = key.type === "ml-dsa-44" ? ML_DSA_BYTES.signature : ED25519_BYTES.signature;
  if (bytes.length !== 8 + length) throw wrong;
  const timestamp = bytes.readBigUInt64BE(0);
  if (timestamp > Number.MAX_SAFE_INTEGER || !verifiesTimed(text, timestamp, key, bytes.subarray(8)))
    throw wrong;
  return { key, timestamp: Number(timestamp) };
}

function verifiesTimed(text: string, timestamp: bigint, key: VerifierKey, signature: Uint8Array): boolean {
  if (key.type !== "ml-dsa-44") return verifies(cosigned(text, timestamp), key, signature);
  const message = subtreeMessage(key.name, timestamp, text);
  return message !== undefined && verifiesMlDsa(key.public_key, message, signature);
}

function verifies(message: Uint8Array, { public_key }: VerifierKey, signature: Uint8Array): boolean {
  const jwk: OkpKey = { kty: "OKP", crv: "Ed25519", x: public_key.toString("base64url") };
  return verify(null, message, createPublicKey({ key: jwk, format: "jwk" }), signature);
}
