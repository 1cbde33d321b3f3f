/**
 * A worker's receipt: what it says that it made of what, signed by a key that its passport has proven. The text is the canonical form
 * (RFC 8785) of the members below; Ed25519 signs it as the payload of a compact JWS (RFC 8037), an EVM key as EIP-712.
 */
import { createPublicKey, verify } from "node:crypto";
import { hashTypedData } from "viem/utils";
import type { Hex, RecoverKey } from "../../core/model/chain.ts";
import { lowerCase } from "../../core/model/fields.ts";
import { keySignature } from "../checks/redemption.ts";
import type { Agent } from "../identity/agent.ts";
import type { Receipt } from "./task-events.ts";

/** `origin`: of the log that the task stands in. */
export type Receipted = {
  origin: string;
  task_id: string;
  attempt: number;
  lease_sha256: string;
  kind: string;
  input_sha256: string;
  output_sha256: string;
  exit: string;
} & Pick<Receipt, "engine_sha256" | "started_at" | "ended_at">;

/** What is signed: all members are ASCII, so their names in order give the canonical form. */
export function receiptText(of: Receipted): string {
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

/** The same as typed data, of the domain { name: "Tallystick compute", version: "1" }. */
export const receiptTypedData = (of: Receipted) => ({
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

/** What is wrong with a receipt; undefined where a live key of the agent has signed it. */
export function receiptFault(
  { keys }: Pick<Agent, "keys">,
  of: Receipted,
  { kid, signature }: Pick<Receipt, "kid" | "signature">,
  recover: RecoverKey,
): string | undefined {
  const key = keys.find((one) => one.kid === kid);
  if (!key) return "kid: is no live key of this agent";
  if (key.kind === "ed25519") return jwsFault(signature, receiptText(of), key.public);
  if (!signature.startsWith("0x")) return "signature: is 0x and the hex digits of an EIP-712 signature";
  const digest = Buffer.from(hashTypedData(receiptTypedData(of) as never).slice(2), "hex");
  const is = keySignature(digest, lowerCase(key.public), lowerCase(signature), recover);
  return is ? undefined : "signature: is none by this key of this receipt";
}

/** Members that a header may have: nothing in it chooses the key or the algorithm. */
const HEADER = ["alg", "typ", "kid"];

function jwsFault(jws: string, wanted: string, x: string): string | undefined {
  const [head = "", payload = "", signature = "", more] = jws.split(".");
  const header = membersOf(head);
  if (
    more !== undefined ||
    header?.alg !== "EdDSA" ||
    Object.keys(header).some((name) => !HEADER.includes(name))
  )
    return "signature: is a compact JWS of EdDSA whose header has alg, typ and kid alone";
  if (payload !== Buffer.from(wanted).toString("base64url"))
    return `signature: has another payload than this receipt: ${wanted}`;
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  const bytes = Buffer.from(signature, "base64url");
  return verify(null, Buffer.from(`${head}.${payload}`), key, bytes)
    ? undefined
    : "signature: is none by this key of this receipt";
}

function membersOf(part: string): Record<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof read === "object" && read !== null ? (read as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
