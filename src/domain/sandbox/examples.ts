/** The things that examples of operations name. A start of the sandbox makes each, in the tenant of its key. */
import type { Hex } from "../../core/model/chain.ts";
import { tenantOf } from "../access/key.ts";
import { digestOf } from "../access/secret.ts";

/** The name in the sandbox's key, and its tenant in the log. */
export const SANDBOX_NAME = "sandbox";
export const SANDBOX_TENANT = tenantOf(SANDBOX_NAME, "test");

const id = (number: number) => number.toString(16).padStart(32, "0");

/** An attestation between two agents of the sandbox, by their places in its list. */
export function attestationId(from: number, to: number, skill: string): string {
  return digestOf(`sandbox attestation ${from} ${to} ${skill}`).toString("hex").slice(0, 32);
}

/** `ended`: an example ends it, so that the others still find theirs. */
export const examples = {
  alerts: { shown: id(1), ended: id(2) },
  notices: { shown: id(3), ended: id(4) },
  roll: { shown: id(0) },
  idea: { shown: 1 },
  order: { ended: 1, paid: { order_id: 2, total_usdc: "64.692" } },
  check: {
    shown: id(0),
    ended: id(1),
    /** By the first demo wallet, of the check that is shown: its nonce and end are constants. */
    signature:
      "0x2740cdbc7704c7a247881fc440e807fdc1cf67045ee62b10cfb68d6c54f74bf528b18970f09c3b3567426c9925139f385c91f7701e02e4127c129dc74cbbf6d31b",
  },
  execution: { ended: id(5) },
  attestation: { shown: attestationId(0, 1, "trade-data") },
  /** The first purchase of a sandbox agent. */
  payment: { nonce: `0x${"01".repeat(32)}` as Hex },
} as const;
