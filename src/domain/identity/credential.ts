/**
 * A passport as a Verifiable Credential (W3C VC Data Model 2.0), secured as a JWT (VC-JOSE-COSE, "vc+jwt": the payload
 * is the credential itself), and the lists of revoked and suspended passports (Bitstring Status List 1.0).
 */

import type { Signer } from "../../core/model/ports/signer.ts";
import { didOf as didOfUrl } from "../payments/receipt.ts";
import { type Agent, statusOf } from "./agent.ts";
import { namesElsewhere, subjectUrl } from "./card.ts";
import { sxId } from "./fields.ts";
import { didOf as didOfKey } from "./public-key.ts";

/** Bits of a list: the minimum of the standard, so that a reader's query hides the passport among many. */
export const LIST_BITS = 131_072;

/** A credential is valid for this many days from its UTC day. */
export const VALID_DAYS = 30;
const DAY_MS = 86_400_000;

export const statusPurposes = ["revocation", "suspension"] as const;
export type StatusPurpose = (typeof statusPurposes)[number];

/** Agents with this status have the bit of the purpose set. */
export const statusOfPurpose = { revocation: "revoked", suspension: "suspended" } as const;

/** The issuer: did:web over https, where readers can fetch the key; otherwise the key itself. */
export function issuerOf(public_url: string, { public_key, kid }: Pick<Signer, "public_key" | "kid">) {
  if (new URL(public_url).protocol === "https:") {
    const did = didOfUrl(public_url);
    return { did, key: `${did}#${kid}` };
  }
  const did = didOfKey({ kind: "ed25519", public: public_key.x });
  return { did, key: `${did}#${did.slice("did:key:".length)}` };
}

/** The second context marks names beyond the data model as the issuer's own. */
const CONTEXT = [
  "https://www.w3.org/ns/credentials/v2",
  "https://www.w3.org/ns/credentials/undefined-terms/v2",
];

const seconds = (at: number) => new Date(at).toISOString().replace(".000Z", "Z");

type CredentialIssuer = { public_url: string; issuer: string; now: Date };

const listUrl = (public_url: string, purpose: StatusPurpose, list: number) =>
  `${public_url}/soul/credentials/status/${purpose}/${list}`;

/** The same bytes all day, unless the agent changes. */
export function credentialOf(agent: Agent, { public_url, issuer, now }: CredentialIssuer): object {
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

/** The first bit is the leftmost of the first byte. */
export function statusBits(list: number, numbers: readonly number[]): Uint8Array {
  const bits = new Uint8Array(LIST_BITS / 8);
  for (const number of numbers) {
    const index = number - list * LIST_BITS;
    if (index >= 0 && index < LIST_BITS) bits[index >> 3]! |= 0x80 >> (index & 7);
  }
  return bits;
}

/** `compressed`: the gzipped bits. */
export function statusListOf(
  { purpose, list, compressed }: { purpose: StatusPurpose; list: number; compressed: Uint8Array },
  { public_url, issuer, now }: CredentialIssuer,
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

/** A compact JWS; deterministic for a payload and key. */
export function signCredential(payload: object, kid: string, { sign }: Pick<Signer, "sign">): string {
  const signed = `${encoded({ alg: "EdDSA", typ: "vc+jwt", kid })}.${encoded(payload)}`;
  return `${signed}.${Buffer.from(sign(Buffer.from(signed))).toString("base64url")}`;
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
