/**
 * A command's answer names its event, and proves it to callers that ask for it: over real HTTP and MCP, on a real
 * log.
 */

import { createHash } from "node:crypto";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseVerifierKey } from "../../src/anchoring/note.ts";
import { createProver } from "../../src/anchoring/prove.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { openTlogProof } from "../../src/anchoring/tlog-proof.ts";
import { prefersProof } from "../../src/api/declare/named-event.ts";
import { withParts } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import * as apiKey from "../../src/domain/access/key.ts";
import * as anchors from "../../src/domain/anchoring/anchor.ts";
import { receiptIn, verifyReceipt } from "../../src/domain/payments/verify-receipt.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { facts, sampleOperations } from "../payments/sample-operations.ts";
import { buy, present, quoteOf, signPayment } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { GAS_KEY, PAYEE, payment, wallet } from "../support/wallets.ts";
import { PRICE, presentedV1 } from "../support/x402.ts";

let workshop: Workshop;
let service: Service & { database_url: string };
let chain: { rpc_url: string; gas_key: Hex; pay_to: Hex };
const PREFER = { Prefer: "proof" };
/** Signs only on demand. */
const ANCHORING = { ANCHORING: "1", CHECKPOINT_SECONDS: "86400", OPEN_CALLS_PER_MINUTE: "100000" };

beforeAll(async () => {
  workshop = await openWorkshop();
  chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({ operations: sampleOperations, chain, env: ANCHORING });
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});

const echoUrl = (say: string, of = service) => `${of.url}/v1/agent/test/echo?say=${say}`;
const orderUrl = (of: Service = service) => `${of.url}/v1/agent/test/order`;
const orderOf = (name: string, headers: Record<string, string>): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify({ name }),
});

const keyOf = async () => parseVerifierKey((await (await fetch(`${service.url}/log/key`)).text()).trimEnd());

type Answer = { headers: Pick<Headers, "get"> };
const proofIn = ({ headers }: Answer): string => {
  const [, base64] = /^:([A-Za-z0-9+/]+=*):$/.exec(headers.get("tlog-proof") ?? "")!;
  return Buffer.from(base64!, "base64").toString();
};
const eventIdIn = ({ headers }: Answer): string => headers.get("event-id")!;

type Proof = {
  event: { position: number; event_hash: string; event_id: string };
  tlog_proof: string | null;
  pending: { retry_after_s: number | null; detail: string } | null;
};
const proofOf = async (event_id: string, of: Service = service) =>
  (await (await fetch(`${of.url}/log/proof/${event_id}`)).json()) as Proof;

/** Repeats until a checkpoint comes in time, which a busy machine may not reach; signs only on demand. */
const untilProven = (ask: () => Promise<Response>): Promise<Response> =>
  until(async () => {
    const answer = await ask();
    return answer.headers.has("preference-applied") && answer;
  });

/** Pays once, and presents the same payment until it comes with its proof. */
async function buyProven(url: string): Promise<Response> {
  const paid = await signPayment(wallet(0), await quoteOf(url));
  return untilProven(() => present(url, paid, { headers: PREFER }));
}

async function orderProven(name: string, headers: Record<string, string>, of: Service = service) {
  const init = orderOf(name, { ...headers, ...PREFER, "Idempotency-Key": name });
  const answer = await untilProven(() => fetch(orderUrl(of), init));
  expect(answer.status).toBe(201);
  return answer;
}

/** The proof in an answer verifies for the event that it names. */
async function expectProven(answer: Answer, of: Service = service): Promise<{ size: number }> {
  expect(answer.headers.get("preference-applied")).toBe("proof");
  const event_id = eventIdIn(answer);
  expect(answer.headers.get("link")).toBe(`</log/proof/${event_id}>; rel="proof"`);
  const { event } = await proofOf(event_id, of);
  const log = await keyOf();
  const opened = openTlogProof(proofIn(answer), Buffer.from(event.event_hash, "hex"), { log });
  expect(opened.index).toBe(event.position - 1);
  return opened;
}

const signed = async (): Promise<number> => {
  const { rows } = await service.app.pool.query<{ count: number }>(
    "select count(*)::int as count from eventstore.events where type = 'CheckpointSigned'",
  );
  return rows[0]!.count;
};

async function withClient<T>(headers: Record<string, string>, use: (client: Client) => Promise<T>) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit: { headers } }),
  );
  return use(client).finally(() => client.close());
}

describe("a paid call with Prefer: proof", () => {
  test("has the proof of the very event that its receipt names, and an untouched body", async () => {
    const answer = await buyProven(echoUrl("proof"));
    expect(answer.status).toBe(200);
    await expectProven(answer);
    const body = Buffer.from(await answer.arrayBuffer());
    const { keys } = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as {
      keys: object[];
    };
    const receipt = verifyReceipt(receiptIn(answer.headers.get("payment-response")!)!, { keys, body });
    expect(receipt).toMatchObject({ ok: true, payload: { event: { event_id: eventIdIn(answer) } } });
    const { event_hash } = receipt.payload!.event as { event_hash: string };
    openTlogProof(proofIn(answer), Buffer.from(event_hash, "hex"), { log: await keyOf() });
    const digest = createHash("sha256").update(body).digest("base64");
    expect(answer.headers.get("unencoded-digest")).toBe(`sha-256=:${digest}:`);
  });

  test("presented again names and proves the same event", async () => {
    const paid = await signPayment(wallet(0), await quoteOf(echoUrl("again")));
    const ask = () => present(echoUrl("again"), paid, { headers: PREFER });
    const first = await untilProven(ask);
    const second = await untilProven(ask);
    expect(await second.text()).toBe(await first.text());
    expect(eventIdIn(second)).toBe(eventIdIn(first));
    await expectProven(first);
    await expectProven(second);
  });

  test("over MCP has both in _meta", async () => {
    await withClient({}, async (client) => {
      const paid = presentedV1(await payment(wallet(0), PRICE));
      const request = { name: "test_echo", arguments: { say: "mcp" } };
      const _meta = { "x402/payment": paid, "tallystick/prefer": "proof" };
      const answer = await client.callTool({ ...request, _meta });
      expect(answer.isError, JSON.stringify(answer.content)).toBeFalsy();
      const event = answer._meta!["tallystick/event"] as { event_id: string; proof_url: string };
      expect(event.proof_url).toBe(`${service.url}/log/proof/${event.event_id}`);
      const { event: result } = await proofOf(event.event_id);
      const proof = answer._meta!["tallystick/proof"] as string;
      const { index } = openTlogProof(proof, Buffer.from(result.event_hash, "hex"), { log: await keyOf() });
      expect(index).toBe(result.position - 1);
      const plain = await client.callTool({ ...request, _meta: { "x402/payment": paid } });
      expect(plain._meta!["tallystick/event"]).toEqual(event);
      expect(plain._meta).not.toHaveProperty("tallystick/proof");
    });
  });

  test("that streams has the headers before its first line", async () => {
    const answer = await buyProven(`${service.url}/v1/agent/test/lines`);
    await expectProven(answer);
    expect((await answer.text()).split("\n")).toHaveLength(5);
  });

  test("that is settled at /x402/settle, once or repeatedly, names its settlement's event", async () => {
    const paymentRequirements = {
      ...{ scheme: "exact", network: "base", maxAmountRequired: String(PRICE), payTo: PAYEE },
      asset: (await quoteOf(echoUrl("settle"))).asset,
    };
    const body = JSON.stringify({
      x402Version: 1,
      paymentPayload: presentedV1(await payment(wallet(0), PRICE)),
      paymentRequirements,
    });
    const { headers } = await service.issue();
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers, ...PREFER },
      body,
    };
    const first = await untilProven(() => fetch(`${service.url}/x402/settle`, init));
    expect(await first.json()).toMatchObject({ success: true });
    await expectProven(first);
    const second = await fetch(`${service.url}/x402/settle`, init);
    expect(eventIdIn(second)).toBe(eventIdIn(first));
  });

  test("that is refused and refunded names the refund's event", async () => {
    const { settlement } = service.app;
    const { settle } = settlement;
    onTestFinished(() => {
      settlement.settle = settle;
    });
    settlement.settle = async (payment, seen) => {
      const receipt = await settle(payment, seen);
      const meta = { actor: "operator", operation: "test" };
      await service.app.decide(apiKey, { tenant: "acme", id: "k_taken" }, apiKey.issue(facts("k_taken")), {
        meta,
      });
      return receipt;
    };
    const { answer } = await buy(wallet(0), orderUrl(), orderOf("k_taken", PREFER));
    expect(answer.status).toBe(409);
    await expectProven(answer);
    const id = eventIdIn(answer);
    const { rows } = await service.app.pool.query("select type from eventstore.events where event_id = $1", [
      id,
    ]);
    expect(rows).toEqual([{ type: "RefundOpened" }]);
  });
});

describe("without Prefer", () => {
  test("the event is named, its proof pending until a checkpoint covers it; reading signs nothing", async () => {
    const { headers } = await service.issue();
    const answer = await fetch(orderUrl(), orderOf("k_plain", headers));
    expect(answer.status).toBe(201);
    const { headers: result } = answer;
    expect(result.get("tlog-proof") ?? result.get("preference-applied")).toBeNull();
    const before = await signed();
    const pending = await proofOf(eventIdIn(answer));
    expect(pending).toMatchObject({ tlog_proof: null, pending: { detail: expect.any(String) } });
    expect(pending.pending!.retry_after_s).toBeGreaterThan(1);
    expect(await signed()).toBe(before);
    await signTick(service.app, { checkpoint_every_events: 0 });
    const { tlog_proof, event, pending: over } = await proofOf(eventIdIn(answer));
    expect(over).toBeNull();
    openTlogProof(tlog_proof!, Buffer.from(event.event_hash, "hex"), { log: await keyOf() });
  });

  test("a call that records nothing names no event, with any preference", async () => {
    const { headers } = await service.issue();
    const answer = await fetch(echoUrl("nothing"), { headers: { ...headers, ...PREFER } });
    expect(answer.status).toBe(200);
    for (const name of ["event-id", "link", "preference-applied", "tlog-proof"])
      expect(answer.headers.get(name)).toBeNull();
  });
});

describe("an Idempotency-Key", () => {
  test("repeated gets the same event and its proof", async () => {
    const { headers } = await service.issue();
    const init = orderOf("k_once", { ...headers, ...PREFER, "Idempotency-Key": "once" });
    const first = await untilProven(() => fetch(orderUrl(), init));
    const second = await untilProven(() => fetch(orderUrl(), init));
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(eventIdIn(second)).toBe(eventIdIn(first));
    await expectProven(first);
    await expectProven(second);
    // Without the stored bytes the answer is rebuilt from the record.
    await service.app.pool.query("delete from access.kept_answers where name like '%/once'");
    const third = await fetch(orderUrl(), init);
    expect(eventIdIn(third)).toBe(eventIdIn(first));
  });

  test("of a payment repeated without one names the payment's purchase", async () => {
    const { headers } = await service.issue({ tenant: "paid-once" });
    const init = { headers: { ...headers, ...PREFER, "Idempotency-Key": "paid-once" } };
    const paid = await signPayment(wallet(0), await quoteOf(echoUrl("paid-once")));
    const first = await present(echoUrl("paid-once"), paid, init);
    const second = await untilProven(() => fetch(echoUrl("paid-once"), init));
    expect(eventIdIn(second)).toBe(eventIdIn(first));
    await expectProven(second);
  });
});

describe("concurrent calls", () => {
  test("share few checkpoints, and each is proven", async () => {
    const { headers } = await service.issue();
    const before = await signed();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => orderProven(`k_many_${n}`, headers)),
    );
    for (const answer of answers) await expectProven(answer);
    expect(new Set(answers.map(eventIdIn)).size).toBe(50);
    expect((await signed()) - before).toBeLessThan(25);
  });

  test("need at most one or two signings together", async () => {
    const { app } = service;
    const meta = { actor: "test", operation: "test" };
    const positions = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const id = `k_wait_${n}`;
        const { events } = await app.decide(apiKey, { tenant: "acme", id }, apiKey.issue(facts(id)), {
          meta,
        });
        return events[0]!.position;
      }),
    );
    const before = await signed();
    // A tick of signing takes a connection where a full tile waits to be written; reads take none.
    let connections = 0;
    const pool = new Proxy(app.pool, {
      get(target, name) {
        if (name === "connect") connections++;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const prover = createProver(withParts(app, { pool }), LIMIT_MS);
    const proofs = await Promise.all(positions.map((position) => prover.prove(position)));
    expect(proofs.every((proof) => proof !== undefined)).toBe(true);
    expect((await signed()) - before).toBe(1);
    expect(connections).toBeLessThan(10);
  });

  test("through two services on one database are all in one history", async () => {
    const other = await startService({
      operations: sampleOperations,
      chain,
      env: ANCHORING,
      beside: service,
    });
    onTestFinished(() => other.stop());
    const { headers } = await service.issue();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const of = n % 2 === 0 ? service : other;
        return { of, answer: await orderProven(`k_both_${n}`, headers, of) };
      }),
    );
    for (const { of, answer } of answers) await expectProven(answer, of);
    const { rows } = await service.app.pool.query<{ size: number; signings: number }>(
      `select (convert_from(payload, 'UTF8')::jsonb->>'size')::int as size, count(*)::int as signings
         from eventstore.events where type = 'CheckpointSigned' group by 1`,
    );
    expect(rows.filter(({ signings }) => signings > 1)).toEqual([]);
  });
});

test("a log that cannot be signed delays no answer: the answer has the link only", async () => {
  const { signer } = service.app;
  const { sign } = signer;
  onTestFinished(() => {
    signer.sign = sign;
  });
  signer.sign = () => {
    throw new Error("the key is away");
  };
  const { headers } = await service.issue();
  const answer = await fetch(orderUrl(), orderOf("k_unsigned", { ...headers, ...PREFER }));
  expect(answer.status).toBe(201);
  expect(eventIdIn(answer)).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers.get("preference-applied")).toBeNull();
});

test("a proof too large for a header is at its link, and the preference is applied", async () => {
  const { headers } = await service.issue();
  const { origin } = await service.app.store.identity();
  const large = orderOf("k_large", { ...headers, ...PREFER, "Idempotency-Key": "large" });
  const first = await untilProven(() => fetch(orderUrl(), large));
  const { size } = await expectProven(first);
  const { rows } = await service.app.pool.query<{ root: Hex }>(
    `select convert_from(payload, 'UTF8')::jsonb->>'root' as root from eventstore.events
      where type = 'CheckpointSigned' order by position desc limit 1`,
  );
  for (let n = 0; n < 8; n++) {
    const name = `witness-${n}.example/${"w".repeat(400)}`;
    const cosignature = `— ${name} ${Buffer.alloc(76).toString("base64")}`;
    const cosigned = { size, root: rows[0]!.root, witness: name, cosignature, timestamp: 1 };
    const meta = { actor: "test", operation: "test" };
    const decision = anchors.cosign({ ...cosigned, cosigned_at: "2026-01-02T03:04:05.678Z" });
    await service.app.decide(anchors, anchors.targetOf(origin), decision, { meta });
  }
  const again = await untilProven(() => fetch(orderUrl(), large));
  expect(again.headers.get("tlog-proof")).toBeNull();
  expect(again.headers.get("preference-applied")).toBe("proof");
  const { tlog_proof, event } = await proofOf(eventIdIn(again));
  openTlogProof(tlog_proof!, Buffer.from(event.event_hash, "hex"), { log: await keyOf() });
});

test("without ANCHORING the event is named, and has no proof", async () => {
  const plain = await startService({ operations: sampleOperations });
  onTestFinished(() => plain.stop());
  const { headers } = await plain.issue();
  const answer = await fetch(orderUrl(plain), orderOf("k_off", { ...headers, ...PREFER }));
  expect(answer.status).toBe(201);
  expect(answer.headers.get("link")).toContain(eventIdIn(answer));
  expect(answer.headers.get("preference-applied") ?? answer.headers.get("tlog-proof")).toBeNull();
  expect((await proofOf(eventIdIn(answer), plain)).pending).toMatchObject({ retry_after_s: null });
});

test.each([
  ["proof", true],
  ["Proof", true],
  ["respond-async, proof", true],
  ["proof;why=now", true],
  ['proof=""', true],
  ["proof =", true],
  [undefined, false],
  ["", false],
  ["proofs", false],
  ["proof=later", false],
  ['note="a, proof"', false],
  ['note="\\", proof"', false],
  ["wait=5; proof", false],
])("Prefer: %s requests a proof: %s", (header, expected) => {
  expect(prefersProof(header)).toBe(expected);
});
