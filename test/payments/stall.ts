/** A selling service on a chain that tests can disturb, and queries of its payments. */

import { expect } from "vitest";
import type { BaseChain } from "../../src/adapters/base-chain.ts";
import { chainSettlement } from "../../src/adapters/settlement.ts";
import { settlementOnLogsChain } from "../../src/chain/settlement.ts";
import type { App } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import type { SignedTransfer } from "../../src/core/model/ports/settlement.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { paymentsProjection } from "../../src/projections/payments/payments.ts";
import { type ReconcileOptions, reconcile } from "../../src/reactors/payments/reconcile.ts";
import { payRefunds } from "../../src/reactors/payments/refund.ts";
import { balanceOf, carriedByStranger, openWorkshop, type Workshop } from "../chain/fixture.ts";
import { type Meddler, openMeddler } from "../chain/meddler.ts";
import { expectBooks } from "../support/books.ts";
import { present, quoteOf, type SignedPayment, signPayment } from "../support/buyer.ts";
import { replace } from "../support/replace.ts";
import { type Service, startService } from "../support/service.ts";
import { DOOMED_SECONDS, turnOf } from "../support/turns.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { addressOf, GAS_KEY, PAYEE, payment, wallet } from "../support/wallets.ts";
import { sampleOperations } from "./sample-operations.ts";

/** The reactors of payments, one tick at a time, each over a read model with the whole log. */
export type Reactors = {
  reconcile(options?: ReconcileOptions): Promise<string>;
  payRefunds(): Promise<string>;
};

export type Stall = Reactors & {
  workshop: Workshop;
  service: Service & { database_url: string };
  meddler: Meddler;
  /** The service's chain client, without the disturbance and with short timeouts. */
  chain: BaseChain;
  /** Settings for a service that takes payments on this chain. */
  settings: { rpc_url: string; gas_key: Hex; pay_to: Hex };
  echoUrl(say: string): string;
  /** A payment for the echo, valid for five minutes. */
  sign(say: string, payer?: number): Promise<SignedPayment>;
  pay(say: string, paid: SignedPayment): Promise<Response>;
  /** Retries as the answer says, until there is a result. */
  askedAgain(say: string, paid: SignedPayment): Promise<Response>;
  earned(): Promise<bigint>;
  position(): Promise<number>;
  mine(blocks: number): Promise<void>;
  close(): Promise<void>;
};

/** A payment's id and stream. */
export function nameOf({ authorization }: SignedPayment): string {
  return payments.idOf({
    network: "eip155:8453",
    asset: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
    payer: authorization.from.toLowerCase() as Hex,
    nonce: authorization.nonce as Hex,
  });
}

/** The payment in its on-chain form. */
export const signedOf = ({ authorization, signature }: SignedPayment): SignedTransfer => {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return {
    transfer: {
      from: from.toLowerCase() as Hex,
      to: to as Hex,
      value: BigInt(value),
      valid_after: BigInt(validAfter),
      valid_before: BigInt(validBefore),
      nonce: nonce as Hex,
    },
    signature: signature as Hex,
  };
};

/** A part is down, and the answer names it and when to retry. */
export async function expectAway(answer: Response, type: string): Promise<void> {
  expect(await answer.clone().json()).toMatchObject({
    type: `${new URL(answer.url).origin}/problems#${type}`,
  });
  await expectLater(answer);
}

/** The answer says when to retry, whichever part is down: a retry may meet it once more. */
async function expectLater(answer: Response): Promise<void> {
  expect(await answer.json()).toMatchObject({ status: 503 });
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
}

export async function expectAnswered(answer: Response, say: string): Promise<string> {
  const text = await answer.text();
  expect(JSON.parse(text)).toMatchObject({ data: { said: say } });
  expect(answer.status).toBe(200);
  return text;
}

/** Types of a payment's events. */
export async function storyOf({ app }: Pick<Service, "app">, paid: SignedPayment): Promise<string[]> {
  const { tenant, id } = payments.targetOf(nameOf(paid));
  const events = await app.store.readStream({ tenant, stream_id: payments.streamOf(id) });
  return events.map(({ type }) => type);
}

export function reactorsOf(app: App): Reactors {
  const folded = async () => {
    const { position } = await app.store.head();
    await app.runner.reached(paymentsProjection, position, LIMIT_MS);
  };
  const brief = { seconds: DOOMED_SECONDS };
  return {
    reconcile: async (options = {}) => {
      await folded();
      const { status } = await turnOf(app, "payments", (turn) => reconcile(turn.app, options), brief);
      await folded();
      return status;
    },
    payRefunds: async () => {
      await folded();
      return (await turnOf(app, "payments", (turn) => payRefunds(turn.app, turn), brief)).status;
    },
  };
}

export async function openStall(): Promise<Stall> {
  const workshop = await openWorkshop();
  const meddler = await openMeddler(workshop.node.rpc_url);
  const settings = { rpc_url: meddler.url, gas_key: GAS_KEY, pay_to: PAYEE };
  const service = await startService({ operations: sampleOperations, chain: settings });
  const { app } = service;
  const chain = workshop.connect({
    ...{ rpc_url: meddler.url, request_ms: 800, deadline_ms: 1_800 },
    sending: { wait_ms: 2_500, poll_ms: 100, stuck_ms: 1_000 },
  });
  replace(app, { chain });
  replace(app, { settlement: settlementOnLogsChain(() => app, chainSettlement(chain)) });
  // Funds for refunds.
  await carriedByStranger(workshop, await payment(wallet(8), 5_000_000n, { to: addressOf(app.refunds) }));
  const stall: Stall = {
    workshop,
    service,
    meddler,
    chain,
    settings,
    echoUrl: (say) => `${service.url}/v1/agent/test/echo?say=${say}`,
    sign: async (say, payer = 0) => signPayment(wallet(payer), await quoteOf(stall.echoUrl(say))),
    pay: (say, paid) => present(stall.echoUrl(say), paid),
    askedAgain: async (say, paid) => {
      const refusals: Promise<void>[] = [];
      const answer = await until(async () => {
        const answer = await stall.pay(say, paid);
        if (answer.status !== 503) return answer;
        refusals.push(expectLater(answer));
        return false;
      });
      await Promise.all(refusals);
      return answer;
    },
    earned: () => balanceOf(workshop.chain, PAYEE),
    position: async () => (await app.store.head()).position,
    ...reactorsOf(app),
    mine: async (blocks) => {
      for (let i = 0; i < blocks; i++) await workshop.rpc("evm_mine");
    },
    close: async () => {
      meddler.meddle = () => undefined;
      await expectBooks(app, workshop.chain);
      chain.close();
      await service.stop();
      await meddler.close();
      await workshop.close();
    },
  };
  return stall;
}
