/**
 * A log with a history: each appending operation is called once with its example, and further decisions cover the
 * rest.
 */
import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import type { Operation } from "../../src/api/declare/operation.ts";
import { effectOf } from "../../src/api/declare/operation-facts.ts";
import { areas } from "../../src/areas/index.ts";
import type { App } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import * as evaluation from "../../src/domain/alerts/evaluation.ts";
import * as subscriptions from "../../src/domain/alerts/subscription.ts";
import * as anchors from "../../src/domain/anchoring/anchor.ts";
import * as passports from "../../src/domain/identity/passports.ts";
import * as lounge from "../../src/domain/lounge/account.ts";
import * as channels from "../../src/domain/payments/channel.ts";
import * as confirmations from "../../src/domain/payments/confirmation.ts";
import { walletTenant } from "../../src/domain/payments/payment.ts";
import * as seeds from "../../src/domain/rng/seeds.ts";
import { rngProjection } from "../../src/projections/rng/rng.ts";
import { refundVoided } from "../../src/reactors/rng/lost-seeds.ts";
import { type Driven, isBought } from "../contract/driven.ts";
import { buy } from "../support/buyer.ts";
import { catalogue } from "../support/catalogue.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { wallet } from "../support/wallets.ts";
import { agencyOf, walletOf } from "../trust/agency.ts";

const meta = { actor: "test", operation: "test" };
const hash = (): Hex => `0x${randomBytes(32).toString("hex")}`;

export async function liveThrough(driven: Driven): Promise<void> {
  const { app } = driven.service;
  for (const operation of catalogue) if (mayAppend(operation)) await askExample(driven, operation);
  await agentsAtWork(app);
  await depositAndTakeBack(app);
  await channelInUse(app);
  await confirmBooks(app);
  await alert(app);
  await anchor(app);
  await loseSeeds(app);
  const { position } = await app.store.head();
  for (const projection of areas.flatMap(({ projections }) => projections))
    await until(() => app.runner.reached(projection, position, LIMIT_MS));
}

const mayAppend = (operation: Operation) => effectOf(operation).changes !== "nothing" || isBought(operation);

async function askExample(driven: Driven, operation: Operation): Promise<void> {
  await driven.renew(operation);
  const request = driven.request(operation, driven.exampleFor(operation), driven.credentialsFor(operation));
  // A lagging read model is a 503 with Retry-After.
  const answer = isBought(operation)
    ? (await buy(wallet(1), ...request)).answer
    : await until(async () => {
        const response = await fetch(...request);
        return response.status !== 503 && response;
      });
  expect([operation.name, answer.status, await answer.text()]).toEqual([
    operation.name,
    operation.status ?? 200,
    expect.anything(),
  ]);
}

/** Agents that pay, work for several requesters, speak, are suspended, revoked and linked to domains. */
async function agentsAtWork(app: App): Promise<void> {
  const agency = agencyOf(app);
  const first = (await app.load(passports, passports.target)) + 1;
  const [one, two, three] = [first, first + 1, first + 2];
  for (const n of [one, two, three]) await agency.register(n);
  for (const n of [one, two]) await agency.prove(n);
  const payer = walletOf(900);
  const requesters = [walletTenant(payer), "worked-for"];
  for (const tenant of requesters) await agency.pay(payer, 5, { tenant });
  for (let task = 0; task < 5; task++)
    for (const tenant of requesters) await agency.task(one, tenant, "paid");
  for (const end of ["refuted", "lost"] as const) await agency.task(two, requesters[1]!, end);
  await agency.reorg(await agency.pay(walletOf(one), 1));
  await agency.refund(await agency.pay(walletOf(one), 2, { answered: false }));
  await agency.attest(one, two, 3);
  await agency.takeBack(await agency.attest(one, two, 5), one);
  await agency.delegate(one, three, walletOf(one));
  for (const domain of ["one.example.org", "two.example.org"])
    await agency.linkDomain(one, domain, walletOf(one));
  await agency.suspend(two);
  await agency.reinstate(two);
  await agency.suspend(three);
  await agency.revoke(two);
  await agency.compute(Date.now());
}

async function depositAndTakeBack(app: App): Promise<void> {
  const at = app.clock.now().toISOString();
  const deposit = (log_index: number): lounge.Deposit => ({
    ...{ network: `eip155:${app.chain.chain_id}`, token: app.platform_token!, transaction: hash() },
    ...{ log_index, block_hash: hash(), block_number: 1, amount_atto: String(10n ** 18n) },
  });
  const found = [deposit(0), deposit(1)];
  const target = lounge.targetOf("acme");
  await app.decide(lounge, target, lounge.followDeposits(found, [], at), { meta });
  await app.decide(lounge, target, lounge.followDeposits([], found.slice(1), at), { meta });
}

/** The service confirms its own network only once enough blocks are final. */
async function confirmBooks(app: App): Promise<void> {
  const at = app.clock.now().toISOString();
  const { position } = await app.store.head();
  const facts: confirmations.ConfirmationData = {
    ...{ network: "eip155:1", block_number: 3, block_hash: hash(), timestamp: 1, as_of_position: position },
    ...{ claimed_before: at, payments: 1, settled_micro: 1, refunds: 0, refunded_micro: 0, confirmed_at: at },
  };
  const target = confirmations.targetOf("eip155:1");
  await app.decide(confirmations, target, confirmations.confirm(facts, undefined), { meta });
}

/** A channel of a network that no reactor follows. */
async function channelInUse(app: App): Promise<void> {
  const at = app.clock.now().toISOString();
  const [payer, receiver] = [walletOf(901), walletOf(902)];
  const config = {
    ...{ payer, payer_authorizer: payer, receiver, receiver_authorizer: receiver, token: walletOf(903) },
    ...{ withdraw_delay_s: channels.WITHDRAW_DELAY_S, salt: hash() },
  };
  const name = { network: "eip155:1", channel_id: hash(), config };
  const target = channels.targetOf(channels.idOf(name));
  const mined = { transaction: hash(), block_number: 2, block_hash: hash(), fee_wei: "1" };
  const deposit = {
    amount_micro: 1_000_000,
    valid_after: "0",
    valid_before: "9",
    salt: hash(),
    signature: hash(),
  };
  const seen = { balance_micro: 1_000_000, claimed_micro: 0, refund_nonce: "0", withdrawal: null };
  const voucher = {
    ...{ charged_micro: 1_000, price_micro: 1_000, signature: hash(), operation: "trade_balance" },
    ...{ request_sha256: "ab".repeat(32), tenant: target.tenant, accepted_at: at },
    answer: { status: 200, sha256: null, vintage: null },
  };
  const decide = (decision: Parameters<typeof app.decide<channels.ChannelState, channels.ChannelEvent>>[2]) =>
    app.decide(channels, target, decision, { meta });
  await decide(channels.see(channels.openedBy(name, at), { ...seen, seen_block: 1, seen_at: at }));
  await decide(channels.fund({ ...deposit, ...mined, funded_at: at }));
  await decide(channels.accept(voucher));
  await decide(channels.recordClaim(1_000, mined, at));
  await decide(channels.openRefund(undefined, at));
  await decide(channels.endRefund("0", 999_000, mined, at));
}

/** A subscription that a release triggers. */
async function alert(app: App): Promise<void> {
  const at = app.clock.now().toISOString();
  const id = "5a".repeat(16);
  const target = { tenant: "acme", id };
  const facts: subscriptions.Subscribed = {
    ...{ subscription_id: id, url: "https://agent.example.org/hooks/trade", subscribed_at: at },
    watch: { reporter: "DE", hs: null, flow: null, threshold: 3, dataset: null, from: null },
    credits: subscriptions.FIRST_CREDITS,
  };
  await app.decide(subscriptions, target, subscriptions.subscribe(facts), { meta });
  const finding: subscriptions.Finding = {
    ...{ reporter: "DE", product: "44", flow: "IMPORT", period: "2024-01", direction: "spike" },
    ...{
      value_eur: 2,
      base_eur: 1,
      deviation_eur: 1,
      standard_deviation_eur: 1,
      z: 4,
      p_value: 0.001,
      p_adjusted: 0.01,
    },
    ...{ dataset: "sandbox", vintage: "ab".repeat(32), synthetic: true },
  };
  const found = [{ alert_id: `msg_${"5a".repeat(16)}`, finding }];
  await app.decide(subscriptions, target, subscriptions.trigger(found, at), { meta });
  const evaluated = {
    ...{ dataset: "sandbox", vintage: "ab".repeat(32), release_position: 1, subscriptions: 1 },
    ...{ significant: 1, evaluated_at: at },
  };
  const place = evaluation.targetOf(evaluated.dataset);
  await app.decide(evaluation, place, evaluation.evaluated(evaluated), { meta });
}

/** An anchor of the newest checkpoint that a reorganisation moves to another block, which becomes final. */
async function anchor(app: App): Promise<void> {
  const { origin } = await app.store.identity();
  const target = anchors.targetOf(origin);
  const at = app.clock.now().toISOString();
  const { checkpoint } = await app.load(anchors, target);
  const { size, root } = checkpoint!;
  const facts = (transaction: Hex): anchors.Anchor => ({
    ...{ size, root, network: `eip155:${app.chain.chain_id}`, contract: walletOf(1), signer: walletOf(2) },
    ...{ transaction, block_number: 1, block_hash: hash(), timestamp: 1, fee_wei: "1", anchored_at: at },
  });
  const [lost, kept] = [hash(), hash()];
  await app.decide(anchors, target, anchors.anchor(facts(lost)), { meta });
  await app.decide(anchors, target, anchors.anchor(facts(kept)), { meta });
  await app.decide(anchors, target, anchors.finalise(kept, at), { meta });
}

/** The chains in use are abandoned, and bets on their seeds are refunded. */
async function loseSeeds(app: App): Promise<void> {
  const at = app.clock.now().toISOString();
  await app.decide(
    seeds,
    seeds.targetOf("live"),
    seeds.abandon(() => true, at),
    { meta },
  );
  await until(async () => (await app.caughtUp(rngProjection)) && (await refundVoided(app)) === 0);
}
