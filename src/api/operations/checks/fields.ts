/** Fields that operations of checks share: addresses, amounts, and the shape of a check. */

import { z } from "zod";
import type { App } from "../../../core/app.ts";
import type { Call, Hex } from "../../../core/model/chain.ts";
import { address, chainHash, hexBytes, idFrom, time } from "../../../core/model/fields.ts";
import {
  type Check,
  isRedeeming,
  MOST_USDC,
  modes,
  statuses,
  statusOf,
} from "../../../domain/checks/check.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";

export const checkId = idFrom("check_id", "checks_create").describe("The check_id from checks_create");

/** A contract wallet's signature may be long; 4 KiB is more than any in use. */
export const signature = z
  .string()
  .regex(
    /^0x(?:[0-9a-fA-F]{2}){1,4096}$/,
    "is a signature: 0x and hex digits, 65 bytes, or as a contract wallet takes it",
  );

export const passphrase = z
  .string()
  .min(1, "passphrase is at least 1 character")
  .max(256, "passphrase is at most 256 characters");

const AMOUNT = /^(\d{1,7})(?:\.(\d{1,6}))?$/;

/** An amount in USDC, as a number or as a decimal string. */
export const amount = z
  .union([z.number(), z.string().max(40)], "is an amount of USDC: a number, or a decimal string")
  .refine((value) => AMOUNT.test(String(value)), "is an amount of USDC, 0 or more, with at most six decimals")
  .refine((value) => !AMOUNT.test(String(value)) || microOf(value) <= MOST_USDC * 1_000_000, {
    message: `is at most ${MOST_USDC} USDC`,
  })
  .describe(`USDC, 0 to ${MOST_USDC}, at most six decimals; a decimal string is exact`);

/** The micro-USDC of an amount that was validated before. */
export function microOf(value: number | string): number {
  const [, whole = "0", fraction = ""] = AMOUNT.exec(String(value)) ?? [];
  return Number(whole) * 1_000_000 + Number(fraction.padEnd(6, "0"));
}

export const checkShown = z.object({
  check_id: z.string(),
  status: z.enum(statuses),
  redeeming: z
    .boolean()
    .describe("true: its redemption was requested, so it can no longer be cancelled here"),
  revoked_onchain: z
    .boolean()
    .describe("true: the chain does not pay it: it was cancelled there, or its nonce was used otherwise"),
  final: z
    .boolean()
    .describe("true: the chain can no longer change this; false: a reorg can still revert it"),
  from: address.describe("The issuer, who pays"),
  to: address.describe("The payee"),
  amount: z.string().describe("USDC"),
  mode: z.enum(modes),
  passphrase_required: z.boolean(),
  network: z.string(),
  asset: address,
  nonce: chainHash,
  valid_before: z.int().describe("Unix seconds from which the chain refuses it"),
  created_at: time,
  expires_at: time,
  cancelled_at: time.nullable().describe("When it was cancelled here, regardless of the chain"),
  onchain: z
    .object({
      transaction: chainHash,
      block_number: z.int(),
      seen_at: time,
      kind: z.enum(["redeemed", "revoked"]),
      reason: z
        .string()
        .nullable()
        .describe("Why it is void: cancelled, or its nonce was used for another transfer"),
    })
    .meta({ id: "CheckEnding" })
    .nullable()
    .describe("The transaction that ended it on the chain"),
});

/** A check in answers. Each field is listed, because stored events order their fields differently from new ones. */
export function shownCheck(check: Check, followed: boolean): z.infer<typeof checkShown> {
  const { facts, ending, cancelled } = check;
  return {
    check_id: facts.check_id,
    status: statusOf(check),
    redeeming: isRedeeming(check),
    revoked_onchain: ending?.kind === "revoked",
    final: !followed,
    from: facts.from,
    to: facts.to,
    amount: decimalUsdc(facts.amount_micro),
    mode: facts.mode,
    passphrase_required: facts.passphrase !== null,
    network: facts.network,
    asset: facts.asset,
    nonce: facts.nonce,
    valid_before: facts.valid_before,
    created_at: facts.created_at,
    expires_at: new Date(facts.valid_before * 1_000).toISOString(),
    cancelled_at: cancelled?.cancelled_at ?? null,
    onchain: ending && {
      transaction: ending.transaction,
      block_number: ending.block_number,
      seen_at: ending.kind === "redeemed" ? ending.redeemed_at : ending.revoked_at,
      kind: ending.kind,
      reason: ending.kind === "revoked" ? ending.reason : null,
    },
  };
}

export const typedData = z
  .object({
    domain: z.object({
      name: z.string(),
      version: z.string(),
      chainId: z.int(),
      verifyingContract: z.string(),
    }),
    types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
    primaryType: z.string(),
    message: z.record(z.string(), z.string()),
  })
  .describe("EIP-712, for eth_signTypedData_v4");

export const transaction = z.object({
  to: address.describe("The contract to call"),
  data: hexBytes.describe("Calldata, hex"),
  chain_id: z.int(),
  value: z.literal("0").describe("Ether"),
  from: address.nullable().describe("The sender, who pays gas; null: anybody may send it"),
});

/** A call to a contract, in the form in which its sender submits it. */
export const sentBy = ({ to, data }: Call, { chain }: App, from: Hex | null) => ({
  to,
  data,
  chain_id: chain.chain_id,
  value: "0" as const,
  from,
});

export const warning = z
  .string()
  .nullable()
  .describe("A warning to read before signing; null on a chain whose USDC is real");

/** The development chain has Base's chain id and USDC's address, so a signature for it is also valid on Base. */
export const warningOf = ({ embedded_chain }: App) =>
  embedded_chain
    ? "Development chain: a signature for it is valid on Base too. Do not sign with a funded wallet."
    : null;
