/** Scores as of any position, history re-hashed, and badges. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { caller, PROXIED } from "../identity/agents.ts";
import { buy } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { type Agency, agencyOf } from "./agency.ts";

let service: Service;
let agency: Agency;
let api: ReturnType<typeof caller>;
let headers: { Authorization: string };
beforeAll(async () => {
  service = await startService({ chain: "embedded", env: PROXIED });
  agency = agencyOf(service.app);
  api = caller(service.url);
  for (let n = 1; n <= 3; n++) await agency.register(n);
  await agency.prove(1, addressOf(wallet(1)));
});
afterAll(() => service.stop());
beforeEach(async () => {
  headers = (await service.issue()).headers;
});

const exact = (more = "") => api.get(`/soul/SX%233/trust?exact=true${more}`, headers);
const head = async () => (await service.app.store.head()).position;
const kept = async () => (await service.app.pool.query("select from access.trust_exact")).rowCount;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

describe("a score as of any position", () => {
  test("differs from the stored score, and has the log's digest where a computation was", async () => {
    await agency.seed(1, 40);
    await agency.attest(1, 3, 10);
    const first = await head();
    await agency.compute(Date.now());
    const { body: computed } = await api.get("/soul/SX%233/trust");
    await agency.attest(2, 3, 1);
    await agency.seed(1, 20);
    const second = await head();
    const of = async (position: number) => (await exact(`&as_of_position=${position}`)).body;
    expect(await of(first)).toMatchObject({
      trust_score: 0.1,
      samples: { collaboration: 1 },
      as_of: {
        position: first,
        computed_event: null,
        result_sha256: (computed.as_of as { result_sha256: string }).result_sha256,
      },
    });
    expect(await of(second)).toMatchObject({ trust_score: 0.05, samples: { collaboration: 2 } });
    expect((await exact()).body.trust_score).toBe(0.05);
  });

  test("ages with a later day, and refuses a future day", async () => {
    const tomorrow = dayOf(Date.now() + 86_400_000);
    const refused = [await exact(`&day=${tomorrow}`), await exact(`&day=2020-01-01`)];
    expect(refused.map(({ status, body }) => [status, body.errors![0]!.path])).toEqual([
      [400, "day"],
      [400, "day"],
    ]);
    expect((await exact(`&day=${dayOf(Date.now())}`)).status).toBe(200);
  });

  test("needs a key, excludes an explanation, and is the only computation with a day", async () => {
    expect((await api.get("/soul/SX%233/trust?exact=true")).status).toBe(401);
    const bad = [await exact("&explain=true"), await api.get("/soul/SX%233/trust?day=2026-01-01")];
    expect(bad.map(({ status, body }) => [status, body.errors![0]!.path])).toEqual([
      [400, "explain"],
      [400, "day"],
    ]);
    expect((await exact(`&as_of_position=${(await head()) + 1_000}`)).status).toBe(404);
  });

  test("is stored under its evidence's position: a position without new evidence costs and stores nothing", async () => {
    const before = await kept();
    await agency.register(4 + before!);
    expect((await exact()).body.trust_score).toBe(0.05);
    expect(await kept()).toBe(before);
    const { rows } = await service.app.pool.query(
      "select sum(calls)::int as calls from access.trust_exact_calls",
    );
    expect(rows).toEqual([{ calls: before }]);
  });

  test("is computed ten times per key and day, then only read", async () => {
    for (let call = 0; call < 10; call++) {
      await agency.seed(1, 21 + call);
      expect((await exact()).status).toBe(200);
    }
    await agency.seed(1, 20);
    const { status, body } = await exact();
    expect([status, body.type]).toEqual([429, expect.stringMatching(/#rate-limited$/)]);
    const known = await service.app.pool.query(
      "select position from access.trust_exact order by made limit 1",
    );
    expect((await exact(`&as_of_position=${known.rows[0].position}`)).status).toBe(200);
    headers = (await service.issue()).headers;
    expect((await exact()).status).toBe(200);
  });

  test("is computed one at a time over all processes; a refused caller is not charged", async () => {
    await agency.seed(1, 19);
    const other = await service.app.pool.connect();
    await other.query("begin");
    await other.query("select pg_advisory_xact_lock(hashtext('trust.exact'))");
    const response = await fetch(`${service.url}/soul/SX%233/trust?exact=true`, { headers });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
    expect(((await response.json()) as { type: string }).type).toMatch(/#trust-computing$/);
    await other.query("commit");
    other.release();
    expect((await exact()).status).toBe(200);
  });

  test("is stored for the newest thousand", async () => {
    await service.app.pool.query(
      `insert into access.trust_exact (position, day, result_sha256, scores)
       select -n, 0, '', '' from generate_series(1, 1100) n`,
    );
    await agency.seed(1, 18);
    await exact();
    expect(await kept()).toBe(1_000);
    expect((await exact()).body.trust_score).toBe(0.045);
  });
});

type Checked = {
  valid: boolean;
  events: number;
  streams: number;
  first_bad: { stream_id: string; version: number; reason: string } | null;
  head: { version: number; event_hash: string };
};
async function verified(): Promise<Checked> {
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" };
  const { answer } = await buy(wallet(1), `${service.url}/soul/SX%231/verify-chain`, init);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Checked;
}

describe("an agent's re-hashed history", () => {
  test("is valid, with its attestations and its head", async () => {
    const stream = { tenant: "operator", stream_id: "agent-agent.no-1" };
    const own = await service.app.store.streamHead(stream);
    expect(await verified()).toMatchObject({
      valid: true,
      events: own!.version + 1,
      streams: 2,
      first_bad: null,
      head: { version: own!.version, event_hash: Buffer.from(own!.event_hash).toString("hex") },
      checkpoint: null,
      anchor: null,
    });
  });

  test("names the first fault, in its own stream or in an attestation", async () => {
    const { pool } = service.app;
    const change = (sql: string) =>
      pool.query(`begin; set local session_replication_role = replica; ${sql}; commit`);
    const of = "where stream_id = 'agent-agent.no-1' and version = 2";
    await change(`update eventstore.events set type = 'AgentKeyLent' ${of}`);
    expect(await verified()).toMatchObject({
      valid: false,
      first_bad: { stream_id: "agent-agent.no-1", version: 2, reason: expect.stringMatching(/event_hash/) },
    });
    await change(`update eventstore.events set type = 'AgentKeyProven' ${of}`);
    expect((await verified()).valid).toBe(true);
    await change(
      "delete from eventstore.events where stream_id like 'attestation-%' and type = 'AttestationMade' and convert_from(payload, 'UTF8')::json->>'from' = '1'",
    );
    const cut = await verified();
    expect(cut.first_bad).toMatchObject({
      stream_id: expect.stringMatching(/^attestation-/),
      version: 1,
      reason: "the stream had 1 events, and 0 are left",
    });
  });
});

test("badges name the events that earned them, and skills have their points", async () => {
  const { answer } = await buy(wallet(1), `${service.url}/v1/agent/soul/badges/SX%233`);
  const body = (await answer.json()) as {
    badges: object[];
    skills: { skill: string; points_micro: number }[];
  };
  const stream = { tenant: "operator", stream_id: "agent-agent.no-3" };
  const [registered] = await service.app.store.readStream(stream);
  expect(body.badges).toMatchObject([{ kind: "Genesis", event_id: registered!.event_id }]);
  expect(body.skills).toMatchObject([{ skill: "honesty", points_micro: 10_000_000, attestors: 1 }]);
});
