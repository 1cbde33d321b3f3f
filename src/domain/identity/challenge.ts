/**
 * What an agent signs to show that a key is its own. The service keeps nothing of a text that it hands out: the nonce is a MAC over all
 * that the text says, so none can be made up or altered, and each is good for one key, agent and purpose, for ten minutes.
 */
import { createHash, createHmac } from "node:crypto";
import { createSiweMessage, parseSiweMessage } from "viem/siwe";
import { getAddress } from "viem/utils";
import { z } from "zod";
import type { Hex } from "../../core/model/chain.ts";
import type { FieldError } from "../../core/model/refusal.ts";
import { lowerId } from "./fields.ts";
import { didOf, type PublicKey, publicKey } from "./public-key.ts";

/** Seconds that a text is good. */
export const CHALLENGE_SECONDS = 600;

/** Base, which EIP-4361 wants named. */
export const CHAIN_ID = 8453;

/**
 * verify: whoever asks is shown that this key is the agent's, which allows nothing; `about` is the asker's own word. prove: this key is
 * the agent's; with `about`, that the key of this kid is too. rotate: the key of this kid takes the place of the one that signs. revoke: the key of this kid, `passport`, a delegation or a link. delegate and describe: the delegation or description of
 * this SHA-256. link: what the agent is called elsewhere.
 */
export const purposes = ["verify", "prove", "rotate", "revoke", "delegate", "describe", "link"] as const;
export type Purpose = (typeof purposes)[number];

/** What a text is about: a kid, a SHA-256, or a word. */
export const about = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,270}$/, "is a kid, a SHA-256 in hex, a link's name, or `passport`")
  .describe(
    "What it is about: with verify a word of whoever verifies, with prove and rotate the new key's kid, with revoke a kid, `passport`, a delegation_id or a link, with delegate and describe their SHA-256, with link what is linked",
  );

/** What a text says. */
export type Saying = {
  agent_id: string;
  key: PublicKey;
  purpose: Purpose;
  about: string | null;
  /** Seconds of Unix time. */
  issued_at: number;
  /** 16 random hex digits: of two texts that were asked for in one second, each counts. */
  salt: string;
};

const SALT = 16;

export type Asked = Pick<Saying, "agent_id" | "purpose" | "about">;

/** Whose text it is: the service's address, and the secret that its nonces are made with. */
export type Issuer = { public_url: string; secret: Uint8Array };

const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();

function nonceOf({ public_url, secret }: Issuer, saying: Saying): string {
  const { agent_id, key, purpose, about, issued_at, salt } = saying;
  const said = [public_url, lowerId(agent_id), key.kind, key.public, purpose, about, issued_at, salt];
  const mac = createHmac("sha256", secret)
    .update(`agent-challenge:${JSON.stringify(said)}`)
    .digest("hex");
  return salt + mac.slice(0, 32);
}

/** The text to sign: for an EVM key the message of EIP-4361, for Ed25519 the claims of a JWT, as JSON. */
export function challengeText(issuer: Issuer, saying: Saying): string {
  return saying.key.kind === "evm" ? siweText(issuer, saying) : JSON.stringify(claimsOf(issuer, saying));
}

function siweText(issuer: Issuer, saying: Saying): string {
  const { agent_id, key, purpose, about, issued_at } = saying;
  return createSiweMessage({
    domain: new URL(issuer.public_url).host,
    address: getAddress(key.public as Hex),
    statement: STATEMENTS[purpose],
    uri: issuer.public_url,
    version: "1",
    chainId: CHAIN_ID,
    nonce: nonceOf(issuer, saying),
    issuedAt: new Date(issued_at * 1_000),
    expirationTime: new Date((issued_at + CHALLENGE_SECONDS) * 1_000),
    resources: [
      `urn:agent:${lowerId(agent_id)}`,
      `urn:purpose:${purpose}`,
      ...(about === null ? [] : [`urn:about:${about}`]),
    ],
  });
}

/** What a wallet shows to whoever is asked to sign. */
const STATEMENTS: Record<Purpose, string> = {
  verify: "Whoever asked is shown that this wallet speaks for the agent named below. It allows nothing.",
  prove: "This wallet speaks for the agent named below.",
  rotate: "Another key takes the place of this wallet.",
  revoke: "A key of the agent named below, or its passport, is revoked.",
  delegate: "Another agent may act for the agent named below.",
  describe: "The agent named below is described anew.",
  link: "The agent named below is the same as one that is registered elsewhere.",
};

const claimsOf = (issuer: Issuer, saying: Saying) => ({
  iss: didOf(saying.key),
  sub: lowerId(saying.agent_id),
  aud: issuer.public_url,
  nonce: nonceOf(issuer, saying),
  iat: saying.issued_at,
  exp: saying.issued_at + CHALLENGE_SECONDS,
  purpose: saying.purpose,
  ...(saying.about !== null && { about: saying.about }),
});

/** What was presented for one: the fields of the text by the names that its form has for them. */
export type Told = {
  form: "siwe" | "jwt";
  fields: Record<string, string | number | undefined>;
  agent: string | undefined;
  purpose: string | undefined;
  about: string | null;
  issued_at: number;
  expires_at: number;
  nonce: string | undefined;
  /** The key that is said to sign. */
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

/** Reads a text in either form; undefined where it is in neither. */
export function readChallenge(text: string): Told | undefined {
  return text.startsWith("{") ? readClaims(text) : readSiwe(text);
}

function readClaims(text: string): Told | undefined {
  const read = claims.safeParse(parsed(text));
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

function readSiwe(text: string): Told | undefined {
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Judged = { told: Told; asked: Asked; issuer: Issuer; now_s: number };

/** One reason to refuse a text: which field, and what it should be. */
export type ChallengeCheck = { name: string; refuses(of: Judged): FieldError | undefined };

/** Seconds that a clock may be ahead of ours. */
const AHEAD_SECONDS = 5;

/** `field` of the form at hand is to be this; the other form has none of that name. */
const isField = (
  form: Told["form"],
  field: string,
  wanted: (issuer: Issuer) => string | number,
): ChallengeCheck => ({
  name: field,
  refuses: ({ told, issuer }) =>
    told.form === form && told.fields[field] !== wanted(issuer)
      ? {
          path: `challenge.${field}`,
          message: `is ${JSON.stringify(wanted(issuer))}, and nothing else is taken here`,
        }
      : undefined,
});

const sayingOf = ({ told, asked }: Judged): Saying => ({
  ...asked,
  key: told.key!,
  issued_at: told.issued_at,
  salt: (told.nonce ?? "").slice(0, SALT),
});

/** In the order in which they are told; a test leaves each out and must see the difference. */
export const challengeChecks: readonly ChallengeCheck[] = [
  isField("siwe", "domain", ({ public_url }) => new URL(public_url).host),
  isField("siwe", "uri", ({ public_url }) => public_url),
  isField("siwe", "version", () => "1"),
  isField("siwe", "chainId", () => CHAIN_ID),
  isField("jwt", "aud", ({ public_url }) => public_url),
  {
    name: "key",
    refuses: ({ told }) =>
      told.key
        ? undefined
        : {
            path: "challenge",
            message: "names no key that can sign it: an address, or a did:key of Ed25519",
          },
  },
  {
    name: "agent",
    refuses: ({ told, asked }) =>
      told.agent === lowerId(asked.agent_id)
        ? undefined
        : { path: "challenge", message: `is about another agent than ${asked.agent_id}` },
  },
  {
    name: "purpose",
    refuses: ({ told, asked }) =>
      told.purpose === asked.purpose
        ? undefined
        : { path: "challenge", message: `has another purpose than ${asked.purpose}` },
  },
  {
    name: "about",
    refuses: ({ told, asked }) =>
      told.about === asked.about
        ? undefined
        : {
            path: "challenge",
            message:
              asked.about === null ? "is about something, and must not be" : `is not about ${asked.about}`,
          },
  },
  {
    name: "early",
    refuses: ({ told, now_s }) =>
      told.issued_at <= now_s + AHEAD_SECONDS
        ? undefined
        : { path: "challenge", message: "was issued in the future" },
  },
  {
    name: "expired",
    refuses: ({ told, now_s }) =>
      now_s < told.expires_at && now_s < told.issued_at + CHALLENGE_SECONDS
        ? undefined
        : {
            path: "challenge",
            message: `is over: it is good for ${CHALLENGE_SECONDS} seconds; ask for another`,
          },
  },
  {
    name: "nonce",
    refuses: (of) =>
      of.told.nonce === nonceOf(of.issuer, sayingOf(of))
        ? undefined
        : {
            path: "challenge",
            message: "has a nonce that this service did not give for it; ask soul_challenge",
          },
  },
  {
    name: "altered",
    refuses: (of) =>
      of.told.text === challengeText(of.issuer, sayingOf(of))
        ? undefined
        : { path: "challenge", message: "was altered: sign the text as it was given, to the byte" },
  },
];

/** The first thing that is wrong with a text; undefined where it is good. */
export function faultOf(of: Judged, checks = challengeChecks): FieldError | undefined {
  for (const check of checks) {
    const fault = check.refuses(of);
    if (fault) return fault;
  }
  return undefined;
}

export const challengeDigest = (text: string) => createHash("sha256").update(text).digest("hex");

/** When a text ends, for whoever is handed it. */
export const endOf = ({ issued_at }: Saying) => iso(issued_at + CHALLENGE_SECONDS);
