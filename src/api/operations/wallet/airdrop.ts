import { z } from "zod";
import type { App } from "../../../core/app.ts";
import type { Hex } from "../../../core/model/chain.ts";
import { networkOf } from "../../../core/model/chain.ts";
import { address, chainHash, decimal, idFrom, time } from "../../../core/model/fields.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import * as airdrops from "../../../domain/wallet/airdrop.ts";
import { AIRDROP_ADDRESS, MOST_RECIPIENTS } from "../../../domain/wallet/airdrop-contract.ts";
import { decimalOf, unitsOf } from "../../../domain/wallet/amount.ts";
import { requireToken } from "../../../domain/wallet/balances.ts";
import { contractAt } from "../../../domain/wallet/contract-names.ts";
import { amountEach, recipients } from "../../../domain/wallet/inputs.ts";
import { walletProblems } from "../../../domain/wallet/problems.ts";
import { amountIn, balanceCall, tokenCalls } from "../../../domain/wallet/token.ts";
import type { Caller } from "../../declare/caller.ts";
import { json, key, operation, pay } from "../../declare/index.ts";
import { developmentChain, network } from "./fields.ts";

const airdropShown = z
  .object({
    airdrop_id: z.string(),
    status: z
      .enum(["asked", "sent", "paid", "failed"])
      .describe("asked: sent within seconds; sent: pending, or sent again; failed: final, nothing moved"),
    failure: z.string().nullable(),
    token: z.object({ address, symbol: z.string() }),
    amount_each: decimal.describe("In tokens"),
    amount_total: decimal,
    recipients: z.array(address),
    network,
    contract: address.describe("The paying contract; it pays a name only once"),
    name: chainHash.describe("Its name on chain: `paidAt(payer, name)` gives the block"),
    payer: address.nullable().describe("The paying account; null before it is sent"),
    transaction: chainHash.nullable(),
    block_number: z.int().nullable(),
    asked_at: time,
    paid_at: time.nullable(),
  })
  .meta({ id: "Airdrop" });

function shownAirdrop(state: airdrops.Airdrop): z.infer<typeof airdropShown> {
  const { facts } = state;
  const { airdrop_id, token, symbol, decimals, amount_each, recipients, network, asked_at } = facts;
  const paid = state.status === "paid" ? state : undefined;
  return {
    airdrop_id,
    status: state.status === "reverted" ? "sent" : state.status,
    failure: state.status === "failed" ? state.reason : null,
    token: { address: token, symbol },
    amount_each: decimalOf(BigInt(amount_each), decimals),
    amount_total: decimalOf(airdrops.totalOf(facts), decimals),
    recipients,
    network,
    contract: AIRDROP_ADDRESS,
    name: airdrops.nameOf(facts),
    payer: "payer" in state ? state.payer : null,
    transaction: paid?.mined.transaction ?? null,
    block_number: paid?.mined.block_number ?? null,
    asked_at,
    paid_at: paid?.paid_at ?? null,
  };
}

const airdropAnswer = json(
  z.object({
    data: airdropShown,
    meta: z.object({ tenant: z.string(), development_chain: developmentChain }),
  }),
);
const airdropMeta = ({ tenant }: Caller, { embedded_chain }: App) => ({
  tenant,
  development_chain: embedded_chain,
});

const airdrop = operation({
  name: "wallet_airdrop",
  route: "POST /v1/agent/wallet/airdrop",
  effect: { changes: "takes", repeatable: true, reaches_out: true },
  summary: "Pay many accounts the same amount of the platform token",
  description: `Pays at most ${MOST_RECIPIENTS} accounts, all or none, in one transaction from the platform's account; see wallet_airdrop_status for its status.
It needs an admin key, even if you pay. Nothing is paid twice: a repeat by the same tenant with the same recipients and amount is
the same airdrop, and returns its status. To pay again, set another \`idempotency_key\` or Idempotency-Key. You may repeat a failed airdrop.`,
  access: [key("admin"), pay("0.10")],
  input: z.object({
    recipients: recipients.describe(`1 to ${MOST_RECIPIENTS} addresses, each once`),
    amount_each: amountEach.describe("Platform tokens for each, 0 to 10000, as a string or a number"),
    idempotency_key: z
      .string()
      .regex(/^[\x21-\x7e]{1,128}$/, "is 1 to 128 visible ASCII characters")
      .describe("Names this airdrop; default: Idempotency-Key, else its recipients and amount")
      .optional(),
  }),
  output: airdropAnswer,
  moves_money: true,
  refuses: [409],
  example: { recipients: ["0x70997970c51812dc3a010c7d01b50e0d17dc79c8"], amount_each: "12.5" },
  handle: async ({ input, caller, app, unit, request }) => {
    const { chain, platform_token: token } = app;
    if (!token)
      return refuse(
        walletProblems["platform-token-missing"],
        "this service has no platform token: its operator sets PLATFORM_TOKEN",
      );
    refuseContracts(input.recipients, token);
    const [balance, ...metadata] = await chain.read([balanceCall(token, chain.sender), ...tokenCalls(token)]);
    const { symbol, decimals } = requireToken(token, metadata);
    const units = unitsOf(input.amount_each, decimals);
    if (units === undefined)
      return refuseField("amount_each", `has at most ${decimals} decimals, like ${symbol}`);
    const { tenant } = caller;
    const amount_each = String(units);
    const terms = { tenant, network: networkOf(chain), token, amount_each, recipients: input.recipients };
    const airdrop_id = airdrops.airdropId(terms, input.idempotency_key ?? request.idempotency_key);
    const facts = { airdrop_id, ...terms, symbol, decimals, asked_at: app.clock.now().toISOString() };
    const decision = airdrops.request(facts, amountIn(balance) ?? 0n);
    const { state } = await unit.decide(airdrops, airdrops.targetOf(facts), decision);
    if (!state) throw new Error("the airdrop has no state");
    return { data: shownAirdrop(state), meta: airdropMeta(caller, app) };
  },
});

/** Refuses contracts as recipients: tokens are lost in a contract that cannot send them on. */
function refuseContracts(recipients: readonly Hex[], token: Hex): void {
  for (const [at, one] of recipients.entries()) {
    const contract = contractAt(one, token);
    if (contract) refuseField(`recipients.${at}`, `is ${contract}, which cannot return tokens`);
  }
}

const airdropStatus = operation({
  name: "wallet_airdrop_status",
  route: "GET /v1/agent/wallet/airdrop/{airdrop_id}",
  summary: "Status of an airdrop",
  description: "Only for the tenant that made it. Free, and always current.",
  access: [key("admin")],
  input: z.object({
    airdrop_id: idFrom("airdrop_id", "wallet_airdrop").describe("The airdrop_id from wallet_airdrop"),
  }),
  output: airdropAnswer,
  refuses: [404],
  example: { airdrop_id: "0".repeat(32) },
  example_from: { airdrop_id: ["wallet_airdrop"] },
  handle: async ({ input: { airdrop_id }, caller, app }) => {
    const state = await app.load(airdrops, airdrops.targetOf({ tenant: caller.tenant, airdrop_id }));
    if (!state) return refuse("not_found", "you have no such airdrop: take its id from wallet_airdrop");
    return { data: shownAirdrop(state), meta: airdropMeta(caller, app) };
  },
});

export const walletAirdropOperations = [airdrop, airdropStatus];
