import { compactVerify, errors } from "jose";
import { z } from "zod";
import type { App } from "../../core/app.ts";
import type { Block, Hex } from "../../core/model/chain.ts";
import { lowerCase } from "../../core/model/fields.ts";
import { type FieldError, refuse } from "../../core/model/refusal.ts";
import { textDigest } from "../../domain/access/wallet-proof.ts";
import type { Scheme, SignedAct } from "../../domain/identity/act.ts";
import type { ProvenKey } from "../../domain/identity/agent.ts";
import {
  type ChallengeUse,
  challengeDigest,
  faultOf,
  type ParsedChallenge,
  readChallenge,
} from "../../domain/identity/challenge.ts";
import { identityProblems } from "../../domain/identity/problems.ts";
import { didOf, type PublicKey } from "../../domain/identity/public-key.ts";
import { walletsOwn } from "../declare/access/wallet-signature.ts";

const MOST_CHALLENGE = 2_048;
const MOST_SIGNATURE = 8_192;

export const challengeField = z
  .string()
  .min(1, "is the text that soul_challenge returned")
  .max(MOST_CHALLENGE, `is at most ${MOST_CHALLENGE} characters`)
  .describe("The text that soul_challenge returned, byte for byte");

export const signatureField = z
  .string()
  .regex(
    /^(?:0x(?:[0-9a-fA-F]{2})+|[\w-]+\.[\w-]+\.[\w-]*)$/,
    "is 0x and hex digits of personal_sign, or a compact JWS of EdDSA",
  )
  .max(MOST_SIGNATURE, `is at most ${MOST_SIGNATURE} characters`)
  .describe(
    "The challenge, signed by the key that it names. An EVM key: personal_sign; Ed25519: the whole JWT",
  );

export const signed = z.object({ challenge: challengeField, signature: signatureField });

export type SignedChallenge = z.infer<typeof signed>;

export type Proof = {
  key: PublicKey;
  method: ProvenKey["method"];
  challenge_sha256: string;
  issued_at: number;
  /** The text and its signature, for the event. */
  act: SignedAct;
};

/** Refuses a wrong proof, and names the wrong field. `at`: the path of the proof in the input. */
export async function provenBy(app: App, given: SignedChallenge, use: ChallengeUse, at = ""): Promise<Proof> {
  const parsed = readChallenge(given.challenge);
  if (!parsed)
    return refuseProof(at, { path: "challenge", message: "is not a text that soul_challenge returns" });
  const issuer = { public_url: app.settings.public_url, secret: app.link_secret };
  const now_s = app.clock.now().getTime() / 1_000;
  const fault = faultOf({ parsed, use, issuer, now_s });
  if (fault) return refuseProof(at, fault);
  const judged = parsed.form === "siwe" ? await byWallet(app, parsed, given) : await byJwt(parsed, given);
  if ("path" in judged) return refuseProof(at, judged);
  const { key, issued_at, text } = parsed;
  const { scheme, signature, block } = judged;
  return {
    key: key!,
    method: scheme === "erc6492" ? "erc1271" : scheme,
    challenge_sha256: challengeDigest(text),
    issued_at,
    act: {
      by: "signature",
      scheme,
      kid: key!.kid,
      block: block && blockNamed(block),
      signed: { text, signature, body: null },
    },
  };
}

export const blockNamed = ({ number, hash }: Block) => ({ number: Number(number), hash });

export function refuseProof(at: string, { path, message }: FieldError): never {
  const where = at === "" ? path : `${at}.${path}`;
  return refuse(identityProblems["proof-refused"], `the proof is invalid: ${where} ${message}`, {
    errors: [{ path: where, message }],
  });
}

type Judgement = { scheme: Scheme; signature: string; block: Block | null } | FieldError;

const wrong = (message: string): FieldError => ({ path: "signature", message });

async function byWallet(
  app: App,
  { key, text }: ParsedChallenge,
  { signature }: SignedChallenge,
): Promise<Judgement> {
  if (!signature.startsWith("0x")) return wrong("is 0x and the hex digits that personal_sign gives");
  const of = { digest: textDigest(text), wallet: key!.public as Hex, given: lowerCase(signature) };
  return (await walletsOwn(app, of)) ?? wrong(`is not ${of.wallet}'s signature of this text`);
}

/** No member of the header may choose the key or the algorithm. */
const header = z.strictObject({
  alg: z.literal("EdDSA"),
  typ: z.string().optional(),
  kid: z.string().optional(),
});

async function byJwt({ key, text }: ParsedChallenge, { signature }: SignedChallenge): Promise<Judgement> {
  if (signature.startsWith("0x")) return wrong("is a compact JWS of EdDSA: header.payload.signature");
  const [head = "", payload = ""] = signature.split(".");
  const read = header.safeParse(decoded(head));
  if (!read.success) {
    const { alg } = (decoded(head) ?? {}) as { alg?: unknown };
    return alg === "EdDSA"
      ? wrong("has members other than alg, typ and kid in its header; omit them")
      : wrong("does not use the algorithm EdDSA");
  }
  const { kid } = read.data;
  const did = didOf(key!);
  const names = [key!.kid, did, `${did}#${did.slice("did:key:".length)}`];
  if (kid !== undefined && !names.includes(kid)) return wrong(`names a key in kid that is not ${did}`);
  if (Buffer.from(payload, "base64url").toString() !== text)
    return wrong("has a payload that differs from the challenge");
  try {
    await compactVerify(signature, { kty: "OKP", crv: "Ed25519", x: key!.public }, { algorithms: ["EdDSA"] });
    return { scheme: "jwt", signature, block: null };
  } catch (error) {
    if (error instanceof errors.JOSEError) return wrong(`is not ${did}'s signature of this text`);
    throw error;
  }
}

function decoded(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString());
  } catch {
    return undefined;
  }
}
