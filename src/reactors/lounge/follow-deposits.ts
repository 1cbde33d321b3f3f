/**
 * Credits a wallet's account when its platform tokens reach the house, and takes the credit back after a reorg.
 * Deposits count from the block that is on L1 (`safe`) and are followed until theirs is final. A chain that is unavailable,
 * lags or is another one changes nothing: the next tick retries.
 */

import { compareChain, compareWith, movedBlocks } from "../../chain/history.ts";
import type { App } from "../../core/app.ts";
import { type Outcome, reactor } from "../../core/background/reactor.ts";
import { forEach } from "../../core/coordination/concurrency.ts";
import { type Block, type Hex, networkOf } from "../../core/model/chain.ts";
import { lowerCase } from "../../core/model/fields.ts";
import * as account from "../../domain/lounge/account.ts";
import * as deposits from "../../domain/lounge/deposits.ts";
import { ATTO, DECIMALS } from "../../domain/lounge/token.ts";
import { walletTenant } from "../../domain/payments/payment.ts";
import { type Token, type Transfer, tokenCalls, tokenIn } from "../../domain/wallet/token.ts";
import { type CreditedDeposit, creditedFrom, depositsProjection } from "../../projections/lounge/deposits.ts";
import { depositsTo } from "../../projections/wallet/read-transfers.ts";

/** A smaller transfer is a gift: otherwise anybody could fill the log for next to nothing. */
export const LEAST_DEPOSIT = ATTO;

/** Blocks between two progress events without a deposit. */
const RECORD_EVERY = 10_000n;

/** Blocks scanned in a tick: after an outage the service catches up over several ticks. */
const AT_ONCE = 10_000n;

const NOBODY = `0x${"0".repeat(40)}`;

const meta = { actor: "reactor:lounge", operation: "lounge.deposits" };

/** Cached by this process: the token's metadata, the final block scanned last, and the safe one. */
export type DepositMemory = { token?: Token; final?: bigint; safe?: Hex };

export const depositsReactor = reactor({
  name: "deposits",
  // Each tick makes five requests to the node, and real nodes charge for each.
  every_ms: ({ embedded_chain }) => (embedded_chain ? 1_000 : 10_000),
  runs: ({ platform_token }) => platform_token !== undefined,
  memory: (): DepositMemory => ({}),
  take: ({ app, memory }) => followDeposits(app, app.platform_token!, memory),
  failures: {
    away: "the chain is unavailable: deposits to the lounge are not seen meanwhile",
    behind: "the chain lags behind its earlier head: deposits to the lounge are not seen meanwhile",
    foreign:
      "deposits to the lounge are not credited: this is another chain than the one of the credited deposits",
    failed: "deposits to the lounge cannot be followed; trying again",
  },
  resumed: "deposits to the lounge are followed again",
});

type Deposited = Outcome<"away" | "behind" | "foreign">;

export async function followDeposits(app: App, token: Hex, memory: DepositMemory): Promise<Deposited> {
  const { chain } = app;
  const address = lowerCase(token);
  memory.token ??= await describedToken(app, address);
  const place = { network: networkOf(chain), token: address, pay_to: lowerCase(app.pay_to) };
  const { safe, finalized } = await chain.heads();
  // Without a new block there are no further requests.
  if (memory.safe === safe.hash) return "unmoved";
  const followed = await app.load(deposits, deposits.targetOf(place));
  for (const compared of [await compareChain(app), followed && (await compareWith(app, followed))])
    if (compared && compared.status !== "same") return compared;
  // Transfers before the lounge opened are not deposits.
  if (!followed) return recordProgress(app, place, finalized);

  const recorded = BigInt(followed.block_number);
  const from_block = (memory.final && memory.final > recorded ? memory.final : recorded) + 1n;
  const to_block = lesser(safe.number, from_block + AT_ONCE - 1n);
  const isCurrent = await app.caughtUp(depositsProjection);
  const credited = await creditedFrom(app.pool, from_block);
  const transfers =
    to_block < from_block
      ? []
      : await depositsTo(chain, { token: address, to: place.pay_to }, { from_block, to_block });
  const found = transfers.filter(isDeposit).map((transfer) => depositOf(place.network, transfer));
  const standing = new Set(found.map(({ facts }) => nameOf(facts)));
  // A deposit missing from a canonical block is above the safe one, or the node contradicts itself.
  const gone = await movedBlocks(
    chain,
    credited.filter((one) => !standing.has(nameOf(one))),
  );
  await decideOn(app, found, gone);

  // A deposit that the read model lacks must be examined again.
  const final = lesser(finalized.number, to_block);
  if (!isCurrent) return "done";
  if (to_block === safe.number) memory.safe = safe.hash;
  if (final < from_block) return "done";
  const isDue = final - recorded > RECORD_EVERY || found.some(({ facts }) => facts.block_number <= final);
  const block = isDue && (await chain.block(final));
  memory.final = final;
  return block ? recordProgress(app, place, block) : "done";
}

/** Says how far was looked for good. */
async function recordProgress(
  app: App,
  place: Parameters<typeof deposits.targetOf>[0],
  { number, hash }: Block,
): Promise<Deposited> {
  const followed_at = app.clock.now().toISOString();
  const facts = { ...place, block_number: Number(number), block_hash: hash, followed_at };
  await app.decide(deposits, deposits.targetOf(place), deposits.follow(facts), { meta });
  return "done";
}

const lesser = (a: bigint, b: bigint) => (a < b ? a : b);

async function describedToken({ chain }: App, address: Hex): Promise<Token> {
  const token = tokenIn(address, await chain.read(tokenCalls(address)));
  if (token?.decimals !== DECIMALS)
    throw new Error(`PLATFORM_TOKEN: ${address} is not a token with ${DECIMALS} decimals`);
  return token;
}

const isDeposit = ({ from, to, amount }: Transfer) =>
  amount >= LEAST_DEPOSIT && from !== to && from !== NOBODY;

type FoundDeposit = { tenant: string; facts: account.Deposit };

const depositOf = (network: string, transfer: Transfer): FoundDeposit => {
  const { token, from, amount, transaction, block_number, block_hash, index } = transfer;
  const block = { block_hash, block_number: Number(block_number) };
  const facts = { network, token, transaction, log_index: index, ...block, amount_atto: String(amount) };
  return { tenant: walletTenant(from), facts };
};

const nameOf = ({ block_hash, log_index }: Pick<account.Deposit, "block_hash" | "log_index">) =>
  `${block_hash}:${log_index}`;

async function decideOn(
  app: App,
  found: readonly FoundDeposit[],
  gone: readonly CreditedDeposit[],
): Promise<void> {
  const at = app.clock.now().toISOString();
  await forEach([...new Set([...found, ...gone].map(({ tenant }) => tenant))], (tenant) => {
    const ours = (one: { tenant: string }) => one.tenant === tenant;
    const standing = found.filter(ours).map(({ facts }) => facts);
    const decision = account.followDeposits(standing, gone.filter(ours), at);
    return app.decide(account, account.targetOf(tenant), decision, { meta });
  });
}
