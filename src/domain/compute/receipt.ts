/**
 * A worker signs a receipt of its input and output with a proven key of its passport. The text is the canonical form
 * (RFC 8785) of the members below; Ed25519 signs it as the payload of a compact JWS (RFC 8037), an EVM key as EIP-712.
 */
import { createPublicKey, verify } from "node:crypto";
import { hashTypedData } from "viem/utils";
import type { Hex, RecoverKey } from "../../core/model/chain.ts";
import { lowerCase } from "../../core/model/fields.ts";
import { keySignature } from "../checks/redemption.ts";
import type { Agent } from "../identity/agent.ts";
import type { Receipt } from "./task-events.ts";

/** `origin`: the log of the task. */
export type ReceiptContent = {
  origin: string;
  task_id: string;
  attempt: number;
  lease_sha256: string;
  kind: string;
  input_sha256: string;
  output_sha256: string;
  exit: string;
} & Pick<Receipt, "engine_sha256" | "started_at" | "ended_at">;

/** All members are ASCII, so sorted names give the canonical form. */
export function receiptText(of: ReceiptContent): string {
  const members: Record<string, unknown> = { ...of, v: 1 };
  const sorted = Object.keys(members).sort();
  return JSON.stringify(Object.fromEntries(sorted.map((name) => [name, members[name]])));
}

const text = (name: string) => ({ name, type: "string" });

const TYPES = {
  Receipt: [
    { name: "v", type: "uint256" },
    text("origin"),
    text("task_id"),
    { name: "attempt", type: "uint256" },
    { name: "lease_sha256", type: "bytes32" },
    text("kind"),
    { name: "input_sha256", type: "bytes32" },
    { name: "output_sha256", type: "bytes32" },
    { name: "engine_sha256", type: "bytes32" },
    text("exit"),
    text("started_at"),
    text("ended_at"),
  ],
} as const;

const bytes32 = (hex: string): Hex => `0x${hex}`;

/** Typed data of the domain { name: "Tallystick compute", version: "1" }. */
const receiptTypedData = (of: ReceiptContent) => ({
  domain: { name: "Tallystick compute", version: "1" },
  types: TYPES,
  primaryType: "Receipt" as const,
  message: {
    ...of,
    v: 1n,
    attempt: BigInt(of.attempt),
    lease_sha256: bytes32(of.lease_sha256),
    input_sha256: bytes32(of.input_sha256),
    output_sha256: bytes32(of.output_sha256),
    engine_sha256: bytes32(of.engine_sha256),
  },
});

/** undefined = a live key of the agent signed it. */
export function receiptFault(
  { keys }: Pick<Agent, "keys">,
  of: ReceiptContent,
  { kid, signature }: Pick<Receipt, "kid" | "signature">,
  recover: RecoverKey,
): string | undefined {
  const key = keys.find((one) => one.kid === kid);
  if (!key) return "kid: is not a live key of this agent";
  if (key.kind === "ed25519") return jwsFault(signature, receiptText(of), key.public);
  if (!signature.startsWith("0x")) return "signature: is 0x and the hex digits of an EIP-712 signature";
  const digest = Buffer.from(hashTypedData(receiptTypedData(of) as never).slice(2), "hex");
  const is = keySignature(digest, lowerCase(key.public), lowerCase(signature), recover);
  return is ? undefined : "signature: is not this key's signature of this receipt";
}

/** No other header member is allowed: none may choose the key or the algorithm. */
const HEADER = ["alg", "typ", "kid"];

function jwsFault(jws: string, expected: string, x: string): string | undefined {
  const [head = "", payload = "", signature = "", more] = jws.split(".");
  const header = membersOf(head);
  if (
    more !== undefined ||
    header?.alg !== "EdDSA" ||
    Object.keys(header).some((name) => !HEADER.includes(name))
  )
    return "signature: is a compact JWS of EdDSA whose header has alg, typ and kid alone";
  if (payload !== Buffer.from(expected).toString("base64url"))
    return `signature: has another payload than this receipt: ${expected}`;
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  const bytes = Buffer.from(signature, "base64url");
  return verify(null, Buffer.from(`${head}.${payload}`), key, bytes)
    ? undefined
    : "signature: is not this key's signature of this receipt";
}

function membersOf(part: string): Record<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof read === "object" && read !== null ? (read as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
