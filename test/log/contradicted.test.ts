/** A service whose log lost what it signed records and sells nothing, and says why; reading goes on, and so does it once the events are back. */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signTurn } from "../../src/anchoring/sign-growth.ts";
import { AT_ONCE } from "../anchoring/anchoring-house.ts";
import { GAS_KEY, openWorkshop, PAYEE, type Workshop, wallet } from "../chain/fixture.ts";
import { wares } from "../payments/wares.ts";
import { present, quoteOf, signPayment } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

let workshop: Workshop;
let service: Service & { database_url: string };
let pool: pg.Pool;
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({ operations: wares, chain, env: { OPEN_CALLS_PER_MINUTE: "100000" } });
  pool = new pg.Pool({ connectionString: service.database_url, max: 1 });
});
afterAll(async () => {
  await pool?.end();
  await service?.stop();
  await workshop?.close();
});

/** As somebody with the owner's rights. */
async function asOwner(sql: string): Promise<void> {
  await pool.query(`begin; set local session_replication_role = replica; ${sql}; commit`);
}

const echo = () => `${service.url}/v1/agent/test/echo?say=hello`;
const order = (name: string, headers: Record<string, string>) =>
  fetch(`${service.url}/v1/agent/test/order`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ name }),
  });
const read = async (path: string) => {
  const answer = await fetch(service.url + path);
  return { status: answer.status, body: (await answer.json()) as Record<string, never> };
};

test("nothing is recorded or sold while the log contradicts what was signed of it", async () => {
  const { headers } = await service.issue({ tenant: "acme" });
  expect((await order("before", headers)).status).toBe(201);
  const quote = await quoteOf(echo());
  const paid = await signPayment(wallet(1), quote);
  const { app } = service;
  const { position: left } = await app.store.head();
  expect((await order("signed", headers)).status).toBe(201);
  expect(await signTurn(app, AT_ONCE)).toBe("done");

  await asOwner(`create table kept as select * from eventstore.events where position > ${left};
    delete from eventstore.events where position > ${left}`);
  // What was found before is believed for two seconds.
  await until(async () => JSON.stringify((await read("/ready")).body).includes("it was cut"));
  const refused = await order("after", headers);
  expect(await refused.json()).toMatchObject({
    type: expect.stringMatching(/log-contradicted$/),
    detail: expect.stringMatching(/it was cut; nothing is recorded or sold/),
  });
  expect((await fetch(echo())).status).toBe(503);
  const presented = await present(echo(), paid);
  expect(presented.status).toBe(503);
  expect(await presented.text()).toContain("log-contradicted");
  const { rows } = await pool.query(
    "select count(*)::int as n from eventstore.events where type = 'PaymentClaimed'",
  );
  expect(rows[0].n).toBe(0);

  expect(await read("/ready")).toMatchObject({
    status: 503,
    body: { status: "not ready", log: { contradiction: expect.stringContaining("it was cut") } },
  });
  expect((await read("/v1/agent/health")).body).toMatchObject({
    data: { status: "contradicted", log: { contradiction: expect.stringContaining("it was cut") } },
  });
  expect((await read("/log/status")).body).toMatchObject({
    contradiction: expect.stringContaining("it was cut"),
  });
  expect((await fetch(echo(), { headers })).status).toBe(200);

  await asOwner("insert into eventstore.events select * from kept");
  await until(async () => (await order("after", headers)).status === 201);
});
