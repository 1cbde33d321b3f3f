/**
 * Finds USDC that a stranger sent by an authorization that nobody presented here. It is refunded, or kept if a refund
 * would cost more. Only final transfers count, once their payer had time to make the call.
 */
import type { App } from "../../core/app.ts";
import type { Tick } from "../../core/background/reactor.ts";
import { forEach } from "../../core/coordination/concurrency.ts";
import { type Hex, networkOf } from "../../core/model/chain.ts";
import { ChainUnavailable } from "../../core/model/ports/chain.ts";
import * as payments from "../../domain/payments/payment.ts";
import { paidTo, USDC } from "../../domain/payments/usdc.ts";
import { type IncomingBlock, incomingBlocks, recordCompared } from "../../projections/payments/incoming.ts";

/** Blocks per tick; a service that was down catches up over several ticks. */
const BLOCKS = 200;

const meta = { actor: "reactor:payments", operation: "payments.find" };

/**
 * Compares incoming transfers older than `answer_within_ms` with the log, oldest first. Rejects with ChainUnavailable.
 */
export async function findPayments(
  { app, lease }: Pick<Tick, "app" | "lease">,
  answer_within_ms = 900_000,
): Promise<void> {
  const asset = USDC.address.toLowerCase() as Hex;
  const chainAccount = {
    network: networkOf(app.chain),
    account: app.pay_to.toLowerCase() as Hex,
    token: asset,
  };
  const blocks = await incomingBlocks(app.pool, chainAccount, BLOCKS);
  let reached: bigint | undefined;
  for (const block of blocks) {
    const missing = await missingIn(app, block, chainAccount.account);
    if (missing.length > 0 && (await isYoung(app, block, answer_within_ms))) break;
    const cost = missing.length > 0 ? await app.gas.refund_cost_micro() : 0n;
    for (const [id, found] of missing)
      await app.decide(payments, payments.targetOf(id), payments.recordFound(found, cost), { meta });
    reached = block.block_number;
  }
  if (reached === undefined) return;
  const last = reached;
  await lease.transaction((tx) => recordCompared(tx, chainAccount, last));
}

/** Payments in a block that the log does not have, by id. */
async function missingIn(
  app: App,
  { block_number, transactions }: IncomingBlock,
  pay_to: Hex,
): Promise<[string, payments.FoundPayment][]> {
  const found_at = app.clock.now().toISOString();
  const found = await forEach(transactions, async (transaction) => {
    const receipt = await app.chain.receipt(transaction);
    if (!receipt)
      throw new ChainUnavailable(`the node does not know ${transaction} of block ${block_number}`);
    const { network, asset } = { network: networkOf(app.chain), asset: USDC.address.toLowerCase() as Hex };
    const worth_it = paidTo(receipt, pay_to).filter(({ value }) => value >= payments.SMALLEST_MICRO);
    return worth_it.map(({ from: payer, nonce, value }) => {
      const name = { network, asset, payer, nonce };
      const paid = { ...name, pay_to, amount_micro: Number(value), ...payments.minedBy(receipt), found_at };
      return [payments.idOf(name), paid] as [string, payments.FoundPayment];
    });
  });
  const unknown = await forEach(found.flat(), async ([id, paid]) => {
    const state = await app.load(payments, payments.targetOf(id));
    return state === undefined ? [[id, paid] as [string, payments.FoundPayment]] : [];
  });
  return unknown.flat();
}

async function isYoung({ chain, clock }: App, { block_number }: IncomingBlock, ms: number): Promise<boolean> {
  const block = await chain.block(block_number);
  if (!block) throw new ChainUnavailable(`the node does not know block ${block_number}`);
  return clock.now().getTime() - 1_000 * block.timestamp < ms;
}
