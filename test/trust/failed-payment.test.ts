/** A payment that fails at any step leaves no attestation, neither in the log nor for the chain. */
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { TransactionPending } from "../../src/core/model/ports/chain.ts";
import { NotSettled } from "../../src/core/model/ports/settlement.ts";
import { storyOf as storyAt } from "../payments/stall.ts";
import { aroundCommits, typesOf } from "../support/around-commits.ts";
import { buy, present, quoteOf, type SignedPayment, signPayment } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { agencyOf } from "./agency.ts";

let service: Service;
const poor = privateKeyToAccount(generatePrivateKey());
beforeAll(async () => {
  service = await startService({ chain: "embedded" });
  const agency = agencyOf(service.app);
  for (let n = 1; n <= 3; n++) await agency.register(n);
  for (const [n, address] of [
    [1, addressOf(wallet(1))],
    [2, addressOf(poor)],
  ] as const) {
    await agency.prove(n, address);
    await agency.bind(n, address);
  }
});
afterAll(() => service.stop());

const undo: (() => void)[] = [];
afterEach(() => {
  for (const one of undo.splice(0)) one();
});

/** Makes a part of the service fail until the end of the test. */
function breaks<Part extends object, Name extends keyof Part>(part: Part, name: Name, by: Part[Name]): void {
  const whole = part[name];
  part[name] = by;
  undo.push(() => {
    part[name] = whole;
  });
}

/** Makes the log refuse commits with an event of this type until the end of the test. */
function refuses(type: string): void {
  const leaveAlone = aroundCommits(service.app.store, (commit, send) =>
    typesOf(commit).includes(type) ? Promise.reject(new Error("the disk is full")) : send(),
  );
  undo.push(leaveAlone);
}

const storyOf = (paid: SignedPayment) => storyAt(service, paid);

const url = () => `${service.url}/v1/agent/soul/attest`;
const said = (skill: string): RequestInit => ({
  method: "POST",
  body: JSON.stringify({ subject: "SX#3", skill }),
  headers: { "Content-Type": "application/json" },
});

async function left(): Promise<{ made: number; settled: number }> {
  const { rows } = await service.app.pool.query<{ made: number; settled: number }>(
    `select count(*) filter (where type = 'AttestationMade')::int as made,
            count(*) filter (where type = 'PaymentSettled')::int as settled from eventstore.events`,
  );
  return rows[0]!;
}

test("an attestation without a signature takes no payment", async () => {
  breaks(service.app.attester, "sign", () => Promise.reject(new Error("no key")));
  const { answer } = await buy(wallet(1), url(), said("unsigned"));
  expect(answer.status).toBeGreaterThanOrEqual(500);
  expect(await left()).toEqual({ made: 0, settled: 0 });
});

test("a wallet without money leaves no attestation", async () => {
  const { answer } = await buy(poor, url(), said("unfunded"));
  expect(answer.status).toBe(402);
  expect(await left()).toEqual({ made: 0, settled: 0 });
});

test("another's signature leaves no attestation", async () => {
  const quote = await quoteOf(url(), said("forged"));
  const payment = await signPayment(poor, quote, { from: wallet(1).address });
  expect((await present(url(), payment, said("forged"))).status).toBe(402);
  expect(await left()).toEqual({ made: 0, settled: 0 });
});

test("an unknown subject leaves no attestation", async () => {
  const { answer } = await buy(wallet(1), url(), {
    ...said("nobody"),
    body: JSON.stringify({ subject: "SX#99", skill: "nobody" }),
  });
  expect(answer.status).toBe(404);
  expect(await left()).toEqual({ made: 0, settled: 0 });
});

test("a payment that the chain refuses is reported and leaves nothing else", async () => {
  breaks(service.app.settlement, "settle", () => Promise.reject(new NotSettled("not enough just now")));
  const { payment, answer } = await buy(wallet(1), url(), said("refused"));
  expect(answer.status).toBe(402);
  expect(await left()).toEqual({ made: 0, settled: 0 });
  expect(await storyOf(payment)).toEqual(["PaymentClaimed", "PaymentFailed"]);
});

test("a claim that the log refuses sends nothing", async () => {
  const { settle } = service.app.settlement;
  let sent = 0;
  breaks(service.app.settlement, "settle", (...of: Parameters<typeof settle>) => {
    sent++;
    return settle.apply(service.app.settlement, of);
  });
  refuses("PaymentClaimed");
  const { payment, answer } = await buy(wallet(1), url(), said("unclaimed"));
  expect(answer.status).toBeGreaterThanOrEqual(500);
  expect([sent, await storyOf(payment)]).toEqual([0, []]);
  expect(await left()).toEqual({ made: 0, settled: 0 });
});

test("a payment with an unknown outcome leaves no attestation until the outcome is known", async () => {
  breaks(service.app.settlement, "settle", () => Promise.reject(new TransactionPending([])));
  const { payment, answer } = await buy(wallet(1), url(), said("unknown"));
  expect(answer.status).toBe(503);
  expect(await left()).toEqual({ made: 0, settled: 0 });
  expect(await storyOf(payment)).toEqual(["PaymentClaimed"]);
});

test("a final commit that the log refuses leaves no attestation, and the payment is refunded and buys nothing more", async () => {
  refuses("AttestationMade");
  const { payment, answer } = await buy(wallet(1), url(), said("translation"));
  expect(answer.status).toBeGreaterThanOrEqual(500);
  expect(await left()).toEqual({ made: 0, settled: 1 });
  for (const one of undo.splice(0)) one();
  const again = await present(url(), payment, said("translation"));
  expect([again.status, await again.text()]).toEqual([402, expect.stringContaining("refund")]);
  expect(await left()).toEqual({ made: 0, settled: 1 });
});
