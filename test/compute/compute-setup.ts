/** A service with nodes and requesters, and workers written from docs/compute.md: none of our code signs for them. */

import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import canonicalize from "canonicalize";
import type { HDAccount } from "viem/accounts";
import * as tasks from "../../src/domain/compute/task.ts";
import * as account from "../../src/domain/payments/account.ts";
import * as seeds from "../../src/domain/rng/seeds.ts";
import { nodesProjection } from "../../src/projections/compute/nodes.ts";
import { recordsProjection } from "../../src/projections/compute/records.ts";
import { tasksProjection } from "../../src/projections/compute/tasks.ts";
import { accountsProjection } from "../../src/projections/payments/accounts.ts";
import { seedsReactor } from "../../src/reactors/rng/reactor.ts";
import { caller, ed25519Key, PROXIED } from "../identity/agents.ts";
import { buy } from "../support/buyer.ts";
import { replace } from "../support/replace.ts";
import { type Service, type ServiceOptions, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { LIMIT_MS, until } from "../support/until.ts";

// biome-ignore lint/suspicious/noExplicitAny: what answers hold is what is tested
export type Answer = { status: number; body: any };

/** Status and problem type of an answer. */
export const kindOf = ({ status, body }: Answer): [number, string] => [
  status,
  String(body.type).split("#")[1] ?? "",
];

export type LeasedTask = {
  task_id: string;
  task_type: string;
  input_data: Record<string, unknown>;
  lease_id: string;
  lease_sha256: string;
  input_sha256: string;
  attempt: number;
  origin: string;
};

export type TestNode = {
  sx: number;
  agent_id: string;
  kid: string;
  did: string;
  headers: Record<string, string>;
  privateKey: KeyObject;
  /** A compact JWS of the agent's key. */
  jws(text: string): string;
  post(path: string, body: object, more?: Record<string, string>): Promise<Answer>;
  get(path: string, more?: Record<string, string>): Promise<Answer>;
  beat(...leases: string[]): Promise<Answer>;
  pull(query?: string, more?: Record<string, string>): Promise<LeasedTask>;
  /** Returns a task's result with a receipt. */
  gives(leasedTask: LeasedTask, result: object, more?: object): Promise<Answer>;
};

export const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");
const jcs = canonicalize as unknown as (value: unknown) => string;

/** The result of the kind sha256-chain, by docs/compute.md. */
export function chainOf({ seed, n }: { seed: string; n: number }): { hash: string } {
  let hash = Buffer.from(seed, "hex");
  for (let round = 0; round < n; round++) hash = createHash("sha256").update(hash).digest();
  return { hash: hash.toString("hex") };
}

export type ComputeSetup = Awaited<ReturnType<typeof openComputeSetup>>;

export async function openComputeSetup(options: ServiceOptions = {}) {
  const service: Service & { database_url: string } = await startService({
    chain: "embedded",
    env: { ...PROXIED, ...options.env },
    ...options,
  });
  const { app } = service;
  const api = caller(service.url);
  const key = async (tenant: string) => (await service.issue({ tenant })).headers;

  const setup = {
    service,
    app,
    /** Headers of a key whose tenant has this balance, as if a payment had brought it. */
    async requester(tenant: string, micro = 1_000_000): Promise<Record<string, string>> {
      const credit = account.credit({
        source: `task:${tenant}`,
        amount_micro: micro,
        at: new Date().toISOString(),
      });
      await app.decide(account, account.targetOf(tenant), credit, { meta: { actor: "test" } });
      return key(tenant);
    },
    keyOf: key,
    /** An agent with a proven Ed25519 key and an online node. */
    async node(agent_id: string, offer: object = {}): Promise<TestNode> {
      const { privateKey, publicKey } = generateKeyPairSync("ed25519");
      const own = { ...ed25519Key(), ...signing(privateKey, publicKey) };
      const { body, ...made } = await api.post("/soul/register", { agent_id, issue_api_key: true });
      if (body.api_key === undefined) throw new Error(JSON.stringify({ ...made, body }));
      const headers = { Authorization: `Bearer ${body.api_key}` };
      const proof = await api.proof(own, agent_id);
      const proven = await api.post(`/soul/${agent_id}/keys`, proof, headers);
      if (proven.status >= 300) throw new Error(JSON.stringify(proven.body));
      const sx = Number((body.passport as { sx_id: string }).sx_id.slice(3));
      const node = nodeOf(api, { sx, agent_id, kid: own.kid, did: own.name, headers, privateKey });
      const offered = { agent_id, capabilities: ["cpu"], hourly_rate_usd: 0.06, max_concurrent: 8, ...offer };
      const registered = await node.post("/soul/node/register", offered);
      if (registered.status !== 200) throw new Error(JSON.stringify(registered.body));
      await node.beat();
      return node;
    },
    ask: (headers: Record<string, string>, path: string, body?: object): Promise<Answer> =>
      body ? api.post(path, body, headers) : api.get(path, headers),
    submit: (headers: Record<string, string>, more: object = {}): Promise<Answer> =>
      api.post(
        "/soul/compute/submit",
        { task_type: "translate", input_data: { text: "hello" }, max_price_usd: 0.05, ...more },
        headers,
      ),
    async pays(
      wallet: HDAccount,
      body: object,
      headers: Record<string, string> = {},
      path = "/soul/compute/submit",
    ): Promise<Answer> {
      const init = {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      };
      const { answer } = await buy(wallet, service.url + path, init);
      return { status: answer.status, body: await answer.json() };
    },
    account: (tenant: string) => app.load(account, account.targetOf(tenant)),
    task: async (tenant: string, task_id: string) =>
      tasks.existing(await app.load(tasks, tasks.targetOf(tenant, task_id))),
    storyOf: async (tenant: string, task_id: string) =>
      (await app.store.readStream({ tenant, stream_id: tasks.streamOf(task_id) })).map(({ type }) => type),
    /** Waits until the read models have the whole log. */
    async folded(): Promise<void> {
      const { position } = await app.store.head();
      for (const list of [nodesProjection, tasksProjection, recordsProjection, accountsProjection])
        await until(() => app.runner.reached(list, position, LIMIT_MS));
    },
    /** The active seed, from a chain of the service's own. */
    async activeSeed(): Promise<{ secret: Buffer; seed_hash: string }> {
      const active = async () => (await app.load(seeds, seeds.targetOf("live"))).active;
      for (let n = 0; n < 10 && !(await active()); n++) await turn(app, seedsReactor);
      const { chain, index, seed_hash } = (await active())!;
      return { secret: Buffer.from(app.seeds.seed("live", chain, index)), seed_hash };
    },
    /** Runs `work` with the service's clock this many seconds ahead. */
    async later(seconds: number, work: () => Promise<unknown>): Promise<void> {
      const { clock } = app;
      replace(app, { clock: { now: () => new Date(clock.now().getTime() + seconds * 1_000) } });
      await work().finally(() => {
        replace(app, { clock });
      });
    },
  };
  return setup;
}

function signing(privateKey: KeyObject, publicKey: KeyObject) {
  const { x } = publicKey.export({ format: "jwk" });
  const did = didKey(Buffer.from(x!, "base64url"));
  const jwk = JSON.stringify({ crv: "Ed25519", kty: "OKP", x });
  const kid = createHash("sha256").update(jwk).digest("base64url");
  return { kid, name: did, sign: async (text: string) => jws(privateKey, text) };
}

export function jws(privateKey: KeyObject, text: string, header: object = { alg: "EdDSA" }): string {
  const part = (value: string | Buffer) => Buffer.from(value).toString("base64url");
  const signed = `${part(JSON.stringify(header))}.${part(text)}`;
  return `${signed}.${part(sign(null, Buffer.from(signed), privateKey))}`;
}

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** did:key of the 32 bytes of an Ed25519 key: base58btc of 0xed01 and them. */
function didKey(bytes: Buffer): string {
  let value = BigInt(`0xed01${bytes.toString("hex")}`);
  let text = "";
  for (; value > 0n; value /= 58n) text = ALPHABET[Number(value % 58n)] + text;
  return `did:key:z${text}`;
}

type NewNode = Pick<TestNode, "sx" | "agent_id" | "kid" | "did" | "headers" | "privateKey">;

function nodeOf(api: ReturnType<typeof caller>, made: NewNode): TestNode {
  const { headers, agent_id, kid, privateKey } = made;
  const node: TestNode = {
    ...made,
    jws: (text) => jws(privateKey, text),
    post: (path, body, more) => api.post(path, body, { ...headers, ...more }),
    get: (path, more) => api.get(path, { ...headers, ...more }),
    beat: (...leases) => node.post("/soul/node/heartbeat", { agent_id, leases }),
    async pull(query = "", more = {}) {
      const { status, body } = await node.get(`/soul/compute/pull${query}`, more);
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body.task;
    },
    gives: (leasedTask, result, more = {}) =>
      node.post("/soul/compute/result", {
        task_id: leasedTask.task_id,
        lease_id: leasedTask.lease_id,
        result,
        receipt: receiptOf({ kid, privateKey }, leasedTask, result),
        ...more,
      }),
  };
  return node;
}

/** A receipt as a worker in any language makes it. */
export function receiptOf(
  { kid, privateKey }: { kid: string; privateKey: KeyObject },
  leasedTask: LeasedTask,
  result: object,
  bent: object = {},
) {
  const at = "2026-11-22T12:00:00.000Z";
  const said = { engine_sha256: sha256("by hand"), started_at: at, ended_at: at };
  const text = jcs({
    v: 1,
    origin: leasedTask.origin,
    task_id: leasedTask.task_id,
    attempt: leasedTask.attempt,
    lease_sha256: leasedTask.lease_sha256,
    kind: leasedTask.task_type,
    input_sha256: leasedTask.input_sha256,
    output_sha256: sha256(jcs(result)),
    exit: "ok",
    ...said,
    ...bent,
  });
  return { kid, ...said, signature: jws(privateKey, text) };
}
