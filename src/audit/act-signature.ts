/** Verifies a signature by the text and the key alone. */
import { createHash, createPublicKey, verify } from "node:crypto";
import type { Hex, RecoverKey } from "../core/model/chain.ts";
import { textDigest } from "../domain/access/wallet-proof.ts";
import { keySignature } from "../domain/checks/redemption.ts";
import type { SignedAct, SignedText } from "../domain/identity/act.ts";
import { publicKey } from "../domain/identity/public-key.ts";

export const sha256 = (text: string, form: "hex" | "base64url" = "hex") =>
  createHash("sha256").update(text).digest(form);

/** A sentence is the fault. `unknown`: only the chain can say. */
export function signatureFault(
  { scheme, kid }: Pick<SignedAct, "scheme" | "kid">,
  { text, signature }: SignedText,
  recover: RecoverKey,
): "unknown" | string | undefined {
  switch (scheme) {
    case "eip191":
      return keySignature(textDigest(text), kid as Hex, signature as Hex, recover)
        ? undefined
        : `the signature is none by ${kid} of the text`;
    case "jwt":
      return jwtFault(kid, text, signature);
    default:
      return "unknown";
  }
}

function jwtFault(kid: string, text: string, jws: string): string | undefined {
  const [head = "", payload = "", signature = "", ...more] = jws.split(".");
  const key = publicKey.safeParse(memberOf(text, "iss"));
  if (!key.success || key.data.kind !== "ed25519" || key.data.kid !== kid)
    return `the text names another key than ${kid}`;
  const decoded = Buffer.from(payload, "base64url").toString();
  if (more.length > 0 || decoded !== text) return "the signed payload is another text";
  if (memberOf(Buffer.from(head, "base64url").toString(), "alg") !== "EdDSA")
    return "the signature's algorithm is not EdDSA";
  const jwk = { kty: "OKP", crv: "Ed25519", x: key.data.public };
  const isGood = verify(
    null,
    Buffer.from(`${head}.${payload}`),
    createPublicKey({ key: jwk, format: "jwk" }),
    Buffer.from(signature, "base64url"),
  );
  return isGood ? undefined : `the signature is none by ${kid} of the text`;
}

function memberOf(text: string, name: string): unknown {
  try {
    return (JSON.parse(text) as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}
