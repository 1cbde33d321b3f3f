/**
 * A wallet's proof that a call is its own, without a payment: a text of CAIP-122 in the form of Sign-In with Ethereum
 * (EIP-4361), signed by personal_sign (ERC-191). It is valid for one service, method, path and body, for five
 * minutes.
 */

import { getAddress, keccak256 } from "viem/utils";
import { z } from "zod";
import type { Hex } from "../../core/model/chain.ts";
import { lowerCase, walletAddress } from "../../core/model/fields.ts";
import { plainIssue } from "../../core/model/plain-issue.ts";
import { type FieldError, refuse } from "../../core/model/refusal.ts";
import { isoTime, microsecondsOf } from "../../standards/iso-time.ts";

/** Seconds that a text is good after `issuedAt`. */
export const PROOF_SECONDS = 300;

/** Seconds that the wallet's clock may be ahead of ours. */
const AHEAD_SECONDS = 30;

/** The accepted members of SIGN-IN-WITH-X: those of the signed text, and the kind of signature. */
const walletProof = z.strictObject({
  domain: z.string(),
  address: walletAddress,
  statement: z.string(),
  uri: z.string(),
  version: z.literal("1", "is 1"),
  chainId: z.literal("eip155:8453", "is eip155:8453"),
  type: z.enum(["eip191", "eip1271"], "is eip191 or eip1271").optional(),
  /** A hint of x402's clients: the signature itself shows its kind. */
  signatureScheme: z.enum(["eip191", "eip1271", "eip6492"], "is eip191, eip1271 or eip6492").optional(),
  nonce: z.string().regex(/^[A-Za-z0-9]{8,64}$/, "is 8 to 64 letters and digits"),
  issuedAt: isoTime,
  expirationTime: isoTime.optional(),
  resources: z
    .array(z.string())
    .max(2, "are the digest of the body and the principal of the call")
    .optional(),
  signature: z
    .string()
    .regex(/^0x([0-9a-fA-F]{2}){1,4096}$/, "is 0x and 1 to 4096 bytes in hex")
    .transform(lowerCase),
});

export type WalletProof = z.infer<typeof walletProof>;

/** The call that a text must be about. */
export type RequestedCall = { public_url: string; method: string; path: string };

/** The statement that a wallet signs; it has the path as requested, without a query. */
export const statementOf = ({ method, path }: Pick<RequestedCall, "method" | "path">) =>
  `Call ${method} ${path} as the owner of what this wallet caused.`;

/** Reads the header, a JSON object in base64. Refuses one that contradicts the call, or is too old. */
export function readWalletProof(header: string, call: RequestedCall, now: Date): WalletProof {
  const read = walletProof.safeParse(parsed(header), { error: plainIssue });
  if (!read.success)
    return refuseProof(
      read.error.issues.map(({ path, message }) => ({ path: path.join(".") || HEADER, message })),
    );
  const proof = read.data;
  const wanted = {
    domain: new URL(call.public_url).host,
    uri: call.public_url + call.path,
    statement: statementOf(call),
  };
  const others = Object.entries(wanted).filter(
    ([name, value]) => proof[name as keyof typeof wanted] !== value,
  );
  if (others.length > 0)
    refuseProof(others.map(([path, value]) => ({ path, message: `is ${JSON.stringify(value)}` })));
  const age_s = (now.getTime() - millisecondsOf(proof.issuedAt)) / 1_000;
  if (age_s > PROOF_SECONDS || age_s < -AHEAD_SECONDS)
    refuseProof([
      { path: "issuedAt", message: `is not within the last ${PROOF_SECONDS} seconds; sign again` },
    ]);
  if (proof.expirationTime !== undefined && millisecondsOf(proof.expirationTime) <= now.getTime())
    refuseProof([{ path: "expirationTime", message: "has passed; sign again" }]);
  return proof;
}

const millisecondsOf = (time: string) => microsecondsOf(time)! / 1_000;

function parsed(header: string): unknown {
  try {
    return JSON.parse(Buffer.from(header, "base64").toString());
  } catch {
    return undefined;
  }
}

const HEADER = "SIGN-IN-WITH-X";

export function refuseProof(errors: FieldError[]): never {
  const faults = errors.map(({ path, message }) => `${path} ${message}`).join("; ");
  return refuse("unauthorized", `the wallet's proof does not fit this call: ${faults}`, {
    errors: errors.map(({ path, message }) => ({
      path: path === HEADER ? path : `${HEADER}.${path}`,
      message,
    })),
  });
}

/** The text that the wallet signs. Source: EIP-4361, "Message Format". */
export function proofText(proof: Omit<WalletProof, "signature" | "signatureScheme" | "type">): string {
  const { domain, address, statement, uri, version, chainId, nonce, issuedAt } = proof;
  return [
    `${domain} wants you to sign in with your Ethereum account:`,
    getAddress(address),
    "",
    statement,
    "",
    `URI: ${uri}`,
    `Version: ${version}`,
    `Chain ID: ${chainId.slice("eip155:".length)}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt}`,
    ...(proof.expirationTime === undefined ? [] : [`Expiration Time: ${proof.expirationTime}`]),
    ...(proof.resources ? ["Resources:", ...proof.resources.map((uri) => `- ${uri}`)] : []),
  ].join("\n");
}

/** The 32 bytes that personal_sign signs of a text. */
export function textDigest(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return keccak256(
    Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes]),
    "bytes",
  );
}

/** The longest time that a signature for the list of checks is good. */
export const LONGEST_PROOF_S = 86_400;

/**
 * The older text of checks_list, which is part of its input: valid at one service, until a time, together with a key
 * or a payment.
 */
export const ownershipText = (wallet: Hex, service: string, until: string): string =>
  `Show my checks\nwallet: ${wallet}\nservice: ${service}\nuntil: ${until}`;
