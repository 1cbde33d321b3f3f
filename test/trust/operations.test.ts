import { decodeAbiParameters, parseAbiParameters, recoverTypedDataAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import { rootOfProof, type ScoreProof } from "../../src/domain/trust/score-tree.ts";
import { buy } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { dayWith } from "../support/until.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { type Agency, agencyOf } from "./agency.ts";

let service: Service;
let agency: Agency;
let headers: { Authorization: string };
beforeAll(async () => {
  service = await startService({ chain: "embedded", env: { TRUST_PROXY: "1", TRUST_SECONDS: "1" } });
  // A score of the next day has decayed.
  await dayWith(60_000);
  agency = agencyOf(service.app);
  headers = (await service.issue()).headers;
  for (let n = 1; n <= 8; n++) await agency.register(n);
  for (const n of [1, 2]) {
    await agency.prove(n, addressOf(wallet(n)));
    await agency.bind(n, addressOf(wallet(n)));
  }
});
afterAll(() => service.stop());

type Line = { points_micro: number; event_id?: string; event_ids?: string[]; from?: string };
type Body = {
  status: string;
  trust_score: number;
  trust_level: string;
  attestation_count: number;
  attestation_id: string;
  attestation_uid: string;
  poll: string;
  offchain: {
    signer: string;
    sig: {
      uid: string;
      domain: { name: string; version: string; chainId: string; verifyingContract: Hex };
      types: Record<string, { name: string; type: string }[]>;
      message: Record<string, string>;
      signature: { r: string; s: string; v: number };
    };
  };
  warning: string | null;
  type: string;
  errors: { path: string }[];
  attestations: { skill: string; to: string }[];
  passport: { sx_id: string; hash: string };
  computed_event: string;
  as_of: { position: number; computed_event: string; result_sha256: string };
  proof: (ScoreProof & { root: string }) | null;
  points: { day: string; trust_score: number; computed_event: string }[];
  factors: Record<string, number | null>;
  samples: Record<string, number>;
  explanation: {
    score_micro: number;
    seeded_micro: number;
    independent_attestors: number;
    reciprocal_share: number | null;
    clique: boolean;
  } & Record<"base" | "attestations" | "penalties" | "cuts", Line[]>;
};

let address = 0;
async function get(path: string, more: Record<string, string> = {}) {
  const from = { "X-Forwarded-For": `10.1.${(address += 1) >> 8}.${address & 255}` };
  const response = await fetch(service.url + path, { headers: { ...from, ...more }, redirect: "manual" });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text.startsWith("{") ? JSON.parse(text) : {}) as Body,
  };
}
async function eventOf(event_id: string) {
  const events = await service.app.store.readLog({ after: 0, limit: 1_000 });
  return events.find((event) => event.event_id === event_id)!;
}
const post = (body: object): RequestInit => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "Content-Type": "application/json" },
});
async function attest(n: number, body: object, path = "/v1/agent/soul/attest") {
  const { answer } = await buy(wallet(n), service.url + path, post(body));
  return { status: answer.status, body: (await answer.json()) as Body };
}
/** Verifies with viem alone, as an EAS client would: the signature and the signed data. */
async function expectSigned({ offchain, attestation_uid, attestation_id }: Body, said: object) {
  const { sig, signer } = offchain;
  const { r, s, v } = sig.signature;
  const address = await recoverTypedDataAddress({
    domain: { ...sig.domain, chainId: Number(sig.domain.chainId) },
    types: sig.types,
    primaryType: "Attest",
    message: sig.message,
    signature: `${r}${s.slice(2)}${v.toString(16)}` as Hex,
  });
  expect(address.toLowerCase()).toBe(signer);
  expect(signer).toBe(service.app.chain.sender);
  expect(sig.domain).toMatchObject({ name: "EAS Attestation", version: "1.4.0" });
  const [from, to, skill, weight_e4, id] = decodeAbiParameters(
    parseAbiParameters("uint64, uint64, string, uint32, bytes32"),
    sig.message.data as Hex,
  );
  expect({ from, to, skill, weight_e4 }).toEqual(said);
  expect(id).toBe(`0x${attestation_id.padEnd(64, "0")}`);
  expect(sig.uid).toBe(attestation_uid);
  const { body } = await get(`/v1/agent/soul/attestations/${attestation_id}`);
  expect(body).toMatchObject({
    attestation_uid,
    live: true,
    status: "asked",
    tx_hash: null,
    onchain_uid: null,
  });
}
const balance = async (n: number) => (await agency.scores())[n];

test("before any computation every score is 0, and the answer marks that", async () => {
  const { body } = await get("/soul/SX%231/trust");
  expect(body).toMatchObject({ trust_score: 0, trust_level: "none", status: "proven", as_of: null });
  const verified = await get("/v1/agent/soul/verify/agent.no-1");
  expect(verified.body).toMatchObject({
    trust_score: 0,
    trust_level: "none",
    status: "proven",
    computed_event: null,
  });
  expect(verified.body).toMatchObject({ attestation_count: 0 });
  expect((await get("/soul/nobody.here/trust")).status).toBe(404);
  expect((await get("/soul/4711/trust")).status).toBe(404);
});

describe("a paid attestation", () => {
  test("is one public event, warns while it weighs nothing, and counts by its attestor's score", async () => {
    const first = await attest(1, { subject: "SX#3", skill: "translation", weight: 2.5 });
    expect(first).toMatchObject({
      status: 201,
      body: { warning: "weighs_nothing_yet", from: "SX#1", to: "SX#3" },
    });
    await agency.seed(1, 40);
    await agency.compute(Date.now());
    const second = await attest(1, { subject: "agent.no-3", skill: "translation", weight: 10 });
    const { attestation_id } = second.body;
    expect(second).toMatchObject({
      status: 201,
      body: {
        ...{ warning: null, status: "pending", onchain_uid: null, tx_hash: null, expected_s: 10 },
        poll: `/v1/agent/soul/attestations/${attestation_id}`,
      },
    });
    expect((await get(second.body.poll)).status).toBe(200);
    await expectSigned(second.body, { from: 1n, to: 3n, skill: "translation", weight_e4: 100_000 });
    const stream_id = `attestation-${second.body.attestation_id}`;
    const events = await service.app.store.readStream({ tenant: "operator", stream_id });
    expect(events.map(({ type }) => type)).toEqual(["AttestationMade"]);
    await agency.compute(Date.now() + 2_000);
    expect(await balance(3)).toBe(10);
  });

  test("is refused about oneself, the paying agent, a delegate, and without a passport", async () => {
    const refused = async (n: number, subject: string) =>
      (await attest(n, { subject, skill: "honesty" })).body;
    expect((await refused(1, "SX#1")).type).toMatch(/#self-attestation$/);
    expect((await refused(1, addressOf(wallet(1)))).type).toMatch(/#self-attestation$/);
    await agency.delegate(1, 4, addressOf(wallet(1)));
    expect((await refused(1, "SX#4")).type).toMatch(/#self-attestation$/);
    await agency.prove(5, addressOf(wallet(5)));
    await agency.delegate(5, 1, addressOf(wallet(5)));
    expect((await refused(1, "SX#5")).type).toMatch(/#self-attestation$/);
    expect((await refused(3, "SX#1")).type).toMatch(/#no-passport$/);
    await agency.suspend(6);
    expect((await refused(1, "SX#6")).type).toMatch(/#agent-suspended$/);
  });

  test.each([
    ["weight", { weight: -1 }],
    ["weight", { weight: 0 }],
    ["weight", { weight: 10.1 }],
    ["weight", { weight: 0.00015 }],
    ["skill", { skill: "Honesty" }],
  ])("is a 400 that names %s: %j", async (path, change) => {
    const { status, body } = await attest(1, { subject: "SX#3", skill: "honesty", ...change });
    expect([status, body.errors.map((one) => one.path)]).toEqual([400, [path]]);
  });
});

describe("a batch", () => {
  const path = "/v1/agent/soul/attest/batch";
  const made = async () => (await service.app.pool.query("select from read.trust_edges_v3")).rowCount;

  test("records all of its lines", async () => {
    const targets = ["honesty", "speed"].map((skill) => ({ subject: "SX#7", skill, weight: 5 }));
    const { status, body } = await attest(1, { targets }, path);
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body.attestations.map(({ skill }) => skill)).toEqual(["honesty", "speed"]);
    await agency.compute(Date.now() + 4_000);
    expect(await balance(7)).toBeGreaterThan(0);
  });

  test("with a refused line, or a repeated subject and skill, records nothing", async () => {
    const before = await made();
    const good = { subject: "SX#8", skill: "honesty" };
    const self = await attest(1, { targets: [good, { subject: "SX#1", skill: "honesty" }] }, path);
    expect(self.body.type).toMatch(/#self-attestation$/);
    const twice = await attest(1, { targets: [good, { subject: "agent.no-8", skill: "honesty" }] }, path);
    expect([twice.status, twice.body.errors]).toMatchObject([400, [{ path: "targets.1" }]]);
    expect(await made()).toBe(before);
  });
});

describe("a score", () => {
  test("is proven alone, by the path from its line to the root in the log", async () => {
    await agency.compute(Date.now() + 4_000);
    const { as_of, proof, trust_score } = (await get("/soul/SX%231/trust?proof=true")).body;
    expect(rootOfProof(proof!)).toBe(proof!.root);
    expect(proof!.lines).toContain(`1 ${Math.round(trust_score * 1e8)}\n`);
    const { payload } = await eventOf(as_of.computed_event);
    expect(payload.result_root).toBe(proof!.root);
    const { body } = await get("/soul/SX%231/trust?exact=true&proof=true", headers);
    expect(body.errors).toMatchObject([{ path: "proof" }]);
    await service.app.pool.query("update read.trust_scores_v3 set score = score + 1 where sx = 1");
    await service.app.once("trees of scores", () => new Map()).clear();
    expect((await get("/soul/SX%231/trust?proof=true")).status).toBe(503);
    await service.app.pool.query("update read.trust_scores_v3 set score = score - 1 where sx = 1");
  });

  test("is the sum of its lines, each with its events", async () => {
    await agency.pay(addressOf(wallet(2)), 3);
    await agency.attest(3, 1, 4);
    await agency.task(7, "acme", "paid");
    await agency.task(7, "acme", "refuted");
    await agency.compute(Date.now() + 6_000);
    for (const n of [1, 2, 3, 7]) {
      const { body } = await get(`/soul/SX%23${n}/trust?explain=true`);
      const { base, attestations, penalties, cuts, seeded_micro, score_micro } = body.explanation;
      const lines = [base, attestations, penalties, cuts].flat();
      expect(seeded_micro + lines.reduce((sum, { points_micro }) => sum + points_micro, 0)).toBe(score_micro);
      expect(score_micro).toBe(Math.round(((await balance(n)) ?? 0) * 1e6));
      expect(body.trust_score).toBe(Math.floor(score_micro / 100) / 1e6);
      for (const one of attestations) expect(one.event_ids!.length).toBeGreaterThan(0);
    }
    const worker = (await get("/soul/7/trust?explain=true")).body;
    expect(worker.explanation).toMatchObject({
      base: [{ kind: "task", points_micro: 60_000 }],
      penalties: [{ kind: "penalty", points_micro: -10_000_000 }],
    });
    expect(worker).toMatchObject({
      factors: { speed: 1, accuracy: 0 },
      samples: { reliability: 2, accuracy: 1, speed: 2, consistency: 1 },
    });
    const { body } = await get("/soul/3/trust?explain=true");
    expect(body.explanation).toMatchObject({ independent_attestors: 1, reciprocal_share: 1, clique: false });
    expect(body).toMatchObject({
      factors: { reliability: null, collaboration: body.trust_score },
      samples: { reliability: 0, collaboration: 1 },
    });
    const { rows } = await service.app.pool.query(
      "select event_id, result_sha256 from read.trust_computed_v3 where kept",
    );
    expect(rows).toContainEqual({
      event_id: body.as_of.computed_event,
      result_sha256: body.as_of.result_sha256,
    });
  });

  test("as of a position comes from the stored computation at or before it", async () => {
    const { body } = await get("/soul/3/trust");
    const { position } = body.as_of;
    expect((await get(`/soul/3/trust?as_of_position=${position}`)).body).toEqual(body);
    expect((await get("/soul/3/trust?as_of_position=1")).status).toBe(404);
  });

  test("has a daily history for callers with a key", async () => {
    expect((await get("/soul/3/trust/history")).status).toBe(401);
    const { body } = await get("/soul/3/trust/history", headers);
    const now = (await get("/soul/3/trust")).body;
    expect(body.points.at(-1)).toMatchObject({
      trust_score: now.trust_score,
      computed_event: now.as_of.computed_event,
    });
    const bad = await get("/soul/3/trust/history?from=2026-02-02&to=2026-02-01", headers);
    expect([bad.status, bad.body.errors[0]!.path]).toEqual([400, "from"]);
  });
});

describe("verify", () => {
  const path = "/v1/agent/soul/verify/agent.no-3";
  test("returns the passport and the score in points", async () => {
    const { body } = await get(path);
    const { trust_score } = (await get("/soul/3/trust")).body;
    expect(body.trust_score).toBe(Math.floor(trust_score * 1e4) / 100);
    expect(body).toMatchObject({ attestation_count: 1, chain: "eip155:8453", passport: { sx_id: "SX#3" } });
  });

  test("is free ten times a day for an address, then paid", async () => {
    const from = { "X-Forwarded-For": "192.0.2.7" };
    const answers = [];
    for (let call = 0; call < 11; call++) answers.push((await get(path, from)).status);
    expect(answers).toEqual([...Array(10).fill(200), 402]);
    const { answer } = await buy(wallet(2), service.url + path, { headers: from });
    expect(answer.status).toBe(200);
  });

  test.each(["/api/soul/verify/agent.no-3", "/soul/agent.no-3/verify-chain"])(
    "is also at %s",
    async (old) => {
      const { status, headers } = await get(old);
      expect([status, headers.get("location")]).toEqual([301, expect.stringContaining(path)]);
    },
  );
});

describe("the passport's status", () => {
  const statusIn = async (n: number) => {
    const paths = [`/v1/agent/soul/verify/SX%23${n}`, `/soul/${n}/trust`];
    const answers = await Promise.all(paths.map((path) => get(path)));
    return answers.map(({ body }) => [body.status, body.trust_level]);
  };
  const both = (status: string, level: string) => [
    [status, level],
    [status, level],
  ];

  test("accompanies each score, and a suspended or revoked agent has the level none", async () => {
    const n = await agency.register(9);
    expect(await statusIn(n)).toEqual(both("registered", "none"));
    await agency.seed(n, 40);
    await agency.compute(Date.now() + 8_000);
    expect(await statusIn(n)).toEqual(both("registered", "medium"));
    await agency.prove(n);
    expect(await statusIn(n)).toEqual(both("proven", "medium"));
    await agency.suspend(n);
    expect(await statusIn(n)).toEqual(both("suspended", "none"));
    await agency.reinstate(n);
    expect(await statusIn(n)).toEqual(both("proven", "medium"));
    await agency.revoke(n);
    expect(await statusIn(n)).toEqual(both("revoked", "none"));
    // The score depends on the log alone, so it stays.
    expect((await get(`/soul/${n}/trust`)).body.trust_score).toBe(0.4);
    await agency.compute(Date.now() + 10_000);
    const exact = (await get(`/soul/${n}/trust?exact=true`, headers)).body;
    expect(exact).toMatchObject({ status: "revoked", trust_level: "none", trust_score: 0.4 });
  });

  test("is in the other sold answers about trust", async () => {
    const sold = async (path: string, init: RequestInit = {}) => {
      const { answer } = await buy(wallet(2), service.url + path, init);
      return (await answer.json()) as Body;
    };
    expect(await sold("/v1/agent/soul/badges/SX%239")).toMatchObject({ status: "revoked" });
    expect(await sold("/soul/SX%239/verify-chain", post({}))).toMatchObject({
      status: "revoked",
      valid: true,
    });
  });
});
