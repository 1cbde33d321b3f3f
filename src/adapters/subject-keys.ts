/** Seals personal data and derives its keys; docs/event-log.md, section 10, is the normative text. */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto";
import { canonicalBytes } from "../../eventstore/canonical.ts";
import { lengthPrefixed } from "../../eventstore/hash.ts";
import { SealBroken } from "../core/model/ports/subjects.ts";
import {
  MOST_SEALED_BYTES,
  type Personal,
  type Sealed,
  type SealLocation,
  type SubjectName,
} from "../core/model/sealed.ts";

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
/** Sealed values are padded to a multiple of this, so that their length does not reveal a name's. */
const PADDED_TO = 64;

const digestOf = (tag: string, bytes: Uint8Array) => createHash("sha256").update(`${tag}\0`).update(bytes);

/** A key as settings and files have it: 64 hex digits. */
export const secretKey = (hex: string): Buffer | undefined =>
  /^[0-9a-f]{64}$/i.test(hex) ? Buffer.from(hex, "hex") : undefined;

/** The beginning of a master key's digest, which reveals nothing of the key. */
export const masterKeyId = (key: Uint8Array): string =>
  digestOf("TS/MASTER/1", key).digest("hex").slice(0, 16);

/** Distinguishes two peppers and reveals neither. */
export const pepperCheck = (pepper: Uint8Array): Buffer => digestOf("TS/PEPPER/1", pepper).digest();

/** The index of a subject. Without the pepper, nobody can test a name against the table. */
export const lookupOf = (pepper: Uint8Array, { tenant, kind, name }: SubjectName): Buffer =>
  createHmac("sha256", pepper)
    .update(lengthPrefixed(tenant))
    .update(lengthPrefixed(kind))
    .update(lengthPrefixed(name))
    .digest();

export const newSubject = () => ({
  subject_id: randomBytes(16).toString("hex"),
  key: randomBytes(KEY_BYTES),
});

/** A subject's key, encrypted by the master key for this subject alone: nonce, sealed key and tag concatenated. */
export function wrapKey(master: Uint8Array, subject_id: string, key: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, master, iv).setAAD(lengthPrefixed(subject_id));
  return Buffer.concat([iv, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
}

/** Throws for another subject's key or another master key. */
export function unwrapKey(master: Uint8Array, subject_id: string, wrapped: Buffer): Buffer {
  const decipher = createDecipheriv(CIPHER, master, wrapped.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(lengthPrefixed(subject_id)).setAuthTag(wrapped.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(wrapped.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
}

/** The associated data of a sealed value. */
function bindingOf(origin: string, place: SealLocation, seal_id: Buffer): Buffer {
  const { tenant, stream_id, type } = place;
  const length = Buffer.alloc(4);
  length.writeUInt32BE(seal_id.length);
  return Buffer.concat([...[origin, tenant, stream_id, type].map(lengthPrefixed), length, seal_id]);
}

/** Seals a value under a subject's key for one location of one log. Throws RangeError if it is too large. */
export function sealValue(
  { origin, place }: { origin: string; place: SealLocation },
  { subject_id, key }: { subject_id: string; key: Uint8Array },
  value: Personal,
): Sealed {
  const text = canonicalBytes(value as Parameters<typeof canonicalBytes>[0], "personal data");
  if (text.length > MOST_SEALED_BYTES)
    throw new RangeError(`personal data is at most ${MOST_SEALED_BYTES} bytes; this is ${text.length}`);
  const padded = Buffer.alloc(Math.ceil(text.length / PADDED_TO) * PADDED_TO, " ");
  text.copy(padded);
  const [seal_id, iv] = [randomBytes(16), randomBytes(IV_BYTES)];
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(bindingOf(origin, place, seal_id));
  const ct = Buffer.concat([cipher.update(padded), cipher.final()]);
  return {
    subject_id,
    seal_id: seal_id.toString("hex"),
    iv: iv.toString("base64url"),
    ct: ct.toString("base64url"),
    tag: cipher.getAuthTag().toString("base64url"),
  };
}

/** Opens a value sealed for this location. Throws SealBroken otherwise. */
export function openValue(
  { origin, place }: { origin: string; place: SealLocation },
  key: Uint8Array,
  { seal_id, iv, ct, tag }: Sealed,
): Personal {
  try {
    const decipher = createDecipheriv(CIPHER, key, Buffer.from(iv, "base64url"), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(bindingOf(origin, place, Buffer.from(seal_id, "hex")));
    decipher.setAuthTag(Buffer.from(tag, "base64url"));
    const text = Buffer.concat([decipher.update(Buffer.from(ct, "base64url")), decipher.final()]);
    return JSON.parse(text.toString()) as Personal;
  } catch (cause) {
    throw new SealBroken(
      `the sealed value in ${place.type} of ${place.stream_id} was sealed for another location, or was changed`,
      { cause },
    );
  }
}
