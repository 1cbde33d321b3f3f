/**
 * An agent signs a challenge to prove a key. The service stores no challenge: the nonce is a MAC over all of its text,
 * so nobody can forge or alter one. Each is valid for one key, agent and purpose, for ten minutes.
 */
import { createHash, createHmac } from "node:crypto";
import { createSiweMessage, parseSiweMessage } from "viem/siwe";
import { getAddress } from "viem/utils";
import { z } from "zod";
import type { Hex } from "../../core/model/chain.ts";
import type { FieldError } from "../../core/model/refusal.ts";
import { lowerId } from "./fields.ts";
import { didOf, type PublicKey, publicKey } from "./public-key.ts";

export const CHALLENGE_SECONDS = 600;

/** Base; EIP-4361 requires a chain. */
const CHAIN_ID = 8453;

/**
 * verify: shows a verifier that the key is the agent's, and allows nothing; `about` is the verifier's own word. prove:
 * this key is the agent's; with `about`, so is the key of this kid. rotate: the key of this kid replaces the signing
 * key. revoke: the key of this kid, `passport`, a delegation, a link or an attestation. delegate, describe, attest: the
 * delegation, description or attestation of this SHA-256. link: the link of this name. award: `<bounty_id>.<claim_id>`.
 * judge: `<task_id>.accept`, or `.reject`, or `.reject.<SHA-256 of the reason>`.
 */
export const purposes = [
  "verify",
  "prove",
  "rotate",
  "revoke",
  "delegate",
  "describe",
  "link",
  "attest",
  "award",
  "judge",
] as const;
export type Purpose = (typeof purposes)[number];

/** A kid, a SHA-256, or a word. */
export const about = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,270}$/, "is a kid, a SHA-256 in hex, a link's name, or `passport`")
  .describe(
    "The challenge's subject. verify: the verifier's own word. prove, rotate: the new key's kid. revoke: a kid, `passport`, a delegation_id, a link or an attestation_id. delegate, describe, attest: their SHA-256. link: the link's name. award: <bounty_id>.<claim_id>. judge: <task_id>.accept, <task_id>.reject or <task_id>.reject.<SHA-256 of the reason>",
  );

export type ChallengeFields = {
  agent_id: string;
  key: PublicKey;
  purpose: Purpose;
  about: string | null;
  /** Unix seconds. */
  issued_at: number;
  /** 16 random hex digits: two challenges of one second both count. */
  salt: string;
};

const SALT = 16;

export type ChallengeUse = Pick<ChallengeFields, "agent_id" | "purpose" | "about">;

/** The service's address, and the secret of its nonces. */
export type Issuer = { public_url: string; secret: Uint8Array };

const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();

function nonceOf({ public_url, secret }: Issuer, challenge: ChallengeFields): string {
  const { agent_id, key, purpose, about, issued_at, salt } = challenge;
  const values = [public_url, lowerId(agent_id), key.kind, key.public, purpose, about, issued_at, salt];
  const mac = createHmac("sha256", secret)
    .update(`agent-challenge:${JSON.stringify(values)}`)
    .digest("hex");
  return salt + mac.slice(0, 32);
}

/** For an EVM key the message of EIP-4361; for Ed25519 the claims of a JWT, as JSON. */
export function challengeText(issuer: Issuer, challenge: ChallengeFields): string {
  return challenge.key.kind === "evm"
    ? siweText(issuer, challenge)
    : JSON.stringify(claimsOf(issuer, challenge));
}

function siweText(issuer: Issuer, challenge: ChallengeFields): string {
  const { agent_id, key, purpose, about, issued_at } = challenge;
  return createSiweMessage({
    domain: new URL(issuer.public_url).host,
    address: getAddress(key.public as Hex),
    statement: STATEMENTS[purpose],
    uri: issuer.public_url,
    version: "1",
    chainId: CHAIN_ID,
    nonce: nonceOf(issuer, challenge),
    issuedAt: new Date(issued_at * 1_000),
    expirationTime: new Date((issued_at + CHALLENGE_SECONDS) * 1_000),
    resources: [
      `urn:agent:${lowerId(agent_id)}`,
      `urn:purpose:${purpose}`,
      ...(about === null ? [] : [`urn:about:${about}`]),
    ],
  });
}

/** Wallets show this to their owner before signing. */
const STATEMENTS: Record<Purpose, string> = {
  verify: "This shows the verifier that this wallet speaks for the agent named below. It allows nothing.",
  prove: "This wallet speaks for the agent named below.",
  rotate: "Another key takes the place of this wallet.",
  revoke: "A key of the agent named below, or its passport, is revoked.",
  delegate: "Another agent may act for the agent named below.",
  describe: "The description of the agent named below is replaced.",
  link: "The agent named below is the same as one that is registered elsewhere.",
  attest: "The agent named below attests a skill of another.",
  award: "The agent named below awards a bounty.",
  judge: "The agent named below accepts or rejects the result of a task.",
};

const claimsOf = (issuer: Issuer, challenge: ChallengeFields) => ({
  iss: didOf(challenge.key),
  sub: lowerId(challenge.agent_id),
  aud: issuer.public_url,
  nonce: nonceOf(issuer, challenge),
  iat: challenge.issued_at,
  exp: challenge.issued_at + CHALLENGE_SECONDS,
  purpose: challenge.purpose,
  ...(challenge.about !== null && { about: challenge.about }),
});

/** A presented text, with its fields under the names of its form. */
export type ParsedChallenge = {
  form: "siwe" | "jwt";
  fields: Record<string, string | number | undefined>;
  agent: string | undefined;
  purpose: string | undefined;
  about: string | null;
  issued_at: number;
  expires_at: number;
  nonce: string | undefined;
  /** The key that the text names as its signer. */
  key: PublicKey | undefined;
  text: string;
};

const claims = z.strictObject({
  iss: z.string(),
  sub: z.string(),
  aud: z.string(),
  nonce: z.string(),
  iat: z.int(),
  exp: z.int(),
  purpose: z.string(),
  about: z.string().optional(),
});

/** Parses either form; undefined = neither. */
export function readChallenge(text: string): ParsedChallenge | undefined {
  return text.startsWith("{") ? readClaims(text) : readSiwe(text);
}

function readClaims(text: string): ParsedChallenge | undefined {
  const read = claims.safeParse(jsonOf(text));
  if (!read.success) return undefined;
  const { iss, sub, aud, nonce, iat, exp, purpose, about = null } = read.data;
  const key = publicKey.safeParse(iss);
  return {
    form: "jwt",
    fields: { iss, aud },
    agent: sub,
    purpose,
    about,
    issued_at: iat,
    expires_at: exp,
    nonce,
    key: key.success && key.data.kind === "ed25519" ? key.data : undefined,
    text,
  };
}

function readSiwe(text: string): ParsedChallenge | undefined {
  const { address, domain, uri, version, chainId, nonce, issuedAt, expirationTime, resources } =
    parseSiweMessage(text);
  if (!address || !issuedAt || !expirationTime) return undefined;
  const named = (prefix: string) => resources?.find((one) => one.startsWith(prefix))?.slice(prefix.length);
  const key = publicKey.safeParse(address);
  return {
    form: "siwe",
    fields: { domain, uri, version, chainId, address },
    agent: named("urn:agent:"),
    purpose: named("urn:purpose:"),
    about: named("urn:about:") ?? null,
    issued_at: issuedAt.getTime() / 1_000,
    expires_at: expirationTime.getTime() / 1_000,
    nonce,
    key: key.success && key.data.kind === "evm" ? key.data : undefined,
    text,
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type ChallengeCase = { parsed: ParsedChallenge; use: ChallengeUse; issuer: Issuer; now_s: number };

/** One reason to refuse a text: the field, and its required value. */
export type ChallengeCheck = { name: string; refuses(of: ChallengeCase): FieldError | undefined };

/** A clock may be this many seconds ahead of ours. */
const AHEAD_SECONDS = 5;

/** Requires a value of `field` in texts of this form. */
const isField = (
  form: ParsedChallenge["form"],
  field: string,
  expected: (issuer: Issuer) => string | number,
): ChallengeCheck => ({
  name: field,
  refuses: ({ parsed, issuer }) =>
    parsed.form === form && parsed.fields[field] !== expected(issuer)
      ? {
          path: `challenge.${field}`,
          message: `is ${JSON.stringify(expected(issuer))}, and no other value is accepted here`,
        }
      : undefined,
});

const fieldsOf = ({ parsed, use }: ChallengeCase): ChallengeFields => ({
  ...use,
  key: parsed.key!,
  issued_at: parsed.issued_at,
  salt: (parsed.nonce ?? "").slice(0, SALT),
});

/** In the order of reports; a test omits each in turn and requires a difference. */
export const challengeChecks: readonly ChallengeCheck[] = [
  isField("siwe", "domain", ({ public_url }) => new URL(public_url).host),
  isField("siwe", "uri", ({ public_url }) => public_url),
  isField("siwe", "version", () => "1"),
  isField("siwe", "chainId", () => CHAIN_ID),
  isField("jwt", "aud", ({ public_url }) => public_url),
  {
    name: "key",
    refuses: ({ parsed }) =>
      parsed.key
        ? undefined
        : {
            path: "challenge",
            message: "names no key that can sign it; use an address, or a did:key of Ed25519",
          },
  },
  {
    name: "agent",
    refuses: ({ parsed, use }) =>
      parsed.agent === lowerId(use.agent_id)
        ? undefined
        : { path: "challenge", message: `is about another agent than ${use.agent_id}` },
  },
  {
    name: "purpose",
    refuses: ({ parsed, use }) =>
      parsed.purpose === use.purpose
        ? undefined
        : { path: "challenge", message: `has another purpose than ${use.purpose}` },
  },
  {
    name: "about",
    refuses: ({ parsed, use }) =>
      parsed.about === use.about
        ? undefined
        : {
            path: "challenge",
            message: use.about === null ? "must have no subject" : `has another subject than ${use.about}`,
          },
  },
  {
    name: "early",
    refuses: ({ parsed, now_s }) =>
      parsed.issued_at <= now_s + AHEAD_SECONDS
        ? undefined
        : { path: "challenge", message: "was issued in the future" },
  },
  {
    name: "expired",
    refuses: ({ parsed, now_s }) =>
      now_s < parsed.expires_at && now_s < parsed.issued_at + CHALLENGE_SECONDS
        ? undefined
        : {
            path: "challenge",
            message: `has expired after ${CHALLENGE_SECONDS} seconds; get a new one`,
          },
  },
  {
    name: "nonce",
    refuses: (of) =>
      of.parsed.nonce === nonceOf(of.issuer, fieldsOf(of))
        ? undefined
        : {
            path: "challenge",
            message: "has a nonce that this service did not issue for this challenge; use soul_challenge",
          },
  },
  {
    name: "altered",
    refuses: (of) =>
      of.parsed.text === challengeText(of.issuer, fieldsOf(of))
        ? undefined
        : { path: "challenge", message: "was altered: sign the issued text, byte for byte" },
  },
];

/** The first fault; undefined = valid. */
export function faultOf(of: ChallengeCase, checks = challengeChecks): FieldError | undefined {
  for (const check of checks) {
    const fault = check.refuses(of);
    if (fault) return fault;
  }
  return undefined;
}

export const challengeDigest = (text: string) => createHash("sha256").update(text).digest("hex");

/** The end of a text's validity. */
export const endOf = ({ issued_at }: ChallengeFields) => iso(issued_at + CHALLENGE_SECONDS);
