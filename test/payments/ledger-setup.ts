/** A service on its own chain whose payments are claimed, settled and reconciled by hand. */
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { generatePrivateKey, type HDAccount } from "viem/accounts";
import { expect } from "vitest";
import type { App } from "../../src/core/app.ts";
import type { Hex, Receipt } from "../../src/core/model/chain.ts";
import type { SignedTransfer, TransferAuthorization } from "../../src/core/model/ports/settlement.ts";
import type { Claim, PaidAnswer } from "../../src/domain/payments/payment.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { TRANSFER_GAS, transferCall, USDC } from "../../src/domain/payments/usdc.ts";
import { paymentsProjection } from "../../src/projections/payments/payments.ts";
import { type ReconcileOptions, reconcile } from "../../src/reactors/payments/reconcile.ts";
import { openRuntime } from "../../src/runtime/assemble.ts";
import { carriedByStranger, openWorkshop, rewind, type Workshop } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { patientConfig } from "../support/patience.ts";
import { preparedDatabase } from "../support/prepared-database.ts";
import { turnOf } from "../support/turns.ts";
import { LIMIT_MS } from "../support/until.ts";
import { addressOf, GAS_KEY, PAYEE, payment, wallet } from "../support/wallets.ts";

export const ANSWER: PaidAnswer = { status: 200, sha256: "ab".repeat(32), vintage: null };

/** A test's payment: its id, its signed authorization, and its stream. */
export type Paid = { id: string; signed: SignedTransfer; target: { tenant: string; id: string } };

export type LedgerSetup = {
  app: App;
  workshop: Workshop;
  database_url: string;
  /** Settings for another service on the same chain. */
  chain: { rpc_url: string; gas_key: Hex; pay_to: Hex };
  /** The shared signing key of all processes of the service. */
  signing_key: string;
  logged: Record<string, unknown>[];
  /** Another process of the same service, optionally with other settings. */
  beside(more?: Record<string, string>): Promise<{ app: App; close(): Promise<void> }>;
  /** Signs a payment that is valid for five minutes of the chain's time. */
  sign(payer: HDAccount, value: bigint, more?: Partial<TransferAuthorization>): Promise<SignedTransfer>;
  /** Signs and claims; ten minutes ago by default. */
  claim(
    payer: HDAccount,
    value: bigint,
    more?: Partial<TransferAuthorization>,
    facts?: Partial<Claim>,
  ): Promise<Paid>;
  /** Sends a payment to the chain and appends the outcome. */
  settle(paid: Paid, answer?: PaidAnswer | null): Promise<Receipt>;
  /** Sends an authorization to the chain without the service, as anybody may. */
  carry(signed: SignedTransfer): Promise<Hex>;
  fail(paid: Paid): Promise<void>;
  /** One tick over a read model with the whole log; expects `done` by default. */
  reconcile(options?: ReconcileOptions, turn?: string): Promise<void>;
  stateOf(paid: Paid): Promise<payments.PaymentState>;
  /** Types of a payment's events. */
  storyOf(paid: Paid): Promise<string[]>;
  folded(): Promise<void>;
  mine(blocks: number): Promise<void>;
  /** Advances the chain's time. */
  pass(seconds: number): Promise<void>;
  snapshot(): Promise<Hex>;
  /** Reverts the chain to a snapshot and continues differently. */
  revert(snapshot: Hex): Promise<void>;
  /** The log and the chain agree, to the micro-unit. */
  expectBooks(): Promise<void>;
  close(): Promise<void>;
};

/** In the form of the setting SIGNING_KEY. */
export const newSigningKey = () =>
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "der" }).toString("base64");

export async function openLedgerSetup(): Promise<LedgerSetup> {
  const [workshop, database] = await Promise.all([openWorkshop(), preparedDatabase()]);
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const REFUND_KEY = generatePrivateKey();
  const SIGNING_KEY = newSigningKey();
  const open = async (more: Record<string, string> = {}) => {
    const data_dir = await mkdtemp(join(tmpdir(), "tallystick-ledger-"));
    const config = patientConfig({
      DATABASE_URL: database.url,
      DATA_DIR: data_dir,
      BASE_RPC_URL: workshop.node.rpc_url,
      GAS_KEY,
      PAY_TO: PAYEE,
      REFUND_KEY,
      SIGNING_KEY,
      ALLOW_SYNTHETIC: "1",
      ...more,
    });
    const setup = await openRuntime(config, log, { chain: true });
    const close = async () => {
      await setup.close();
      await rm(data_dir, { recursive: true, force: true });
    };
    return { app: setup.app, close };
  };
  const { app, close } = await open();
  const { rpc, chain } = workshop;
  const now = () => app.clock.now().toISOString();
  const meta = { actor: "test", operation: "test" };

  const setup: LedgerSetup = {
    app,
    workshop,
    database_url: database.url,
    chain: { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE },
    signing_key: SIGNING_KEY,
    logged,
    beside: open,
    sign: async (payer, value, more = {}) => {
      const { latest } = await chain.heads();
      const valid_before = BigInt(latest.timestamp + 300);
      return payment(payer, value, { valid_after: 0n, valid_before, ...more });
    },
    claim: async (payer, value, more = {}, facts = {}) => {
      const signed = await setup.sign(payer, value, more);
      const { transfer, signature } = signed;
      const { latest } = await chain.heads();
      const claim: Claim = {
        network: "eip155:8453",
        asset: USDC.address.toLowerCase() as Hex,
        payer: transfer.from,
        pay_to: transfer.to,
        amount_micro: Number(transfer.value),
        valid_after: String(transfer.valid_after),
        valid_before: String(transfer.valid_before),
        nonce: transfer.nonce,
        signature,
        operation: "test_echo",
        request_sha256: "cd".repeat(32),
        tenant: payments.walletTenant(transfer.from),
        seen_block: Number(latest.number),
        claimed_at: new Date(app.clock.now().getTime() - 600_000).toISOString(),
        holder: null,
        ...facts,
      };
      const id = payments.idOf(claim);
      const target = payments.targetOf(id);
      await app.decide(payments, target, payments.claim(claim), { meta });
      return { id, signed, target };
    },
    settle: async ({ signed, target }, answer = ANSWER) => {
      const receipt = await app.settlement.settle(signed, 0n);
      await app.decide(payments, target, payments.settle(payments.minedBy(receipt), answer, now()), { meta });
      return receipt;
    },
    carry: (signed) => carriedByStranger(workshop, signed),
    fail: async ({ target }) => {
      await app.decide(payments, target, payments.fail("test", now()), { meta });
    },
    reconcile: async (options = {}, turn = "done") => {
      await setup.folded();
      const { status } = await turnOf(app, "payments", (its) => reconcile(its.app, options));
      expect(status).toBe(turn);
      await setup.folded();
    },
    stateOf: ({ target }) => app.load(payments, target),
    storyOf: async ({ id, target: { tenant } }) => {
      const events = await app.store.readStream({ tenant, stream_id: payments.streamOf(id) });
      return events.map(({ type }) => type);
    },
    folded: async () => {
      const { position } = await app.store.head();
      expect(await app.runner.reached(paymentsProjection, position, LIMIT_MS)).toBe(true);
    },
    mine: async (blocks) => {
      for (let i = 0; i < blocks; i++) await rpc("evm_mine");
    },
    pass: async (seconds) => {
      await rpc("evm_increaseTime", seconds);
      await setup.mine(4);
    },
    snapshot: () => rpc<Hex>("evm_snapshot"),
    revert: (snapshot) => rewind(workshop, snapshot),
    expectBooks: () => expectBooks(app),
    close: async () => {
      await close();
      await workshop.close();
      await database.drop();
    },
  };
  return setup;
}

/** Sends this amount to the refunding account. */
export async function fundRefunds({ app, workshop, sign }: LedgerSetup, micro: bigint): Promise<void> {
  const to = addressOf(app.refunds);
  await workshop.chain.send(transferCall(await sign(wallet(8), micro, { to })), {
    gas: TRANSFER_GAS,
    purpose: "settlement",
  });
}
