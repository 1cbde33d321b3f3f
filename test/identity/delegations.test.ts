/** Delegations: signed, limited in time, revocable, one step deep. */

import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as agents from "../../src/domain/identity/agent.ts";
import { replace } from "../support/replace.ts";
import { type Service, startService } from "../support/service.ts";
import { caller, ed25519Key, PROXIED } from "./agents.ts";

let service: Service;
let api: ReturnType<typeof caller>;
const key = ed25519Key();
const helper = ed25519Key();
beforeAll(async () => {
  service = await startService({ env: PROXIED });
  api = caller(service.url);
  for (const [agent_id, one] of [
    ["principal", key],
    ["helper", helper],
  ] as const)
    await api.post("/soul/register", { agent_id, ...(await api.proof(one, agent_id)) });
});
afterAll(() => service.stop());

const ask = { to: "helper", scopes: ["read", "order"], expires_in_s: 3_600 };

/** Made from the operation's description alone. */
const digestOf = ({ scopes, expires_in_s }: typeof ask, to: string, agent_id: string) =>
  createHash("sha256")
    .update(
      `{"agent_id":"${agent_id}","expires_in_s":${expires_in_s},"scopes":${JSON.stringify(scopes)},"to":"${to}"}`,
    )
    .digest("hex");

const sign = (by = key, of = ask, to = "SX#2", agent_id = "principal") =>
  api.proof(by, agent_id, "delegate", digestOf(of, to, agent_id));

const listed = async () =>
  (await api.get("/soul/passport/principal")).body.delegations as { delegation_id: string }[];

test("a delegation equals its signed text, is on the passport, and is revoked by either side", async () => {
  const made = await api.post("/soul/principal/delegations", { ...ask, ...(await sign()) });
  expect(made).toMatchObject({ status: 200, body: { from: "SX#1", to: "SX#2", scopes: ["read", "order"] } });
  const { delegation_id } = made.body as { delegation_id: string };
  expect(await listed()).toMatchObject([{ delegation_id, to: "SX#2", scopes: ["read", "order"] }]);
  const path = `/soul/principal/delegations/${delegation_id}`;
  expect(await api.call("DELETE", path)).toMatchObject({ status: 403 });
  const theirs = new URLSearchParams(await api.proof(helper, "principal", "revoke", delegation_id));
  expect(await api.call("DELETE", `${path}?${theirs}`)).toMatchObject({ status: 403 });
  const mine = new URLSearchParams(await api.proof(key, "principal", "revoke", delegation_id));
  expect(await api.call("DELETE", `${path}?${mine}`)).toMatchObject({ status: 200, body: { live: false } });
  expect(await listed()).toEqual([]);
  expect(await api.call("DELETE", path)).toMatchObject({ status: 200 });
});

test("a delegation beyond its signature is refused: more scopes, a longer time, another delegate, another signer", async () => {
  const proof = await sign();
  for (const changed of [{ scopes: ["read", "order", "node"] }, { expires_in_s: 7_200 }, { to: "principal" }])
    expect(await api.post("/soul/principal/delegations", { ...ask, ...changed, ...proof })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "challenge" }] },
    });
  // A delegate's delegate has no key of the principal.
  expect(await api.post("/soul/principal/delegations", { ...ask, ...(await sign(helper)) })).toMatchObject({
    status: 403,
  });
  const toItself = { ...ask, to: "principal" };
  expect(
    await api.post("/soul/principal/delegations", { ...toItself, ...(await sign(key, toItself, "SX#1")) }),
  ).toMatchObject({ status: 409 });
  expect(await api.post("/soul/principal/delegations", { ...ask, to: "nobody", ...proof })).toMatchObject({
    status: 404,
  });
  const made = await api.post("/soul/principal/delegations", { ...ask, ...proof });
  expect(made).toMatchObject({ status: 200 });
  // A repeat returns the same delegation.
  expect(await api.post("/soul/principal/delegations", { ...ask, ...proof })).toEqual(made);
  const more = { ...ask, scopes: ["order"], ...proof };
  expect(await api.post("/soul/principal/delegations", more)).toMatchObject({ status: 400 });
});

test("a delegation ends at its last second, and with the passport", async () => {
  const { clock } = service.app;
  const [{ delegation_id }] = (await listed()) as [{ delegation_id: string }];
  const { state } = { state: await service.app.load(agents, agents.targetOf("principal")) };
  const ends = Date.parse(state!.delegations.find((one) => one.delegation_id === delegation_id)!.expires_at);
  try {
    replace(service.app, { clock: { now: () => new Date(ends - 1) } });
    expect(await listed()).toHaveLength(1);
    replace(service.app, { clock: { now: () => new Date(ends) } });
    expect(await listed()).toHaveLength(0);
  } finally {
    replace(service.app, { clock });
  }
  await api.post("/soul/principal/revoke", {
    reason: "done",
    ...(await api.proof(key, "principal", "revoke", "passport")),
  });
  expect(await listed()).toEqual([]);
});
