/**
 * Whenever an airdrop is asked for it is paid, and the log follows what the chain says of it. AirdropSent is appended before
 * anything is sent, and before anything is sent the contract is asked whether it has paid: so a process that died at any step
 * leaves nothing that the next one would pay again.
 */
import type { App } from "../../app.ts";
import type { Hex, Receipt } from "../../domain/chain.ts";
import { minedBy } from "../../domain/payments/payment.ts";
import { ChainUnavailable } from "../../domain/ports.ts";
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
import { type ReactorLog, unlessRefused, untilStopped } from "../../turn.ts";
import { compareChain } from "../payments/compare.ts";
import { networkOf } from "../payments/search.ts";

export type AirdropOptions = {
  log: ReactorLog;
  /** What was warned of, so that it is said once. */
  told?: Set<string>;
  /** Leaves those that are paid alone, which only a reorg could change. */
  open_only?: boolean;
  signal?: AbortSignal | undefined;
};

const meta = { actor: "reactor:wallet", operation: "wallet.airdrop" };

/** For so long a block may still be taken back; Base's finality takes about a quarter of an hour. */
const UNSURE_MS = 3_600_000;

/** The contract moves nothing but tokens of its caller's, as the call says: so it is approved once, for all airdrops. */
const UNLIMITED = 2n ** 256n - 1n;

type Known<Status> = Extract<airdrops.Airdrop, { status: Status }>;

/** One look at each airdrop that is not settled for good, the oldest first. Rejects with ChainUnavailable and TransactionPending: the next turn goes on. */
export async function payAirdrops(app: App, options: AirdropOptions): Promise<void> {
  await app.caughtUp(airdropsProjection);
  const paid_since = options.open_only ? undefined : new Date(app.clock.now().getTime() - UNSURE_MS);
  const names = await airdropsToFollow(app.pool, { network: networkOf(app.chain), paid_since });
  // Nothing is sent, nor taken for reorged, on a chain that is not the one the log knows.
  if (names.length === 0 || (await compareChain(app)).status !== "same") return;
  for (const name of names) {
    if (options.signal?.aborted) return;
    const state = await app.load(airdrops, airdrops.targetOf(name));
    await untilStopped(unlessRefused(follow(app, state, options)), options.signal);
  }
}

async function follow(app: App, state: airdrops.AirdropState, options: AirdropOptions): Promise<void> {
  if (!state || state.status === "failed") return;
  if (state.status === "asked") return carry(app, state, options);
  if (state.status !== "sent" && (await stands(app, state))) return;
  const paid = await paymentOf(app, state);
  if (paid) await record(app, state.facts, airdrops.pay(minedBy(paid), nowOf(app)));
  else if (state.status === "sent") await carry(app, state, options);
  else await record(app, state.facts, airdrops.reorg(state.mined.transaction, nowOf(app)));
}

/** What was mined counts as long as its block is there; a refusal counts for good once that block is final. */
async function stands(app: App, { status, facts, mined }: Known<"reverted" | "paid">): Promise<boolean> {
  const block_number = BigInt(mined.block_number);
  const block = await app.chain.block(block_number);
  // A node that does not know the block lags behind.
  if (!block) return true;
  if (block.hash !== mined.block_hash) return false;
  if (status === "reverted" && (await app.chain.heads()).finalized.number >= block_number) {
    const reason = `the token's contract refused it, in transaction ${mined.transaction}`;
    await record(app, facts, airdrops.fail(reason, nowOf(app)));
  }
  return true;
}

/** The transaction that paid it, as the contract tells. */
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
async function carry(app: App, state: Known<"asked" | "sent">, options: AirdropOptions): Promise<void> {
  const { chain } = app;
  const { facts } = state;
  if (state.status === "sent" && state.payer !== chain.sender)
    return warnOnce(
      options,
      `airdrop ${facts.airdrop_id} waits for GAS_KEY to be that of ${state.payer} again`,
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
      return warnOnce(options, `airdrop ${facts.airdrop_id} waits for ${chain.sender} to have enough tokens`);
    const reason = "the platform's account had too few tokens by then";
    await record(app, facts, airdrops.fail(reason, nowOf(app)));
    return;
  }
  const [placed] = await chain.hasCode([AIRDROP_ADDRESS]);
  if (!placed) await chain.send(airdropDeployment(), { gas: AIRDROP_DEPLOY_GAS, alone: true });
  if (allowance < total)
    await chain.send(approveCall(facts.token, AIRDROP_ADDRESS, UNLIMITED), { gas: APPROVE_GAS, alone: true });
  const sent = await record(app, facts, airdrops.send(chain.sender, nowOf(app)));
  if (sent?.status !== "sent") return;
  const name = airdrops.nameOf(facts);
  const call = payCall(name, airdrops.termsOf(facts));
  const mined = await chain.send(call, { gas: payGas(facts.recipients.length), alone: true });
  // Success would not do: a call to where the contract is not succeeds, too.
  const hasPaid = mined.logs.some((log) => isPayment(log, chain.sender, name));
  // One that went before it may have paid, and be the reason why this one was refused.
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

function warnOnce({ log, told }: AirdropOptions, warning: string): void {
  if (!told?.has(warning)) log.warn({}, warning);
  told?.add(warning);
}
