/** Attacks on channels at size: two processes, vouchers in any order and again and again, and an operator's old backup. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { readChannels } from "../../src/chain/channels.ts";
import * as channels from "../../src/domain/payments/channel.ts";
import { channelsReactor } from "../../src/reactors/payments/channels.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import {
  ChannelPayer,
  type ChannelTerms,
  chargeOf,
  present,
  requiredOf,
  termsOf,
} from "../support/channels.ts";
import { copyOfDatabase } from "../support/database.ts";
import { replace } from "../support/replace.ts";
import { scaled } from "../support/scale.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";
import { sampleOperations } from "./sample-operations.ts";

const PRICE = 50_000;
const DEPOSIT = 20_000_000;

let workshop: Workshop;
let service: Service & { database_url: string };
let other: Service;
let chain: { rpc_url: string; gas_key: typeof GAS_KEY; pay_to: typeof PAYEE };
let terms: ChannelTerms;
beforeAll(async () => {
  workshop = await openWorkshop();
  chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  // Callers have addresses of their own, since an address may send a hundred bad payments a minute.
  const env = { TRUST_PROXY: "1" };
  service = await startService({ operations: sampleOperations, chain, env });
  other = await startService({ operations: sampleOperations, chain, beside: service, env });
  replace(service.app, { gas: { ...service.app.gas, cost_micro: async () => 0n } });
  terms = await termsOf(`${service.url}/v1/agent/test/echo?say=terms`);
});
afterAll(async () => {
  await other?.stop();
  await service?.stop();
  await workshop?.close();
});

let addresses = 0;
const elsewhere = () => {
  const n = addresses++;
  return { headers: { "X-Forwarded-For": `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}` } };
};
const echo = (url: string, say: string) => `${url}/v1/agent/test/echo?say=${say}`;
const idOf = ({ config, id }: ChannelPayer) =>
  channels.idOf({ network: "eip155:8453", channel_id: id, config });
const stateOf = (payer: ChannelPayer, { app }: Service = service) =>
  app.load(channels, channels.targetOf(idOf(payer)));

async function opened(index: number): Promise<ChannelPayer> {
  const payer = new ChannelPayer(wallet(index), terms);
  const answer = await payer.pay(echo(service.url, "first"), terms, { deposit: DEPOSIT }, elsewhere());
  expect(answer.status).toBe(200);
  return payer;
}

async function sumsOf(payer: ChannelPayer): Promise<number[]> {
  const stream = { tenant: `wallet:${payer.config.payer}`, stream_id: channels.streamOf(idOf(payer)) };
  const recorded = await service.app.store.readStream({ ...stream, limit: 100_000 });
  return service.app
    .eventsOf(channels, recorded)
    .flatMap((event) => (event.type === "VoucherAccepted" ? [event.data.charged_micro] : []));
}

test("vouchers in any order, again and again, at two processes: each sum buys one call", async () => {
  const payer = await opened(0);
  const count = scaled(40, 8);
  // All are signed in advance, and each is sent for three different calls.
  const vouchers = await Promise.all(
    Array.from({ length: count }, (_, n) => payer.payment(terms, { max: (n + 2) * PRICE })),
  );
  let done = 0;
  const bought = new Map<number, number>();
  for (let round = 0; done < count && round < 10 * count; round++) {
    const sent = [done, done, done + 1, Math.max(0, done - 1), count - 1].filter((n) => n < count).reverse();
    const answers = await Promise.all(
      sent.map(async (n, i) => {
        const url = echo((round + i) % 2 ? service.url : other.url, `r${round}-${i}`);
        const answer = await present(url, vouchers[n]!, elsewhere());
        await answer.arrayBuffer();
        return { n, answer };
      }),
    );
    for (const { n, answer } of answers) {
      expect([200, 402]).toContain(answer.status);
      if (answer.status === 200) bought.set(n, (bought.get(n) ?? 0) + 1);
    }
    while (bought.has(done)) done += 1;
  }
  expect([...bought.values()].every((times) => times === 1)).toBe(true);
  expect(bought.size).toBe(count);
  expect(await sumsOf(payer)).toEqual(Array.from({ length: count + 1 }, (_, n) => (n + 1) * PRICE));
});

test("two channels of one wallet do not pay for each other", async () => {
  const [one, two] = [await opened(1), await opened(1)];
  const calls = scaled(20, 4);
  const spend = async (payer: ChannelPayer, url: string) => {
    for (let n = 0; n < calls; n++)
      expect((await payer.pay(echo(url, `own-${n}`), terms, {}, elsewhere())).status).toBe(200);
  };
  await Promise.all([spend(one, service.url), spend(two, other.url)]);
  const stolen = await one.payment(terms);
  const mixed = {
    ...stolen,
    payload: { ...stolen.payload, channelConfig: (await two.payment(terms)).payload.channelConfig },
  };
  expect(requiredOf(await present(echo(service.url, "mixed"), mixed, elsewhere())).error).toMatch(
    /channel_id_mismatch$/,
  );
  const sums = Array.from({ length: calls + 1 }, (_, n) => (n + 1) * PRICE);
  expect([await sumsOf(one), await sumsOf(two)]).toEqual([sums, sums]);
});

test("an operator restored from an old backup learns from the chain, and charges nobody twice", async () => {
  const payer = await opened(2);
  const copy = await copyOfDatabase({ url: service.database_url });
  for (let n = 0; n < 3; n++) await payer.pay(echo(service.url, `after-${n}`), terms, {}, elsewhere());
  await turn(service.app, channelsReactor({ read_every_ms: 0, claim_after_ms: 0 }), { patient: true });
  await payer.pay(echo(service.url, "unclaimed"), terms, {}, elsewhere());
  expect(await stateOf(payer)).toMatchObject({
    charged_micro: 5 * PRICE,
    chain: { claimed_micro: 4 * PRICE },
  });

  const restored = await startService({ operations: sampleOperations, chain, database_url: copy.url });
  try {
    expect(await stateOf(payer, restored)).toMatchObject({ charged_micro: PRICE });
    const next = await payer.payment(terms);
    const { error, terms: corrected } = requiredOf(
      await present(echo(restored.url, "next"), next, elsewhere()),
    );
    expect(error).toMatch(/cumulative_amount_mismatch$/);
    // The chain knows the claims; the unclaimed call is forgotten, at the operator's loss.
    expect(corrected.extra.channelState).toMatchObject({
      chargedCumulativeAmount: String(4 * PRICE),
      totalClaimed: String(4 * PRICE),
    });
    const answer = await payer.pay(echo(restored.url, "on"), terms, { max: 5 * PRICE }, elsewhere());
    expect(answer.status).toBe(200);
    expect(chargeOf(answer).extra?.chargedAmount).toBe(String(PRICE));
    replace(restored.app, { gas: { ...restored.app.gas, cost_micro: async () => 0n } });
    await turn(restored.app, channelsReactor({ read_every_ms: 0, claim_after_ms: 0 }), { patient: true });
    const [seen] = await readChannels(workshop.chain, [payer.id]);
    expect(seen).toMatchObject({ claimed_micro: 5 * PRICE, balance_micro: DEPOSIT });
  } finally {
    await restored.stop();
    await copy.drop();
  }
});

// Last: it looks at all channels.
test("the books of both processes agree with the chain", async () => {
  await turn(service.app, channelsReactor({ read_every_ms: 0, claim_after_ms: 0 }), { patient: true });
  await expectBooks(service.app);
});
