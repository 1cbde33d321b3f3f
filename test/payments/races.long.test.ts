/**
 * Strangers send payments while their payers present them, at two processes: all are answered, and the books have every
 * transfer.
 */
import type { ChildProcess } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { balanceOf, carriedByStranger, openWorkshop, type Workshop } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { present, quoteOf, type SignedPayment, signPayment } from "../support/buyer.ts";
import { scaled } from "../support/scale.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { walletProof } from "../support/wallet-proof.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";
import { type DoomedService, startDoomed } from "./doomed.ts";
import { sampleOperations } from "./sample-operations.ts";
import { signedOf } from "./stall.ts";

const PAYMENTS = scaled(16, 4);
const ROUNDS = scaled(1);
const PRICE = 50_000n;

let workshop: Workshop;
let survivor: Service & { database_url: string };
let other: DoomedService;
const children: ChildProcess[] = [];
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  const env = { OPEN_CALLS_PER_MINUTE: "100000", SETTLE_OPEN: "1" };
  survivor = await startService({ operations: sampleOperations, chain, env });
  other = await startDoomed("none", survivor, workshop, children);
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await survivor?.stop();
  await workshop?.close();
});

const urlOf = (i: number) => (i % 2 ? other.url : survivor.url);
const echo = (say: string, url: string) => `${url}/v1/agent/test/echo?say=${say}`;
const earned = () => balanceOf(workshop.chain, PAYEE);
const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms));
const sign = async (payer: number) => signPayment(wallet(payer), await quoteOf(echo("race", survivor.url)));

/** The signature of the wallet that signed the payment. */
async function signsIn(url: string, { authorization }: SignedPayment): Promise<RequestInit> {
  const payer = [0, 1, 2, 3, 4, 5, 6, 7].map(wallet).find(({ address }) => address === authorization.from)!;
  return { headers: await walletProof(payer, url.split("?")[0]!, { method: "GET" }) };
}

/** Retries like a client that must wait or finds nobody there; then it calls the remaining process. */
function askedAgain(say: string, url: string, paid: SignedPayment): Promise<Response> {
  let path = url;
  return until(async () => {
    const url = echo(say, path);
    // A payment that was on the chain before its call also requires its payer's signature.
    const answer = await present(url, paid)
      .then(async (first) => (first.status === 401 ? present(url, paid, await signsIn(url, paid)) : first))
      .catch(() => undefined);
    if (!answer) path = survivor.url;
    return answer !== undefined && answer.status !== 503 && answer;
  });
}

const x402 = (paid: SignedPayment) => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({
    paymentPayload: { x402Version: 1, scheme: "exact", network: "base", payload: paid },
    paymentRequirements: {
      scheme: "exact",
      network: "base",
      maxAmountRequired: String(PRICE),
      payTo: PAYEE,
      asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    },
  }),
});

/** Whether the other process has claimed payments after this position that are not settled. */
async function hasOpenClaims(after: number): Promise<boolean> {
  const { store, presence } = survivor.app;
  const open = new Set<string>();
  for (const { type, stream_id, payload } of await store.readLog({ after, limit: 10_000 })) {
    if (type === "PaymentClaimed" && payload.holder !== presence.name) open.add(stream_id);
    if (type === "PaymentSettled") open.delete(stream_id);
  }
  return open.size > 0;
}

/** A stranger has one account, which sends one transaction after the other. */
let sending: Promise<unknown> = Promise.resolve();
function carry(paid: SignedPayment): Promise<unknown> {
  sending = sending.then(() => carriedByStranger(workshop, signedOf(paid)));
  return sending;
}

const pastTheService = (paid: SignedPayment): Promise<unknown> => carry(paid);
const byOurEndpoint = (paid: SignedPayment, i: number): Promise<unknown> =>
  fetch(`${urlOf(i)}/x402/settle`, x402(paid)).catch(() => undefined);

/** Presents each payment and sends it within 300 ms; returns the statuses of the answers. */
async function race(say: string, carries: (paid: SignedPayment, i: number) => Promise<unknown>) {
  const signed = await Promise.all(Array.from({ length: PAYMENTS }, (_, i) => sign(i % 8)));
  return Promise.all(
    signed.map(async (paid, i) => {
      const carrying = pause((i * 7.5) % 300).then(() => carries(paid, i));
      const answer = await askedAgain(`${say}_${i}`, urlOf(i), paid);
      await carrying;
      return answer.status;
    }),
  );
}

test("40 equal settles and 100 verifies during a paid call: no final refusal for a payment that settles", async () => {
  const ask = async (where: string, paid: SignedPayment, i: number) => {
    const answer = await fetch(`${urlOf(i)}/x402/${where}`, x402(paid));
    const body = (await answer.json()) as {
      isValid?: boolean;
      success?: boolean;
      invalidMessage?: string;
      errorMessage?: string;
    };
    // On this chain a block is final a moment later, and then the payment may count as used.
    const isFinal = /was settled and has bought/.test(body.invalidMessage ?? body.errorMessage ?? "");
    return answer.status === 503 || body.isValid || body.success || isFinal ? [] : [body];
  };
  for (let round = 0; round < ROUNDS; round++) {
    const [paid, settled] = [await sign(5), await sign(6)];
    const [bought, ...result] = await Promise.all([
      askedAgain(`round_${round}`, survivor.url, paid),
      ...Array.from({ length: 100 }, (_, i) => ask("verify", i % 2 ? paid : settled, i)),
      ...Array.from({ length: 40 }, (_, i) => ask("settle", settled, i)),
    ]);
    expect(bought.status).toBe(200);
    expect(result.flat()).toEqual([]);
    expect((await askedAgain(`after_${round}`, other.url, settled)).status).toBe(200);
  }
  await expectBooks(survivor.app);
});

describe("payments sent within 300 ms of being presented, by two processes, are all answered", () => {
  test.each([
    { whom: "past the service", carries: pastTheService, dies: false },
    { whom: "by our own endpoint", carries: byOurEndpoint, dies: false },
    // Last, because the other process is gone afterwards.
    { whom: "either way, while one process is killed", carries: eitherWay, dies: true },
  ])("$whom", async ({ whom, carries, dies }) => {
    const before = await earned();
    const { position } = await survivor.app.store.head();
    const racing = race(whom.replaceAll(/\W+/g, "_"), carries);
    if (dies) {
      await until(() => hasOpenClaims(position));
      other.child.kill("SIGKILL");
    }
    expect(await racing).toEqual(Array(PAYMENTS).fill(200));
    expect(await earned()).toBe(before + BigInt(PAYMENTS) * PRICE);
    await expectBooks(survivor.app);
  });
});

function eitherWay(paid: SignedPayment, i: number): Promise<unknown> {
  return i % 4 < 2 ? pastTheService(paid) : byOurEndpoint(paid, i);
}
