/**
 * Many concurrent registrations on two processes: numbers without a gap, and one passport per id; and the operator's
 * commands.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import * as agents from "../../src/domain/identity/agent.ts";
import * as passports from "../../src/domain/identity/passports.ts";
import { eraseName, revokePassport, setSuspended } from "../../src/operator/agents.ts";
import { freshDatabase } from "../support/database.ts";
import { scaled } from "../support/scale.ts";
import { type Service, startService } from "../support/service.ts";
import { caller, ed25519Key, PROXIED } from "./agents.ts";

let first: Service & { database_url: string };
let second: Service;
let vault: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  vault = await freshDatabase();
  first = await startService({ env: PROXIED, vault: vault.url });
  second = await startService({ env: PROXIED, vault: vault.url, beside: first });
});
afterAll(async () => {
  await second.stop();
  await first.stop();
  await vault.drop();
});

const register = ({ url }: Service, body: object, headers?: Record<string, string>) =>
  caller(url).post("/soul/register", body, headers);
const numbers = (answers: { body: Record<string, unknown> }[]) =>
  answers.map(({ body }) => Number((body.passport as { sx_id: string }).sx_id.slice("SX#".length)));

/** The number of new agents, and of calls for one and the same. Concurrency is limited to the machine's connections. */
const MANY = scaled(120);
const MANY_OF_ONE = scaled(40, 2);

const CONNECTIONS = 250;

/** Runs many calls with limited concurrency; answers in order. */
async function crowd<T>(many: number, call: (at: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  let at = 0;
  const next = async (): Promise<void> => {
    for (let own = at++; own < many; own = at++) answers[own] = await call(own);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, next));
  return answers;
}

test("concurrent registrations on two processes get numbers from 1 on without a gap", async () => {
  const answers = await crowd(MANY, (at) =>
    register(at % 2 === 0 ? first : second, { agent_id: `racer-${at}` }),
  );
  expect(answers.map(({ status }) => status)).toEqual(new Array(MANY).fill(200));
  const sorted = numbers(answers).sort((a, b) => a - b);
  expect(sorted).toEqual(Array.from({ length: MANY }, (_, at) => at + 1));
  // Each number is the version of its event in the counter's stream.
  const { tenant, id } = passports.target;
  const issued = await first.app.store.readStream({
    tenant,
    stream_id: passports.streamOf(id),
    limit: MANY + 1,
  });
  expect(issued.map(({ version, payload }) => [version, payload.sx_number])).toEqual(
    sorted.map((number) => [number, number]),
  );
});

test("concurrent registrations of one id give one passport with one API key", async () => {
  const answers = await crowd(MANY_OF_ONE, (at) =>
    register(at % 2 === 0 ? first : second, {
      agent_id: at % 3 === 0 ? "The-One" : "the-one",
      issue_api_key: true,
    }),
  );
  const won = answers.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  expect(won[0]!.body).toMatchObject({ is_new: true, api_key: expect.stringMatching(/^sk_soul_/) });
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 403]));
});

test("a repeat under the same key at another process returns the same passport and API key", async () => {
  const headers = { "Idempotency-Key": "00112233445566778899aabbccddeeff" };
  const body = { agent_id: "said-twice", display_name: "Said Twice", issue_api_key: true };
  const answers = await Promise.all([register(first, body, headers), register(second, body, headers)]);
  expect(answers[0]!.status).toBe(200);
  expect(answers[1]).toEqual(answers[0]);
  expect(await register(second, body, headers)).toEqual(answers[0]);
  expect(await register(first, { ...body, agent_id: "another" }, headers)).toMatchObject({ status: 422 });
  // An owner of an export has the digest of the key, but nothing to use it with.
  const { rows } = await first.app.pool.query<{ idem_key: string }>(
    "select idem_key from eventstore.events where idem_key is not null",
  );
  expect(JSON.stringify(rows)).not.toContain(headers["Idempotency-Key"]);
  const name = rows
    .find(({ idem_key }) => idem_key.startsWith("anonymous/"))!
    .idem_key.slice("anonymous/".length);
  expect(await register(first, body, { "Idempotency-Key": name })).toMatchObject({ status: 403 });
});

test("a suspended agent is read-only, a revoked one stays read-only, and an erased name is gone", async () => {
  const api = caller(first.url);
  const key = ed25519Key();
  const agent_id = "troubled";
  const named = { agent_id, display_name: "Ford Prefect", issue_api_key: true };
  const { body } = await api.post("/soul/register", { ...named, ...(await api.proof(key, agent_id)) });
  const { sx_id } = body.passport as { sx_id: string };
  const passport = async () => (await api.get("/soul/passport/troubled")).body;
  const prove = async () => api.post("/soul/troubled/keys", await api.proof(ed25519Key(), agent_id));

  expect(agents.statusOf(await setSuspended(first.app, sx_id, { suspended: true, reason: "asked" }))).toBe(
    "suspended",
  );
  expect(await passport()).toMatchObject({ status: "suspended", reason: "asked", keys: [{}] });
  expect((await prove()).status).toBe(409);
  expect(await api.post("/soul/register", { agent_id })).toMatchObject({
    status: 200,
    body: { is_new: false },
  });
  await setSuspended(first.app, "TROUBLED", { suspended: false, reason: "sorted out" });
  expect(await passport()).toMatchObject({ status: "proven", reason: null });

  expect(await eraseName(first.app, sx_id)).toMatchObject({ status: "erased" });
  expect(await passport()).toMatchObject({ display_name: null, erased: true });
  expect((await api.post(`/soul/passport/${agent_id}/verify`, {})).body).toMatchObject({ verified: true });

  await revokePassport(first.app, sx_id, "fraud");
  expect(await passport()).toMatchObject({ status: "revoked", reason: "fraud", keys: [] });
  expect((await prove()).status).toBe(409);
  await expect(setSuspended(first.app, sx_id, { suspended: false, reason: "no" })).rejects.toThrow("revoked");
  const elsewhere = { agent_id: "elsewhere", ...(await api.proof(key, "elsewhere")) };
  expect(await api.post("/soul/register", elsewhere)).toMatchObject({ status: 409 });
});
