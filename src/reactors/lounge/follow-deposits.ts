/**
 * Whenever platform tokens reach the house, the account of the wallet that sent them is credited; whenever the chain takes such a
 * transfer back, so does the account.
 *
 * Deposits count from the block that is on L1 (`safe`) and are followed until theirs is final. A chain that is away, lags or
 * is another one changes nothing: the next turn asks again.
 */
import type { App } from "../../app.ts";
import * as account from "../../domain/lounge/account.ts";
import * as deposits from "../../domain/lounge/deposits.ts";
import { ATTO, DECIMALS } from "../../domain/lounge/token.ts";
import { walletTenant } from "../../domain/payments/payment.ts";
import { ChainUnavailable, type Hex } from "../../domain/ports.ts";
import { type Token, type Transfer, tokenCalls, tokenIn } from "../../domain/wallet/token.ts";
import { type CreditedDeposit, creditedFrom, depositsProjection } from "../../projections/lounge/deposits.ts";
import { depositsTo } from "../../projections/wallet/read-transfers.ts";
import { alone, forEach, type Turn } from "../../turn.ts";
import { networkOf } from "../payments/search.ts";

/** A smaller transfer is a gift: otherwise anybody could fill the log for next to nothing. */
export const LEAST_DEPOSIT = ATTO;

/** Blocks between two events that say how far was looked, while no deposit calls for one. */
const TELL_EVERY = 10_000;

const NOBODY = `0x${"0".repeat(40)}`;

const meta = { actor: "reactor:lounge", operation: "lounge.deposits" };

/** What this process learned: the token as it describes itself, and the final block it has looked at last. */
export type DepositMemory = { token?: Token; final?: bigint };

/** One turn, unless another process takes one; nothing is asked where there is no platform token. */
export async function followDeposits(app: App, memory: DepositMemory = {}): Promise<Turn> {
  const { platform_token } = app;
  if (!platform_token) return "done";
  try {
    return await alone(app, "deposits", () => turn(app, platform_token, memory));
  } catch (error) {
    if (error instanceof ChainUnavailable) return "away";
    throw error;
  }
}

async function turn(app: App, address: Hex, memory: DepositMemory): Promise<Turn> {
  const { chain } = app;
  memory.token ??= await describedToken(app, address);
  const network = networkOf(chain);
  const place = { network, token: address, pay_to: app.pay_to };
  const { safe, finalized } = await chain.heads();
  const tell = async (): Promise<Turn> => {
    const { number, hash } = finalized;
    const followed_at = app.clock.now().toISOString();
    const facts = { ...place, block_number: Number(number), block_hash: hash, followed_at };
    await app.decide(deposits, deposits.targetOf(place), deposits.follow(facts), { meta });
    return "done";
  };
  const followed = await app.load(deposits, deposits.targetOf(place));
  // What was sent before the lounge opened is not a deposit.
  if (!followed) return tell();
  const known = await chain.block(BigInt(followed.block_number));
  if (known?.hash !== followed.block_hash) return known ? "foreign" : "behind";

  const looked = BigInt(followed.block_number);
  const from_block = (memory.final && memory.final > looked ? memory.final : looked) + 1n;
  const isCurrent = await app.caughtUp(depositsProjection);
  const credited = await creditedFrom(app.pool, from_block);
  const found =
    from_block > safe.number
      ? []
      : await depositsTo(chain, { token: address, to: app.pay_to }, { from_block, to_block: safe.number });
  const taken = found.filter(isDeposit).map((transfer) => depositOf(network, transfer));
  const gone = await goneOf(app, credited, new Set(taken.map(({ facts }) => nameOf(facts))));
  if (!gone) return "behind";
  await decideOn(app, taken, gone);

  // A deposit that the read model does not know yet must be looked at again.
  if (!isCurrent) return "done";
  memory.final = finalized.number;
  const isFinal = [...taken.map(({ facts }) => facts), ...credited].some(
    ({ block_number }) => block_number <= finalized.number,
  );
  return isFinal || finalized.number - looked > TELL_EVERY ? tell() : "done";
}

async function describedToken({ chain }: App, address: Hex): Promise<Token> {
  const token = tokenIn(address, await chain.read(tokenCalls(address)));
  if (token?.decimals !== DECIMALS)
    throw new Error(`PLATFORM_TOKEN: at ${address} there is no token of ${DECIMALS} decimals`);
  return token;
}

const isDeposit = ({ from, to, amount }: Transfer) =>
  amount >= LEAST_DEPOSIT && from !== to && from !== NOBODY;

type Taken = { tenant: string; facts: account.Deposit };

const depositOf = (network: string, transfer: Transfer): Taken => {
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

async function decideOn(app: App, taken: readonly Taken[], gone: readonly CreditedDeposit[]): Promise<void> {
  const at = app.clock.now().toISOString();
  await forEach([...new Set([...taken, ...gone].map(({ tenant }) => tenant))], (tenant) => {
    const ours = (one: { tenant: string }) => one.tenant === tenant;
    const found = taken.filter(ours).map(({ facts }) => facts);
    const decision = account.followDeposits(found, gone.filter(ours), at);
    return app.decide(account, account.targetOf(tenant), decision, { meta });
  });
}
