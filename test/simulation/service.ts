/** One process of the service: the real engine, payment flow and reconciliation over models of its ports. */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { registry } from "../../eventstore/schemas.ts";
import { recoverKey } from "../../src/adapters/secp256k1.ts";
import { anonymous } from "../../src/api/declare/caller.ts";
import { JSON_FORM } from "../../src/api/declare/forms/form.ts";
import { type Call, requestDigest } from "../../src/api/serve/call.ts";
import type { Outcome } from "../../src/api/serve/x402/paid-call.ts";
import { createPaymentFlow, type PaymentFlow } from "../../src/api/serve/x402/payment-flow.ts";
import { type App, type AppParts, createApp, withParts } from "../../src/core/app.ts";
import { reactorLeases, runTick } from "../../src/core/background/reactor.ts";
import { StreamCache } from "../../src/core/commands/stream-cache.ts";
import { underLease } from "../../src/core/coordination/lease.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import type { StoredAnswer } from "../../src/core/model/ports/answers.ts";
import * as anchors from "../../src/domain/anchoring/anchor.ts";
import * as following from "../../src/domain/checks/following.ts";
import * as tasks from "../../src/domain/compute/task.ts";
import * as confirmation from "../../src/domain/payments/confirmation.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { reconcile } from "../../src/reactors/payments/reconcile.ts";
import { BEGIN_MS, type VirtualClock } from "./clock.ts";
import { Host } from "./host.ts";
import { type ModelChain, modelSettlement } from "./model-chain.ts";
import type { ModelLeases } from "./model-leases.ts";
import { type ModelLog, modelStore } from "./model-store.ts";
import { readModel } from "./read-model.ts";
import * as till from "./till.ts";

export const PAYEE: Hex = "0x00000000000000000000000000000000000000aa";
export const NETWORK = "eip155:8453";

const schemas = registry([
  till.events,
  payments.events,
  confirmation.events,
  following.events,
  anchors.events,
  tasks.events,
]);

/** The state that all processes share: the log, the chain, the stored answers, and the live processes. */
export type World = {
  clock: VirtualClock;
  log: ModelLog;
  chain: ModelChain;
  answers: Map<string, StoredAnswer & { subjects: readonly string[] }>;
  hosts: Map<string, Host>;
  leases: ModelLeases;
  /** Sends of reactors whose lease was another's by then. */
  unfenced: string[];
};

export type Service = { called: string; host: Host; app: App; flow: PaymentFlow };

/** A process's name is a UUID; the first characters say which one it is. */
const uuidOf = (name: string) =>
  `${createHash("sha256").update(name).digest("hex").slice(0, 8)}-0000-4000-8000-000000000000`;

export function startService(world: World, called: string): Service {
  const name = uuidOf(called);
  const host = new Host(world.clock, name);
  world.hosts.set(name, host);
  const app = createApp(partsOf(world, host));
  const limits = {
    take: async () => ({ granted: true, remaining: 1, reset_s: 0 }),
    giveBack() {},
    add() {},
    isSpent: () => false,
  };
  const terms = { pay_to: PAYEE, public_url: "https://simulated.example", embedded_chain: true };
  const parts = {
    app,
    catalogue: [] as never,
    onBroken: () => {},
    finished: new LRUCache<string, never>({ max: 10 }),
  };
  return { called, host, app, flow: createPaymentFlow(parts as never, terms, limits) };
}

function partsOf(world: World, host: Host): AppParts {
  const { clock, log, chain, answers, leases } = world;
  const store = modelStore(log, host);
  const checked = { ...store, schemas, send: validating(store.send) };
  const settlement = modelSettlement(chain, host);
  const subjects = { seal: async () => [], erase: async () => {}, open: async () => [] };
  const parts: Partial<Record<keyof AppParts, unknown>> = {
    store: checked,
    unit: {
      store: checked,
      schemas,
      cache: new StreamCache(1 << 20),
      subjects,
      objects: { put: async () => {} },
    },
    pool: readModel(log, leases, host),
    clock: { now: () => new Date(BEGIN_MS + clock.now) },
    random: { bytes: (length: number) => Uint8Array.from({ length }, () => clock.between(0, 255)) },
    presence: {
      name: host.name,
      isLive: () => host.leftMs() > 0 && clock.now >= host.paused_until,
      livesFor: async (name: string) => world.hosts.get(name)?.leftMs() ?? 0,
      leave: async () => {},
    },
    settlement,
    chain: { ...settlement, chain_id: 8453, sender: PAYEE },
    recover: recoverKey,
    pay_to: PAYEE,
    embedded_chain: true,
    webhooks: {},
    accepting: {
      check: async () => {},
      confirm: async () => {},
      contradiction: async () => null,
      suspect() {},
    },
    subjects,
    answers: {
      find: async (key: string) => {
        await host.io(1, 10);
        return answers.get(key);
      },
      keep: async (key: string, answer: StoredAnswer) => {
        await host.io(1, 10);
        answers.set(key, { ...answer, subjects: [] });
      },
      forget: async () => 0,
    },
    signer: { kid: "k", public_key: { kty: "OKP", crv: "Ed25519", x: "" }, sign: () => new Uint8Array(64) },
    settings: { public_url: "https://simulated.example" },
  };
  return parts as AppParts;
}

const validating =
  (send: AppParts["store"]["send"]): AppParts["store"]["send"] =>
  (commit) => {
    for (const { events } of commit.appends)
      for (const { type, schema_version = 1, payload } of events)
        schemas.validate(type, schema_version, payload);
    return send(commit);
  };

/** A call over HTTP with a payment in its header. */
export function callOf(app: App, input: { till: string; name: string }, request_id: string): Call {
  const controller = new AbortController();
  const lasting = {
    checkAnswer: async () => {},
    check: async () => true,
    signal: controller.signal,
    endAt() {},
  };
  return {
    ...{ operation: till.buy, app, data: {} as never, input, caller: anonymous, form: JSON_FORM },
    request_sha256: requestDigest(till.buy, input),
    ...{ idempotency_key: undefined, min_position: 0, if_none_match: undefined, last_event_id: undefined },
    ...{ wire: undefined as never, request_id, lasting: lasting as never },
  };
}

export const serve = (
  service: Service,
  header: string,
  input: { till: string; name: string },
  id: string,
): Promise<Outcome> =>
  service.flow.serve(callOf(service.app, input, id), {
    presented: {
      ...{ secret: undefined, payment: header, wallet_proof: undefined, on_behalf_of: undefined },
      ...{
        internal_token: undefined,
        is_local: false,
        ip: "192.0.2.1",
        method: "POST",
        path: "/v1/agent/till/buy",
      },
    },
    path: "/v1/agent/till/buy",
    sent: input,
    transport: "http",
  });

const NAME = "payments";

/** The reactor's turn as the service takes it: under its lease, with sends that ask for it. */
export async function reconcileOnce({ app, called }: Service, world: World): Promise<unknown> {
  const leases = reactorLeases(app.pool);
  return underLease(leases, NAME, async (held) => {
    const settlement = {
      ...app.settlement,
      settle: (...sent: Parameters<AppParts["settlement"]["settle"]>) => {
        if (!world.leases.isCurrent(NAME, held.lease.token))
          world.unfenced.push(`${called} sent a payment after it lost its lease`);
        return app.settlement.settle(...sent);
      },
    };
    const log = { info() {}, warn() {}, error() {} };
    const options = { claim_holds_ms: 90_000, answer_within_ms: 240_000, signal: held.lost };
    return runTick(({ app: fenced }) => reconcile(fenced, options), {
      ...{ app: withParts(app, { settlement }), lease: held, log, signal: held.lost },
    });
  });
}
