/** One authorization offered to x402 and MPP at once is one claim, one transfer and one answer. */

import { keccak256 } from "viem/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import { balanceOf, openWorkshop, type Workshop } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { headerV1, signPayment } from "../support/buyer.ts";
import { countCalls } from "../support/notes.ts";
import { scaled } from "../support/scale.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";

let workshop: Workshop;
let service: Service & { database_url: string };
let other: Service;
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  const operations = [countCalls];
  // Callers have addresses of their own, since an address may repeat a hundred payments a minute.
  const env = { TRUST_PROXY: "1" };
  service = await startService({ operations, chain, env });
  // A second process of the same service, under the same public address.
  other = await startService({
    operations,
    chain,
    beside: service,
    env: { ...env, PUBLIC_URL: service.url },
  });
});
afterAll(async () => {
  await other?.stop();
  await service?.stop();
  await workshop?.close();
});

const PATH = "/v1/agent/count?limit=3";
const PAYMENTS = scaled(200, 20);
const AT_ONCE = 20;

/** The answer to a challenge, as it travels by either protocol. */
async function bothWays(payer: number, from: object) {
  const unpaid = await fetch(service.url + PATH, { headers: { ...from } });
  const { accepts } = (await unpaid.json()) as { accepts: Parameters<typeof signPayment>[1][] };
  const params = [...unpaid.headers.get("www-authenticate")!.matchAll(/(\w+)="([^"]*)"/g)];
  const challenge = Object.fromEntries(params.map(([, name, value]) => [name!, value!]));
  const nonce: Hex = keccak256(Buffer.from(`${challenge.id}${challenge.realm}`));
  const payment = await signPayment(wallet(payer), accepts[0]!, { nonce });
  const { authorization, signature } = payment;
  const credential = { challenge, payload: { type: "authorization", signature, ...authorization } };
  const mpp = { Authorization: `Payment ${Buffer.from(JSON.stringify(credential)).toString("base64url")}` };
  return [mpp, headerV1(payment)].map((headers) => ({ ...headers, ...from }));
}

const addressOf = (n: number) => ({ "X-Forwarded-For": `10.0.${n >> 8}.${n & 255}` });

/** As clients do: a payment that is under way is presented again. */
const presented = (url: string, headers: Record<string, string>) =>
  until(async () => {
    const answer = await fetch(url + PATH, { headers });
    return answer.status !== 503 && answer;
  });

test("each authorization is one event and one transfer, whatever protocol came first", async () => {
  const before = await balanceOf(workshop.chain, PAYEE);
  const events = new Set<string | null>();
  for (let done = 0; done < PAYMENTS; done += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, PAYMENTS - done) }, async (_, i) => {
        const [mpp, x402] = await bothWays(i % 8, addressOf(done + i));
        const urls = i % 2 ? [service.url, other.url] : [other.url, service.url];
        const answers = await Promise.all([presented(urls[0]!, mpp!), presented(urls[1]!, x402!)]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
        const [first, second] = answers.map(({ headers }) => headers.get("event-id"));
        expect(first).toBe(second);
        expect(answers[0]!.headers.get("payment-receipt")).toBeTruthy();
        events.add(first!);
      }),
    );
  expect(events.size).toBe(PAYMENTS);
  expect(await balanceOf(workshop.chain, PAYEE)).toBe(before + 50_000n * BigInt(PAYMENTS));
  await expectBooks(service.app);
}, 900_000);
