/**
 * Requests signed by a passport's Ed25519 key, by Web Bot Auth: a profile of HTTP message signatures. Sources: RFC
 * 9421, and draft-meunier-web-bot-auth-architecture.
 */
import { createPublicKey, verify } from "node:crypto";
import { isSignatureError, type VerifiedSignature, verifySignature } from "http-message-sig";
import type { CallLimit } from "../../../core/model/ports/address-limits.ts";
import { refuse } from "../../../core/model/refusal.ts";
import type { Scope } from "../../../domain/access/key.ts";
import { soulTenant } from "../../../domain/identity/soul-tenant.ts";
import type { AccessParts, Identity, RequestSigner, SignedRequest } from "./way.ts";

/** A signed request has the same scopes as an agent's API key. */
export const AGENT_SCOPES: Scope[] = ["read", "order", "node"];

/** The longest validity of a signature, in seconds. */
export const LONGEST_SIGNATURE_S = 300;
const AHEAD_S = 30;
/** Signatures are valid for minutes, so remembering a nonce for an hour is enough. */
const NONCES: CallLimit = { name: "signed-requests", calls: 1, per: "hour" };
const TAG = "web-bot-auth";
const SHA256 = /^sha-256=:[A-Za-z0-9+/]{43}=:$/;
const READS = new Set(["GET", "HEAD", "OPTIONS"]);
const PARAMETERS = ["created", "expires", "keyid", "nonce", "tag"];

const tagged = new RegExp(`;\\s*tag="${TAG}"`);
const KEYID = /;\s*keyid="([A-Za-z0-9_-]{43})"/;

/** True for a signature of this profile. Other signatures are ignored. */
export const isTagged = (signature_input: string | undefined): signature_input is string =>
  signature_input !== undefined && tagged.test(signature_input);

/**
 * Finds the signing agent. Undefined if no agent has the key, for example because a platform signs for all of its
 * agents.
 */
export async function identifySigner(
  { findSigner, app, clock, limits }: AccessParts,
  signed: SignedRequest,
): Promise<(Identity & { signer: string }) | undefined> {
  const input = signed.fields.find(({ name }) => name === "signature-input")?.value;
  const kid = input === undefined ? undefined : KEYID.exec(input)?.[1];
  const signer = kid === undefined ? undefined : await findSigner?.(kid);
  if (kid === undefined || !signer) return undefined;
  const { nonce } = await verified(signed, {
    kid,
    signer,
    public_url: app.settings.public_url,
    now: clock.now(),
  });
  if (!(await limits.take(NONCES, `${kid} ${nonce}`)).granted)
    refuseSignature("its nonce was used before; sign each request with a new one");
  const { sx_number } = signer;
  return {
    caller: {
      kind: "subject",
      key_id: kid,
      subject: String(sx_number),
      tenant: soulTenant(sx_number),
      scopes: AGENT_SCOPES,
    },
    signer: kid,
  };
}

async function verified(
  { method, target, fields, has_body }: SignedRequest,
  { kid, signer, public_url, now }: { kid: string; signer: RequestSigner; public_url: string; now: Date },
) {
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: signer.public }, format: "jwk" });
  const verifier = {
    algorithm: "ed25519",
    verify: (data: Uint8Array, signature: Uint8Array) => verify(null, data, key, signature),
  };
  // The digest covers the encoded bytes, and the service has only the decoded ones.
  const is_coded = fields.some(({ name }) => name === "content-encoding");
  if (has_body && is_coded) refuseSignature("its body has a Content-Encoding; send it without");
  const digest = fields.find(({ name }) => name === "content-digest")?.value;
  if (digest !== undefined && !SHA256.test(digest)) refuseSignature("its Content-Digest must be sha-256=:…:");
  const now_s = Math.floor(now.getTime() / 1_000);
  // A write must also sign its method, its URL and its body, so that nobody who forwards it can change it.
  const write = READS.has(method) ? [] : ["@method", "@target-uri", ...(has_body ? ["content-digest"] : [])];
  try {
    const { parameters, components } = await verifySignature(
      { kind: "request", method, targetUri: public_url + target, fields },
      {
        policy: {
          algorithms: ["ed25519"],
          requiredComponents: ["@authority", ...write],
          requiredParameters: PARAMETERS,
          maxAge: LONGEST_SIGNATURE_S,
          clockSkew: AHEAD_S,
          now: now_s,
        },
        resolveVerifier: ({ parameters: { keyid } }) => {
          if (keyid !== kid) throw new Error("two keys are named");
          return verifier;
        },
      },
    );
    refuseLoose({ parameters, components }, fields);
    return { nonce: String(parameters.nonce) };
  } catch (error) {
    if (!isSignatureError(error)) throw error;
    return refuseSignature(
      `${error.message}; it must cover ${["@authority", ...write].join(", ")} and have ${PARAMETERS.join(", ")}, at most ${LONGEST_SIGNATURE_S} seconds apart`,
    );
  }
}

/** Checks the profile's own rules, which are stricter than RFC 9421. */
function refuseLoose(
  { parameters, components }: Pick<VerifiedSignature, "parameters" | "components">,
  fields: SignedRequest["fields"],
): void {
  const { created = 0, expires = 0, nonce = "", tag } = parameters;
  if (tag !== TAG) refuseSignature(`its tag must be ${TAG}`);
  if (expires - created > LONGEST_SIGNATURE_S)
    refuseSignature(`it must expire at most ${LONGEST_SIGNATURE_S} seconds after its creation`);
  if (nonce.length < 8 || nonce.length > 128) refuseSignature("its nonce must have 8 to 128 characters");
  const names_agent = fields.some(({ name }) => name === "signature-agent");
  if (names_agent && !components.some(({ name }) => name === "signature-agent"))
    refuseSignature("it must cover signature-agent, because the request has that header");
}

const refuseSignature = (fault: string): never =>
  refuse("unauthorized", `the request's signature is invalid: ${fault}`);
