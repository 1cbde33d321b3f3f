/** Feedback for ERC-8004: only words whose author paid the subject leave the service. */
import { keccak256 } from "viem/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import { canonicalText } from "../../eventstore/canonical.ts";
import type { JsonObject } from "../../eventstore/types.ts";
import { forEach } from "../../src/core/coordination/concurrency.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import * as attestations from "../../src/domain/trust/attestation.ts";
import { linksProjection } from "../../src/projections/identity/links.ts";
import { paymentsProjection } from "../../src/projections/payments/payments.ts";
import { reconcile } from "../../src/reactors/payments/reconcile.ts";
import { finalize } from "../chain/fixture.ts";
import { evmKey, type TestKey } from "../identity/agents.ts";
import { placeRegistry, register, rpcOf, setWallet } from "../identity/registry.ts";
import { buy } from "../support/buyer.ts";
import { turnOf } from "../support/turns.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { type MarketSetup, openMarketSetup } from "./market-setup.ts";

let setup: MarketSetup;
let rpc: ReturnType<typeof rpcOf>;
beforeAll(async () => {
  setup = await openMarketSetup({ folds: "all" });
  rpc = rpcOf(setup.service.data_dir);
  await placeRegistry({ rpc, app: setup.app });
});
afterAll(() => setup?.service.stop());

const REGISTRAR = wallet(7).address;
const signerOf = (index: number): TestKey => ({
  kind: "evm",
  name: wallet(index).address,
  sign: (message) => wallet(index).signMessage({ message }),
});

/** In order, all in the same few blocks. */
async function send(calls: { to: Hex; data: Hex }[]): Promise<void> {
  const hashes: Hex[] = [];
  for (const call of calls)
    hashes.push(await rpc<Hex>("eth_sendTransaction", { from: REGISTRAR, gas: "0x30d40", ...call }));
  await until(async () => (await setup.app.chain.receipt(hashes.at(-1)!)) !== undefined);
}

type Linked = { sx: number; ref: string; own: Record<string, string> };

/** Agents with a proven key each, linked to an agentId of their own. */
async function linkedAgents(keys: readonly (readonly [agent_id: string, key: TestKey])[]): Promise<Linked[]> {
  const { api } = setup;
  await send(keys.map(() => register()));
  await send(keys.map(([, key], at) => setWallet(BigInt(at), key.name)));
  const linked: Linked[] = [];
  await forEach([...keys.entries()], async ([at, [agent_id, key]]) => {
    const { body } = await api.post("/soul/register", {
      agent_id,
      issue_api_key: true,
      ...(await api.proof(key, agent_id)),
    });
    const ref = String(at);
    const proof = await api.proof(key, agent_id, "link", `erc8004-${ref}`);
    const answer = await api.post(`/soul/${agent_id}/links`, { erc8004_id: ref, ...proof });
    expect(answer).toMatchObject({ status: 200, body: { links: [{ link: `erc8004-${ref}` }] } });
    const sx = Number((body.passport as { sx_id: string }).sx_id.slice(3));
    linked[at] = { sx, ref, own: { Authorization: `Bearer ${body.api_key}` } };
  });
  return linked;
}

/** As if it were paid for, since a test of agents that paid nothing cannot pay for the call. */
async function attested(from: number, to: number, evidence: string | null, skill = "pellets") {
  const attestation_id = keccak256(Buffer.from(`${from}:${to}:${skill}:${evidence}`)).slice(2, 34);
  const facts = {
    ...{ attestation_id, from, to, skill, weight_micro: 2_500_000, evidence, payment_id: null },
    ...{ recipient: null, offchain_uid: null, made_at: new Date().toISOString() },
  };
  const command = { meta: { actor: "test" } };
  await setup.app.decide(
    attestations,
    attestations.targetOf(attestation_id),
    attestations.make(facts),
    command,
  );
  return attestation_id;
}

type Line = { event_id: string; payment_id: string; feedback_hash: string; file: Record<string, unknown> };
async function exported(query = "limit=100"): Promise<Line[]> {
  const { position } = await setup.app.store.head();
  for (const one of [paymentsProjection, linksProjection])
    await setup.app.runner.reached(one, position, LIMIT_MS);
  const { status, body } = await setup.ask({}, `/soul/market/feedback?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.feedback;
}

async function settleForGood(): Promise<void> {
  const { app } = setup;
  await finalize({ rpc, chain: app.chain, app } as never);
  await app.runner.reached(paymentsProjection, (await app.store.head()).position, LIMIT_MS);
  await turnOf(app, "payments", (its) => reconcile(its.app, {}));
}

test("fifty agents that paid nothing export no line, whatever payments they name; a buyer's words are exported", async () => {
  const [author, client, ...crowd] = (await linkedAgents([
    ["author", evmKey()],
    ["client", signerOf(3)],
    ...Array.from({ length: 50 }, (_, i) => [`crowd-${i}`, evmKey()] as const),
  ])) as [Linked, Linked, ...Linked[]];
  const sold = await setup.ask(author.own, "/soul/stack", {
    kind: "note",
    title: "Where pellets are cheapest",
    price_usd: 0.05,
    content: "March, by the ton.",
  });
  const item_id = String(sold.body.item_id);
  const path = `/soul/stack/${item_id}/buy`;
  const init = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ price_usd: 0.05 }),
  };
  const { payment, answer } = await buy(wallet(3), setup.service.url + path, init);
  expect(answer.status).toBe(200);
  const payer = addressOf(wallet(3));
  const asset: Hex = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
  const name = { network: "eip155:8453", asset, payer, nonce: payment.authorization.nonce as Hex };
  const payment_id = payments.idOf(name);

  const others = [payment_id, payment_id.toUpperCase(), `${payment_id}0`, null, "task-1"];
  await forEach([...crowd.entries()], async ([i, { sx, own }]) => {
    await attested(sx, crowd[(i + 1) % 50]!.sx, others[i % 5]!);
    await attested(sx, author.sx, payment_id);
    const verdict = await setup.ask(own, `/soul/stack/${item_id}/validate`, { verdict: "works" });
    expect(verdict.status).toBe(403);
  });
  await settleForGood();
  expect(await exported()).toEqual([]);

  expect(
    (await setup.signed(wallet(3), `/soul/stack/${item_id}/validate`, { verdict: "works" })).status,
  ).toBe(200);
  const attestation = await attested(client.sx, author.sx, payment_id, "pellet-prices");
  await attested(client.sx, crowd[0]!.sx, payment_id, "pellet-prices");
  const lines = await exported();
  expect(
    lines.map(({ file }) => [file.agentId, file.value, file.valueDecimals, file.tag1, file.tag2]),
  ).toEqual([
    [Number(author.ref), 25_000, 3, "pellet-prices", "attestation"],
    [Number(author.ref), 100, 0, "works", "note"],
  ]);
  for (const { file, feedback_hash, ...line } of lines) {
    expect(line.payment_id).toBe(payment_id);
    expect(file.clientAddress).toBe(`eip155:8453:${payer}`);
    const { txHash, ...parties } = file.proofOfPayment as Record<string, string>;
    expect(parties).toEqual({ fromAddress: payer, toAddress: setup.app.pay_to, chainId: "8453" });
    expect(await setup.app.chain.receipt(txHash as Hex)).toBeDefined();
    expect(feedback_hash).toBe(keccak256(Buffer.from(canonicalText(file as JsonObject, "file"))));
  }
  expect((await exported("limit=1")).length).toBe(1);

  const command = { meta: { actor: "test" } };
  const taken_back = attestations.revoke(client.sx, new Date().toISOString());
  await setup.app.decide(attestations, attestations.targetOf(attestation), taken_back, command);
  expect(await exported()).toHaveLength(1);
  const refund = payments.refundAnswered("returned", new Date().toISOString());
  await setup.app.decide(payments, payments.targetOf(payment_id), refund, command);
  expect(await exported()).toEqual([]);
});
