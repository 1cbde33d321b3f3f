/**
 * A passport as a Verifiable Credential (W3C VC Data Model 2.0), secured as a JWT (VC-JOSE-COSE, "vc+jwt": the payload is the
 * credential itself), and the lists that tell which are revoked or suspended (Bitstring Status List 1.0).
 */

import type { Signer } from "../../core/model/ports/signer.ts";
import { didOf as didOfUrl } from "../payments/receipt.ts";
import { type Agent, statusOf } from "./agent.ts";
import { namesElsewhere, subjectUrl } from "./card.ts";
import { sxId } from "./fields.ts";
import { didOf as didOfKey } from "./public-key.ts";

/** Bits of a list: the least that the text allows, so that the place of a credential in it hides in a crowd. */
export const LIST_BITS = 131_072;

/** Days that a credential is good, from the UTC day on which it is made. */
export const VALID_DAYS = 30;
const DAY_MS = 86_400_000;

export const statusPurposes = ["revocation", "suspension"] as const;
export type StatusPurpose = (typeof statusPurposes)[number];

/** What a purpose's bit means: agents of this status have it set. */
export const statusOfPurpose = { revocation: "revoked", suspension: "suspended" } as const;

/** Who signs: did:web where the service is reached by https, so that a reader can ask it for the key; else the key itself. */
export function issuerOf(public_url: string, { public_key, kid }: Pick<Signer, "public_key" | "kid">) {
  if (new URL(public_url).protocol === "https:") {
    const did = didOfUrl(public_url);
    return { did, key: `${did}#${kid}` };
  }
  const did = didOfKey({ kind: "ed25519", public: public_key.x });
  return { did, key: `${did}#${did.slice("did:key:".length)}` };
}

/** Names that are not of the data model itself are the issuer's own; the second context says so. */
const CONTEXT = [
  "https://www.w3.org/ns/credentials/v2",
  "https://www.w3.org/ns/credentials/undefined-terms/v2",
];

const seconds = (at: number) => new Date(at).toISOString().replace(".000Z", "Z");

type Made = { public_url: string; issuer: string; now: Date };

const listUrl = (public_url: string, purpose: StatusPurpose, list: number) =>
  `${public_url}/soul/credentials/status/${purpose}/${list}`;

/** The same bytes all day, unless the agent has changed. */
export function credentialOf(agent: Agent, { public_url, issuer, now }: Made): object {
  const { agent_id, sx_number, passport_hash, registered_at } = agent.facts;
  const id = subjectUrl(public_url, agent);
  const day = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  return {
    "@context": CONTEXT,
    id: `${id}/credential`,
    type: ["VerifiableCredential", "AgentPassport"],
    issuer,
    validFrom: seconds(day),
    validUntil: seconds(day + VALID_DAYS * DAY_MS),
    credentialSubject: {
      id,
      alsoKnownAs: namesElsewhere(agent),
      sx_id: sxId(sx_number),
      agent_id,
      passport_hash,
      issued_at: registered_at,
      proven: statusOf(agent) === "proven",
    },
    credentialStatus: statusPurposes.map((statusPurpose) => {
      const url = listUrl(public_url, statusPurpose, Math.floor(sx_number / LIST_BITS));
      const statusListIndex = String(sx_number % LIST_BITS);
      return {
        id: `${url}#${statusListIndex}`,
        type: "BitstringStatusListEntry",
        statusPurpose,
        statusListIndex,
        statusListCredential: url,
      };
    }),
  };
}

/** The bits of a list: the first is the leftmost of the first byte. */
export function statusBits(list: number, numbers: readonly number[]): Uint8Array {
  const bits = new Uint8Array(LIST_BITS / 8);
  for (const number of numbers) {
    const index = number - list * LIST_BITS;
    if (index >= 0 && index < LIST_BITS) bits[index >> 3]! |= 0x80 >> (index & 7);
  }
  return bits;
}

/** `compressed`: the bits, gzipped. */
export function statusListOf(
  { purpose, list, compressed }: { purpose: StatusPurpose; list: number; compressed: Uint8Array },
  { public_url, issuer, now }: Made,
): object {
  const id = listUrl(public_url, purpose, list);
  const minute = Math.floor(now.getTime() / 60_000) * 60_000;
  return {
    "@context": [CONTEXT[0]],
    id,
    type: ["VerifiableCredential", "BitstringStatusListCredential"],
    issuer,
    validFrom: seconds(minute),
    validUntil: seconds(minute + DAY_MS),
    credentialSubject: {
      id: `${id}#list`,
      type: "BitstringStatusList",
      statusPurpose: purpose,
      encodedList: `u${Buffer.from(compressed).toString("base64url")}`,
    },
  };
}

/** A credential as a compact JWS. The same payload and key give the same bytes. */
export function signCredential(payload: object, kid: string, { sign }: Pick<Signer, "sign">): string {
  const signed = `${encoded({ alg: "EdDSA", typ: "vc+jwt", kid })}.${encoded(payload)}`;
  return `${signed}.${Buffer.from(sign(Buffer.from(signed))).toString("base64url")}`;
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
