/**
 * Pays requested airdrops and follows their transactions. AirdropSent is appended, and the contract checked for an
 * earlier payment, before anything is sent: a crash at any step leads to no second payment.
 */

import { compareChain } from "../../chain/history.ts";
import type { App } from "../../core/app.ts";
import { type Outcome, type ReactorLog, reactor, unlessRefused } from "../../core/background/reactor.ts";
import { untilStopped } from "../../core/coordination/concurrency.ts";
import { type Hex, networkOf, type Receipt } from "../../core/model/chain.ts";
import { ChainUnavailable } from "../../core/model/ports/chain.ts";
import { minedBy } from "../../domain/payments/payment.ts";
import * as airdrops from "../../domain/wallet/airdrop.ts";
import {
  AIRDROP_ADDRESS,
  AIRDROP_DEPLOY_GAS,
  airdropDeployment,
  isPayment,
  paidCall,
  paidIn,
  paidQuery,
  payCall,
  payGas,
} from "../../domain/wallet/airdrop-contract.ts";
import { APPROVE_GAS, allowanceCall, amountIn, approveCall, balanceCall } from "../../domain/wallet/token.ts";
import { airdropsProjection, airdropsToFollow } from "../../projections/wallet/airdrops.ts";

/** `look_at`: the next check of paid airdrops, in milliseconds of Unix time; `seen`: the warnings already logged. */
export type AirdropMemory = { look_at: number; seen: Set<string> };

export type AirdropOptions = { log: ReactorLog; memory: AirdropMemory; signal?: AbortSignal };

const meta = { actor: "reactor:wallet", operation: "wallet.airdrop" };

/** A reorg may remove a block this long; Base's finality takes about a quarter of an hour. */
const UNSURE_MS = 3_600_000;

/** The shortest interval of the checks for reorgs; an idle reactor makes them when it ticks. */
const LOOK_BACK_MS = 60_000;

/** The contract moves only its caller's tokens, as each call states, so one approval serves all airdrops. */
const UNLIMITED = 2n ** 256n - 1n;

type AirdropRow<Status> = Extract<airdrops.Airdrop, { status: Status }>;

export const airdropsReactor = reactor({
  name: "airdrops",
  every_ms: 1_000,
  memory: noAirdropMemory,
  take: ({ app, ...options }) => payAirdrops(app, options),
  failures: {
    away: "the chain is unavailable: airdrops are not paid meanwhile",
    behind: "airdrops are not paid: the chain lags behind its earlier head",
    foreign: "airdrops are not paid: this is another chain than the log's",
    failed: "airdrops cannot be paid; trying again",
  },
  resumed: "airdrops are paid again",
});

export function noAirdropMemory(): AirdropMemory {
  return { look_at: 0, seen: new Set() };
}

/**
 * Checks each open airdrop, the oldest first, and at intervals those that only a reorg could change. Rejects with
 * ChainUnavailable and TransactionPending; the next tick continues.
 */
export async function payAirdrops(app: App, options: AirdropOptions): Promise<Outcome<"behind" | "foreign">> {
  const isCurrent = await app.caughtUp(airdropsProjection);
  const { memory, signal } = options;
  const now = app.clock.now().getTime();
  const isLookDue = now >= memory.look_at;
  const paid_since = isLookDue ? new Date(now - UNSURE_MS) : undefined;
  if (isLookDue) memory.look_at = now + LOOK_BACK_MS;
  const names = await airdropsToFollow(app.pool, { network: networkOf(app.chain), paid_since });
  if (names.length === 0) return isCurrent ? "idle" : "done";
  // Sends nothing, and detects no reorg, on a chain other than the log's.
  const compared = await compareChain(app);
  if (compared.status !== "same") return compared;
  for (const name of names) {
    if (signal?.aborted) break;
    const state = await app.load(airdrops, airdrops.targetOf(name));
    await untilStopped(unlessRefused(follow(app, state, options)), signal);
  }
  return "done";
}

async function follow(app: App, state: airdrops.AirdropState, options: AirdropOptions): Promise<void> {
  if (!state || state.status === "failed") return;
  if (state.status === "asked") return sendPayment(app, state, options);
  if (state.status !== "sent" && (await isCanonical(app, state))) return;
  const paid = await paymentOf(app, state);
  if (paid) await record(app, state.facts, airdrops.pay(minedBy(paid), nowOf(app)));
  else if (state.status === "sent") await sendPayment(app, state, options);
  else await record(app, state.facts, airdrops.reorg(state.mined.transaction, nowOf(app)));
}

/** A mined transaction counts while its block is canonical; a refusal is final with its block. */
async function isCanonical(
  app: App,
  { status, facts, mined }: AirdropRow<"reverted" | "paid">,
): Promise<boolean> {
  const block_number = BigInt(mined.block_number);
  const block = await app.chain.block(block_number);
  // The node lags behind that block.
  if (!block) return true;
  if (block.hash !== mined.block_hash) return false;
  if (status === "reverted" && (await app.chain.heads()).finalized.number >= block_number) {
    const reason = `the token's contract refused the airdrop, in transaction ${mined.transaction}`;
    await record(app, facts, airdrops.fail(reason, nowOf(app)));
  }
  return true;
}

/** The transaction that paid the airdrop, from the contract's log. */
async function paymentOf(
  { chain }: App,
  { facts, payer }: Extract<airdrops.Airdrop, { payer: Hex }>,
): Promise<Receipt | undefined> {
  const name = airdrops.nameOf(facts);
  const block = paidIn((await chain.read([paidCall(payer, name)], { mined: true }))[0]);
  if (block === undefined) return undefined;
  const logs = await chain.logs(paidQuery(payer, name, block));
  const log = logs.find((one) => isPayment(one, payer, name));
  const receipt = log && (await chain.receipt(log.transaction));
  if (receipt?.block_hash !== log?.block_hash || !receipt)
    throw new ChainUnavailable("the chain changed while it was read");
  return receipt;
}

/** Sends one that is not paid yet, if the account has the tokens. */
async function sendPayment(
  app: App,
  state: AirdropRow<"asked" | "sent">,
  options: AirdropOptions,
): Promise<void> {
  const { chain } = app;
  const { facts } = state;
  if (state.status === "sent" && state.payer !== chain.sender)
    return warnOnce(
      options,
      `airdrop ${facts.airdrop_id} waits until GAS_KEY is the key of ${state.payer} again`,
    );
  const total = airdrops.totalOf(facts);
  const [balance = 0n, allowance = 0n] = (
    await chain.read([
      balanceCall(facts.token, chain.sender),
      allowanceCall(facts.token, chain.sender, AIRDROP_ADDRESS),
    ])
  ).map(amountIn);
  if (balance < total) {
    if (state.status === "sent")
      return warnOnce(options, `airdrop ${facts.airdrop_id} waits until ${chain.sender} has enough tokens`);
    const reason = "the platform's account had too few tokens until its deadline";
    await record(app, facts, airdrops.fail(reason, nowOf(app)));
    return;
  }
  const [placed] = await chain.hasCode([AIRDROP_ADDRESS]);
  const alone = { alone: true, purpose: "airdrop" } as const;
  if (!placed)
    await chain.send(airdropDeployment(), { ...alone, gas: AIRDROP_DEPLOY_GAS, purpose: "deployment" });
  if (allowance < total) {
    const approval = approveCall(facts.token, AIRDROP_ADDRESS, UNLIMITED);
    await chain.send(approval, { ...alone, gas: APPROVE_GAS, purpose: "approval" });
  }
  const sent = await record(app, facts, airdrops.send(chain.sender, nowOf(app)));
  if (sent?.status !== "sent") return;
  const name = airdrops.nameOf(facts);
  const call = payCall(name, airdrops.termsOf(facts));
  const mined = await chain.send(call, { ...alone, gas: payGas(facts.recipients.length) });
  // Success would not do: a call to where the contract is not succeeds, too.
  const hasPaid = mined.logs.some((log) => isPayment(log, chain.sender, name));
  // An earlier transaction may have paid, which would explain this refusal.
  const paid = hasPaid ? mined : await paymentOf(app, sent);
  const decision = paid
    ? airdrops.pay(minedBy(paid), nowOf(app))
    : airdrops.revert(minedBy(mined), nowOf(app));
  await record(app, facts, decision);
}

const record = async (
  app: App,
  facts: airdrops.AirdropFacts,
  decision: (state: airdrops.AirdropState) => airdrops.AirdropEvent[],
) => (await app.decide(airdrops, airdrops.targetOf(facts), decision, { meta })).result.state;

const nowOf = ({ clock }: App) => clock.now().toISOString();

function warnOnce({ log, memory: { seen } }: AirdropOptions, warning: string): void {
  if (!seen.has(warning)) log.warn({}, warning);
  seen.add(warning);
}
