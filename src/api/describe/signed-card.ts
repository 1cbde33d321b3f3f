/** Signs A2A cards by the service's key. Source: A2A 1.0, "Agent Card Signing". */
import { canonicalText } from "../../../eventstore/canonical.ts";
import type { JsonObject } from "../../../eventstore/types.ts";
import type { App } from "../../core/app.ts";
import { keyUrl } from "../../domain/payments/receipt.ts";

/** Adds a detached JWS over the canonical form (RFC 8785); `kid` and `jku` name the service's key. */
export function signedCard(
  card: object,
  { signer, settings: { public_url } }: Pick<App, "signer" | "settings">,
) {
  const kid = keyUrl(public_url, signer.kid);
  const header = { alg: "EdDSA", typ: "JOSE", kid, jku: `${public_url}/.well-known/jwks.json` };
  const protectedHeader = encoded(JSON.stringify(header));
  const signature = signer.sign(
    Buffer.from(`${protectedHeader}.${encoded(canonicalText(card as JsonObject, "card"))}`),
  );
  return { ...card, signatures: [{ protected: protectedHeader, signature: encoded(signature) }] };
}

const encoded = (value: string | Uint8Array) => Buffer.from(value).toString("base64url");
