/**
 * An airdrop: the same amount of the platform token to many accounts in one transaction. Resending uses the same name
 * on the chain, and the contract pays no name twice, so the chain alone decides whether it was paid.
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Hex } from "../../core/model/chain.ts";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { address, chainHash, digits, time } from "../../core/model/fields.ts";
import { coreProblems } from "../../core/model/problem.ts";
import { refuse } from "../../core/model/refusal.ts";
import type { MinedTransaction } from "../payments/payment.ts";
import { MOST_RECIPIENTS, nameOnChain, type Terms } from "./airdrop-contract.ts";
import { decimalOf } from "./amount.ts";

const askedData = z.strictObject({
  airdrop_id: z.string(),
  tenant: z.string(),
  network: z.string(),
  token: address,
  symbol: z.string(),
  decimals: z.int(),
  amount_each: digits.describe("In the token's smallest unit."),
  recipients: z.array(address).min(1).max(MOST_RECIPIENTS),
  asked_at: time,
});

const mined = {
  transaction: chainHash,
  block_number: z.int().nonnegative(),
  block_hash: chainHash,
  fee_wei: digits.describe("In wei."),
};

const airdrop_id = z.string();
const payer = address;

export const events = {
  AirdropAsked: {
    means: "A caller requested the same amount of the token for many accounts.",
    1: askedData,
  },
  AirdropSent: {
    means: "An airdrop is on its way to the chain.",
    1: z
      .strictObject({ airdrop_id, payer, name: chainHash, sent_at: time })
      .describe("From now on a transaction of `payer` may pay it, under `name`."),
  },
  AirdropPaid: {
    means: "An airdrop was paid on the chain.",
    1: z.strictObject({ airdrop_id, ...mined, paid_at: time }),
  },
  AirdropReverted: {
    means: "The chain refused an airdrop.",
    1: z
      .strictObject({ airdrop_id, ...mined, found_at: time })
      .describe("The chain refused it; the refusal counts once that block is final."),
  },
  AirdropFailed: {
    means: "An airdrop was abandoned: nothing of it was paid, and nothing will be.",
    1: z.strictObject({ airdrop_id, reason: z.string(), failed_at: time }),
  },
  AirdropReorged: {
    means: "The chain reverted the block that had paid an airdrop, which is sent again.",
    1: z.strictObject({ airdrop_id, transaction: chainHash, found_at: time }),
  },
};

export type AirdropFacts = DataOf<typeof events, "AirdropAsked">;
export type AirdropEvent = EventOf<typeof events>;

/** `payer`: whose account may have paid it, or has. */
type SentAirdrop = { facts: AirdropFacts; payer: Hex };

/** `asked`: nothing was sent; `sent`: it may be pending, or waits to be resent; `failed`: nothing moved, finally. */
export type Airdrop =
  | { status: "asked"; facts: AirdropFacts }
  | ({ status: "sent" } & SentAirdrop)
  | ({ status: "reverted"; mined: MinedTransaction } & SentAirdrop)
  | ({ status: "paid"; mined: MinedTransaction; paid_at: string } & SentAirdrop)
  | { status: "failed"; facts: AirdropFacts; reason: string };
/** Undefined before the request. */
export type AirdropState = Airdrop | undefined;

export const prefix = "airdrop-";

export const streamOf = (airdropId: string) => prefix + airdropId;

export const targetOf = ({ tenant, airdrop_id }: Pick<AirdropFacts, "tenant" | "airdrop_id">) => ({
  tenant,
  id: airdrop_id,
});

export const initialState = (): AirdropState => undefined;

export function evolve(state: AirdropState, { type, data }: AirdropEvent): AirdropState {
  if (type === "AirdropAsked") return { status: "asked", facts: data };
  if (!state) return state;
  const { facts } = state;
  if (type === "AirdropSent") return { status: "sent", facts, payer: data.payer };
  if (type === "AirdropFailed") return { status: "failed", facts, reason: data.reason };
  if (!("payer" in state)) return state;
  const { payer } = state;
  switch (type) {
    case "AirdropPaid":
      return { status: "paid", facts, payer, mined: minedIn(data), paid_at: data.paid_at };
    case "AirdropReverted":
      return { status: "reverted", facts, payer, mined: minedIn(data) };
    case "AirdropReorged":
      return { status: "sent", facts, payer };
  }
}

const minedIn = ({ transaction, block_number, block_hash, fee_wei }: MinedTransaction): MinedTransaction => ({
  transaction,
  block_number,
  block_hash,
  fee_wei,
});

/** The terms of the payment, and its name on the chain. */
export const termsOf = ({ token, amount_each, recipients }: AirdropFacts): Terms => ({
  token,
  amount_each: BigInt(amount_each),
  recipients,
});
export const nameOf = (facts: AirdropFacts): Hex => nameOnChain(facts.airdrop_id, termsOf(facts));

export const totalOf = ({ amount_each, recipients }: Pick<AirdropFacts, "amount_each" | "recipients">) =>
  BigInt(amount_each) * BigInt(recipients.length);

/**
 * The id of a tenant's request: from its key, or else from the payment's terms. A retry after a lost answer is the
 * same airdrop.
 */
export function airdropId(
  facts: Omit<AirdropFacts, "airdrop_id" | "symbol" | "decimals" | "asked_at">,
  key: string | undefined,
): string {
  const { tenant, network, token, amount_each, recipients } = facts;
  const named = key === undefined ? [network, token, amount_each, ...[...recipients].sort()] : [`key ${key}`];
  return createHash("sha256")
    .update([tenant, ...named].join("\n"))
    .digest("hex")
    .slice(0, 32);
}

const statusOf = (state: AirdropState) => state?.status ?? "not requested";

const isSame = (a: AirdropFacts, b: AirdropFacts) =>
  a.token === b.token &&
  a.network === b.network &&
  a.amount_each === b.amount_each &&
  [...a.recipients].sort().join() === [...b.recipients].sort().join();

/**
 * Requests an airdrop that `available` tokens cover. A repeat is the same airdrop; a failed one is retried under its
 * name.
 */
export const request =
  (facts: AirdropFacts, available: bigint) =>
  (state: AirdropState): AirdropEvent[] => {
    if (state && !isSame(state.facts, facts))
      refuse(
        coreProblems["idempotency-key-reused"],
        "this idempotency_key names another airdrop; give each its own",
      );
    if (state && state.status !== "failed") return [];
    if (totalOf(facts) > available)
      refuse(
        "conflict",
        `${decimalOf(totalOf(facts), facts.decimals)} ${facts.symbol} are needed, but the platform's account has fewer`,
      );
    // The name on the chain stays that of the first request, whatever order the recipients have now.
    const data = state ? { ...state.facts, asked_at: facts.asked_at } : facts;
    return [{ type: "AirdropAsked", data }];
  };

/** Says, before anything is sent, that it will be. */
export const send =
  (payer: Hex, sent_at: string) =>
  (state: AirdropState): AirdropEvent[] => {
    if (state?.status === "sent" && state.payer === payer) return [];
    if (state?.status !== "asked")
      return refuse("conflict", `an airdrop that is ${statusOf(state)} is not sent from ${payer}`);
    const { facts } = state;
    const { airdrop_id } = facts;
    return [{ type: "AirdropSent", data: { airdrop_id, payer, name: nameOf(facts), sent_at } }];
  };

/** The contract has its name: this transaction paid it on the canonical chain. */
export const pay =
  (mined: MinedTransaction, paid_at: string) =>
  (state: AirdropState): AirdropEvent[] => {
    if (!state || !("payer" in state)) return refuse("conflict", "this airdrop was never sent");
    if (state.status === "paid" && state.mined.block_hash === mined.block_hash) return [];
    const { airdrop_id } = state.facts;
    return [{ type: "AirdropPaid", data: { airdrop_id, ...mined, paid_at } }];
  };

/** Its transaction was mined and moved nothing. */
export const revert =
  (mined: MinedTransaction, found_at: string) =>
  (state: AirdropState): AirdropEvent[] =>
    state?.status === "sent"
      ? [{ type: "AirdropReverted", data: { airdrop_id: state.facts.airdrop_id, ...mined, found_at } }]
      : [];

/** Gives up an airdrop that was never sent, or was refused in a final block. */
export const fail =
  (reason: string, failed_at: string) =>
  (state: AirdropState): AirdropEvent[] => {
    if (state?.status !== "asked" && state?.status !== "reverted")
      return refuse("conflict", `an airdrop that is ${statusOf(state)} cannot be abandoned`);
    return [{ type: "AirdropFailed", data: { airdrop_id: state.facts.airdrop_id, reason, failed_at } }];
  };

/** A reorg removed the block of its payment or refusal: it is sent again. */
export const reorg =
  (transaction: Hex, found_at: string) =>
  (state: AirdropState): AirdropEvent[] =>
    (state?.status === "paid" || state?.status === "reverted") && state.mined.transaction === transaction
      ? [{ type: "AirdropReorged", data: { airdrop_id: state.facts.airdrop_id, transaction, found_at } }]
      : [];
