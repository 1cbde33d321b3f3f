import { timingSafeEqual } from "node:crypto";
import { Refusal, refuse } from "../../../core/model/refusal.ts";
import type { Scope } from "../../../domain/access/key.ts";
import { digestOf } from "../../../domain/access/secret.ts";
import { addressBlock } from "../address.ts";
import type { Caller } from "../caller.ts";
import { KEY_UNKNOWN, lookUp } from "./key.ts";
import { EACH, failedOf, limitOf, type OwnLimit, ownCall } from "./open.ts";
import { type AccessParts, BEARER, type Identity, type SubjectKey, type Way } from "./way.ts";

const FORM = /^sk_soul_[A-Za-z0-9_-]{43}$/;

export const isSubjectSecret = (secret: string) => secret.startsWith("sk_soul_");

export async function identifySubject(parts: AccessParts, secret: string, ip: string): Promise<Identity> {
  const digest = digestOf(secret);
  const { findSubjectKey } = parts;
  const found =
    findSubjectKey && FORM.test(secret) ? await lookUp(parts, ip, () => findSubjectKey(digest)) : undefined;
  const { key_id, subject, tenant, scopes } = liveKey(digest, found);
  return { caller: { kind: "subject", key_id, subject, tenant, scopes } };
}

/** A failure here does not count as a failed attempt, because the key's secret was accepted before. */
export async function confirmSubject({ findSubjectKey }: AccessParts, secret: string): Promise<void> {
  const digest = digestOf(secret);
  liveKey(digest, await findSubjectKey?.(digest));
}

function liveKey(digest: Buffer, key: SubjectKey | undefined): SubjectKey {
  if (!key || !timingSafeEqual(key.secret_sha256, digest)) return refuse("unauthorized", KEY_UNKNOWN);
  if (key.revoked_at) return refuse("unauthorized", `this key was revoked at ${key.revoked_at}`);
  return key;
}

/**
 * A way in by a subject's key. It is free and has no quota, so it never replaces a payment. `own` limits a subject's
 * calls from all addresses together.
 */
export const subject = (scope: Scope, own?: OwnLimit): Way => ({
  kind: "subject's key",
  ...(own && { price: `free, ${own.calls} ${EACH[own.per]}` }),
  delegated: { scope, owns: "agent" },
  security: [{ subjectBearer: [] }, { subjectKey: [] }, { subjectSignature: [] }],
  schemes: {
    subjectBearer: { type: "http", scheme: "bearer", description: "A subject's own key: sk_soul_…" },
    subjectKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "The same" },
    subjectSignature: {
      type: "apiKey",
      in: "header",
      name: "Signature",
      description:
        "A live Ed25519 key's signature of the request, with Signature-Input (RFC 9421, Web Bot Auth)",
    },
  },
  statuses: [403, 409],
  invitation: "a subject's own key: Authorization: Bearer sk_soul_…, from soul_register with issue_api_key",
  challenge: BEARER,
  async admit({ operation, presented, identity: { caller } }, { limits }) {
    if (caller.kind !== "subject") return undefined;
    allowSubject(caller, scope);
    if (!own) return { caller, pays: false, headers: {} };
    const of = { counted: caller.tenant, block: addressBlock(presented.ip), kind: own.shared };
    const call = await ownCall(limits, limitOf(operation, own), of);
    return call instanceof Refusal ? call : { caller, pays: false, headers: {}, ...failedOf(call) };
  },
});

export function allowSubject({ scopes }: Extract<Caller, { kind: "subject" }>, scope: Scope): void {
  if (!scopes.includes(scope))
    refuse("forbidden", `this key lacks the scope ${scope}; it has ${scopes.join(", ")}`);
}
