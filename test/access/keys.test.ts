import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import * as key from "../../src/domain/access/key.ts";
import { listAllKeys, revokeKey } from "../../src/operator/keys.ts";
import { impatiently } from "../support/patience.ts";
import { type Service, startService } from "../support/service.ts";
import { specificationOf } from "../support/specification.ts";
import { until } from "../support/until.ts";

const facts: key.KeyFacts = {
  key_id: "k_1",
  tenant: "acme",
  space: "live",
  label: "first",
  scopes: ["read"],
  daily: 1_000,
  monthly: 10_000,
  secret_sha256: "0".repeat(64),
  issued_at: "2026-11-21T12:00:00.000Z",
};
const at = "2026-11-22T12:00:00.000Z";
const issued: key.KeyEvent = { type: "KeyIssued", data: facts };
const revoked: key.KeyEvent = { type: "KeyRevoked", data: { key_id: "k_1", revoked_at: at } };

const given = specificationOf(key);

describe("an API key", () => {
  test("is issued", () => given([]).when(key.issue(facts)).then([issued]));
  test("is issued once", () =>
    given([issued])
      .when(key.issue(facts))
      .thenThrows((e) => (e as Refusal).code === "conflict"));
  test("is revoked", () => given([issued]).when(key.revoke(at)).then([revoked]));
  test("is revoked once", () => given([issued, revoked]).when(key.revoke("later")).thenNothingHappened());
  test("must exist to be revoked", () =>
    given([])
      .when(key.revoke(at))
      .thenThrows((e) => e instanceof Refusal && e.code === "not_found"));
});

test.each(["operator", "anonymous"])(
  "no key is issued for the tenant %s, which is the service's own",
  (name) => {
    expect(key.tenantName.safeParse(name).success).toBe(false);
    expect(key.tenantName.safeParse(`${name}s`).success).toBe(true);
  },
);

describe("keys of a running service", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());
  const ask = (headers: Record<string, string>) => fetch(`${service.url}/v1/agent/feeds`, { headers });
  const priced = (headers: Record<string, string>) =>
    fetch(`${service.url}/v1/agent/replay/wal-since?since=2026-01-01T00:00:00Z`, { headers });

  test("open at once, by either header, and stop when their revocation arrives", async () => {
    const mine = await service.issue();
    expect((await ask(mine.headers)).status).toBe(200);
    expect((await ask({ "X-API-Key": mine.secret })).status).toBe(200);
    expect((await ask({ ...mine.headers, "X-API-Key": "other" })).status).toBe(401);
    await revokeKey(service.app, mine.key_id);
    const result = await until(async () => {
      const answer = await ask(mine.headers);
      expect(answer.status).toBe(401);
      return answer;
    });
    expect(await result.json()).toMatchObject({ detail: expect.stringContaining("revoked") });
  });

  test("are issued even while the list of keys lags, and work once it has caught up", async () => {
    const { pool } = service.app;
    const held = "update read.checkpoints set holder = gen_random_uuid(), token = token + 1, held_until = $1";
    await pool.query(`${held} where projection = 'access_keys_v1'`, ["infinity"]);
    const mine = await impatiently(service.app, () => service.issue({ tenant: "lagging" }));
    expect(mine.secret).toMatch(/^sk_live_/);
    expect((await ask(mine.headers)).status).toBe(401);
    await pool.query(`${held} where projection = 'access_keys_v1'`, ["-infinity"]);
    await until(async () => expect((await ask(mine.headers)).status).toBe(200));
  });

  test("are listed without their secrets, and their events have none", async () => {
    const mine = await service.issue({ tenant: "lister" });
    const listed: unknown[] = [];
    for await (const row of listAllKeys(service.app, "lister")) listed.push(row);
    expect(listed).toMatchObject([
      { key_id: mine.key_id, tenant: "lister", scopes: ["read", "quote", "order"] },
    ]);
    const events = await service.app.store.readLog({ after: 0, tenant: "lister" });
    expect(events.map(({ type }) => type)).toEqual(["KeyIssued"]);
    expect(JSON.stringify([listed, events])).not.toContain(mine.secret);
  });

  test("test keys live in a tenant of their own", async () => {
    const tried = await service.issue({ tenant: "acme", space: "test" });
    expect(tried.tenant).toBe("test:acme");
    expect(tried.secret).toMatch(/^sk_test_/);
    const lines = (await (await priced(tried.headers)).text()).trim().split("\n");
    expect(lines).toHaveLength(2);
  });

  test("a quota is stated in headers, and 429 suggests payment", async () => {
    const mine = await service.issue({ tenant: "quota", daily: 2, monthly: 50 });
    const first = await priced(mine.headers);
    expect(first.headers.get("ratelimit-policy")).toMatch(/^"daily";q=2;w=86400, "monthly";q=50;w=\d+$/);
    expect(first.headers.get("ratelimit")).toMatch(/^"daily";r=1;t=\d+, "monthly";r=49;t=\d+$/);
    // A refused call was admitted, so it counts and reports the remaining quota.
    const refused = await fetch(`${service.url}/v1/agent/replay/wal-since?since=x`, {
      headers: mine.headers,
    });
    expect(refused.status).toBe(400);
    expect(refused.headers.get("ratelimit")).toMatch(/^"daily";r=0/);
    const over = await priced(mine.headers);
    expect(over.status).toBe(429);
    expect(Number(over.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await over.json()).toMatchObject({
      type: expect.stringContaining("#quota-exceeded"),
      detail: expect.stringContaining("pay for it"),
    });
    // Neither open nor unknown operations are counted.
    expect((await ask(mine.headers)).status).toBe(200);
  });

  test("a key without the scope is 403", async () => {
    const mine = await service.issue({ scopes: ["quote"] });
    expect((await priced(mine.headers)).status).toBe(403);
  });
});
