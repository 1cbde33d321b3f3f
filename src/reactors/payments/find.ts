/**
 * Whenever USDC came in by an authorization that nobody asked anything for, it is given back, or kept where that would cost more than it is: a
 * stranger carried it to the chain, and whoever signed it never presented it here. Only final transfers are looked at, and only once their payer had time to ask.
 */
import type { App } from "../../core/app.ts";
import type { Tick } from "../../core/background/reactor.ts";
import { forEach } from "../../core/coordination/concurrency.ts";
import { type Hex, networkOf } from "../../core/model/chain.ts";
import { ChainUnavailable } from "../../core/model/ports/chain.ts";
import * as payments from "../../domain/payments/payment.ts";
import { paidTo, USDC } from "../../domain/payments/usdc.ts";
import { type Incoming, incoming, lookedFor } from "../../projections/payments/incoming.ts";

/** Blocks of one turn: a service that was away catches up in some turns. */
const BLOCKS = 200;

const meta = { actor: "reactor:payments", operation: "payments.find" };

/** Compares what came in with the log, oldest first, as far as `answer_within_ms` have passed. Rejects with ChainUnavailable. */
export async function findPayments(
  { app, lease }: Pick<Tick, "app" | "lease">,
  answer_within_ms = 900_000,
): Promise<void> {
  const asset = USDC.address.toLowerCase() as Hex;
  const place = { network: networkOf(app.chain), account: app.pay_to.toLowerCase() as Hex, token: asset };
  const blocks = await incoming(app.pool, place, BLOCKS);
  let reached: bigint | undefined;
  for (const block of blocks) {
    const unasked = await unaskedIn(app, block, place.account);
    if (unasked.length > 0 && (await isYoung(app, block, answer_within_ms))) break;
    const cost = unasked.length > 0 ? await app.gas.refund_cost_micro() : 0n;
    for (const [id, found] of unasked)
      await app.decide(payments, payments.targetOf(id), payments.find(found, cost), { meta });
    reached = block.block_number;
  }
  if (reached === undefined) return;
  const last = reached;
  await lease.transaction((tx) => lookedFor(tx, place, last));
}

/** The payments in a block that the log does not know, by their names. */
async function unaskedIn(
  app: App,
  { block_number, transactions }: Incoming,
  pay_to: Hex,
): Promise<[string, payments.Found][]> {
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
      return [payments.idOf(name), paid] as [string, payments.Found];
    });
  });
  const unknown = await forEach(found.flat(), async ([id, paid]) => {
    const state = await app.load(payments, payments.targetOf(id));
    return state === undefined ? [[id, paid] as [string, payments.Found]] : [];
  });
  return unknown.flat();
}

async function isYoung({ chain, clock }: App, { block_number }: Incoming, ms: number): Promise<boolean> {
  const block = await chain.block(block_number);
  if (!block) throw new ChainUnavailable(`the node does not know block ${block_number}`);
  return clock.now().getTime() - 1_000 * block.timestamp < ms;
}
