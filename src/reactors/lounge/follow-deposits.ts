/**
 * Whenever platform tokens reach the house, the account of the wallet that sent them is credited; whenever the chain takes such a
 * transfer back, so does the account.
 *
 * Deposits count from the block that is on L1 (`safe`) and are followed until theirs is final. A chain that is away, lags or
 * is another one changes nothing: the next turn asks again.
 */
import type { App } from "../../app.ts";
import type { Block, Hex } from "../../domain/chain.ts";
import * as account from "../../domain/lounge/account.ts";
import * as deposits from "../../domain/lounge/deposits.ts";
import { ATTO, DECIMALS } from "../../domain/lounge/token.ts";
import { walletTenant } from "../../domain/payments/payment.ts";
import { ChainUnavailable } from "../../domain/ports.ts";
import { type Token, type Transfer, tokenCalls, tokenIn } from "../../domain/wallet/token.ts";
import { type CreditedDeposit, creditedFrom, depositsProjection } from "../../projections/lounge/deposits.ts";
import { depositsTo } from "../../projections/wallet/read-transfers.ts";
import { alone, forEach, type Turn } from "../../turn.ts";
import { networkOf } from "../payments/search.ts";

/** A smaller transfer is a gift: otherwise anybody could fill the log for next to nothing. */
export const LEAST_DEPOSIT = ATTO;

/** Blocks between two events that say how far was looked, while no deposit calls for one. */
const TELL_EVERY = 10_000n;

/** Blocks looked through in a turn: a service that was away catches up in some turns. */
const AT_ONCE = 10_000n;

const NOBODY = `0x${"0".repeat(40)}`;

const meta = { actor: "reactor:lounge", operation: "lounge.deposits" };

/** What this process learned: the token as it describes itself, the final block it has looked at last, and the safe one. */
export type DepositMemory = { token?: Token; final?: bigint; safe?: Hex };

/** One turn, unless another process takes one; nothing is asked where there is no platform token. */
export async function followDeposits(app: App, memory: DepositMemory = {}): Promise<Turn> {
  const { platform_token } = app;
  if (!platform_token) return "done";
  try {
    return await alone(app, "deposits", () => turn(app, lower(platform_token), memory));
  } catch (error) {
    if (error instanceof ChainUnavailable) return "away";
    throw error;
  }
}

async function turn(app: App, address: Hex, memory: DepositMemory): Promise<Turn> {
  const { chain } = app;
  memory.token ??= await describedToken(app, address);
  const place = { network: networkOf(chain), token: address, pay_to: lower(app.pay_to) };
  const { safe, finalized } = await chain.heads();
  // A quiet chain is asked nothing more.
  if (memory.safe === safe.hash) return "done";
  const followed = await app.load(deposits, deposits.targetOf(place));
  // What was sent before the lounge opened is not a deposit.
  if (!followed) return tell(app, place, finalized);
  const known = await chain.block(BigInt(followed.block_number));
  if (known?.hash !== followed.block_hash) return known ? "foreign" : "behind";

  const told = BigInt(followed.block_number);
  const from_block = (memory.final && memory.final > told ? memory.final : told) + 1n;
  const to_block = lesser(safe.number, from_block + AT_ONCE - 1n);
  const isCurrent = await app.caughtUp(depositsProjection);
  const credited = await creditedFrom(app.pool, from_block);
  const transfers =
    to_block < from_block
      ? []
      : await depositsTo(chain, { token: address, to: place.pay_to }, { from_block, to_block });
  const found = transfers.filter(isDeposit).map((transfer) => depositOf(place.network, transfer));
  const gone = await goneOf(app, credited, new Set(found.map(({ facts }) => nameOf(facts))));
  if (!gone) return "behind";
  await decideOn(app, found, gone);

  // A deposit that the read model does not know yet must be looked at again.
  const final = lesser(finalized.number, to_block);
  if (!isCurrent) return "done";
  if (to_block === safe.number) memory.safe = safe.hash;
  if (final < from_block) return "done";
  const isDue = final - told > TELL_EVERY || found.some(({ facts }) => facts.block_number <= final);
  const block = isDue && (await chain.block(final));
  memory.final = final;
  return block ? tell(app, place, block) : "done";
}

/** Says how far was looked for good. */
async function tell(
  app: App,
  place: Parameters<typeof deposits.targetOf>[0],
  { number, hash }: Block,
): Promise<Turn> {
  const followed_at = app.clock.now().toISOString();
  const facts = { ...place, block_number: Number(number), block_hash: hash, followed_at };
  await app.decide(deposits, deposits.targetOf(place), deposits.follow(facts), { meta });
  return "done";
}

const lower = (address: string) => address.toLowerCase() as Hex;

const lesser = (a: bigint, b: bigint) => (a < b ? a : b);

async function describedToken({ chain }: App, address: Hex): Promise<Token> {
  const token = tokenIn(address, await chain.read(tokenCalls(address)));
  if (token?.decimals !== DECIMALS)
    throw new Error(`PLATFORM_TOKEN: at ${address} there is no token of ${DECIMALS} decimals`);
  return token;
}

const isDeposit = ({ from, to, amount }: Transfer) =>
  amount >= LEAST_DEPOSIT && from !== to && from !== NOBODY;

type Found = { tenant: string; facts: account.Deposit };

const depositOf = (network: string, transfer: Transfer): Found => {
  const { token, from, amount, transaction, block_number, block_hash, index } = transfer;
  const block = { block_hash, block_number: Number(block_number) };
  const facts = { network, token, transaction, log_index: index, ...block, amount_atto: String(amount) };
  return { tenant: walletTenant(from), facts };
};

const nameOf = ({ block_hash, log_index }: Pick<account.Deposit, "block_hash" | "log_index">) =>
  `${block_hash}:${log_index}`;

/** What is credited and stands in the chain no more; undefined where the node does not reach that far. */
async function goneOf(
  { chain }: App,
  credited: readonly CreditedDeposit[],
  standing: ReadonlySet<string>,
): Promise<CreditedDeposit[] | undefined> {
  const missing = credited.filter((one) => !standing.has(nameOf(one)));
  const blocks = await forEach(missing, ({ block_number }) => chain.block(BigInt(block_number)));
  if (blocks.some((block) => !block)) return undefined;
  // Still there, but not among the logs that were asked for: above the safe block, or a node that contradicts itself.
  return missing.filter(({ block_hash }, at) => blocks[at]!.hash !== block_hash);
}

async function decideOn(app: App, found: readonly Found[], gone: readonly CreditedDeposit[]): Promise<void> {
  const at = app.clock.now().toISOString();
  await forEach([...new Set([...found, ...gone].map(({ tenant }) => tenant))], (tenant) => {
    const ours = (one: { tenant: string }) => one.tenant === tenant;
    const standing = found.filter(ours).map(({ facts }) => facts);
    const decision = account.followDeposits(standing, gone.filter(ours), at);
    return app.decide(account, account.targetOf(tenant), decision, { meta });
  });
}
