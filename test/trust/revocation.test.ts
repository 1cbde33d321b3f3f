/** Only the attestor revokes its attestation, and only once. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { caller, PROXIED, type TestKey } from "../identity/agents.ts";
import { type Service, startService } from "../support/service.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { type Agency, agencyOf } from "./agency.ts";

let service: Service;
let other: Service;
let agency: Agency;
let api: ReturnType<typeof caller>;
beforeAll(async () => {
  const first = await startService({ env: PROXIED });
  service = first;
  other = await startService({ env: PROXIED, beside: first });
  agency = agencyOf(service.app);
  api = caller(service.url);
  for (let n = 1; n <= 4; n++) await agency.register(n);
  for (const n of [1, 2]) await agency.prove(n, addressOf(wallet(n)));
});
afterAll(async () => {
  await other.stop();
  await service.stop();
});

const keyOf = (n: number): TestKey => ({
  kind: "evm",
  name: wallet(n).address,
  sign: (message) => wallet(n).signMessage({ message }),
});
const proof = (n: number, about: string, { as = n, of = api } = {}) =>
  of.proof(keyOf(n), `agent.no-${as}`, "revoke", about);
const path = (id: string) => `/v1/agent/soul/attestations/${id}`;
const take = (id: string, given?: { challenge: string; signature: string }, of = api) =>
  of.call("DELETE", given ? `${path(id)}?${new URLSearchParams(given)}` : path(id));
const story = async (id: string) => {
  const stream = { tenant: "operator", stream_id: `attestation-${id}` };
  return (await service.app.store.readStream(stream)).map(({ type }) => type);
};

describe("an attestation is revoked", () => {
  test("by its attestor's key, and shows that to everybody", async () => {
    const id = await agency.attest(1, 3);
    const { status, body } = await take(id, await proof(1, id));
    expect([status, body]).toMatchObject([200, { attestation_id: id, from: "SX#1", live: false }]);
    expect(await take(id)).toEqual({ status, body });
    expect(await story(id)).toEqual(["AttestationMade", "AttestationRevoked"]);
  });

  test("once, by two concurrent processes", async () => {
    const id = await agency.attest(1, 3);
    const both = [api, caller(other.url)];
    const proofs = await Promise.all(both.map((of) => proof(1, id, { of })));
    const requests = both.map((of, at) => take(id, proofs[at], of));
    const answers = await Promise.all(requests);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]!.body.revoked_at).toBe(answers[1]!.body.revoked_at);
    expect(await story(id)).toEqual(["AttestationMade", "AttestationRevoked"]);
  });

  test("by nobody else: not in another's name, by a proof about another one, in its attestor's name, nor without a proof", async () => {
    const id = await agency.attest(1, 2);
    const refused = [
      await take(id, await proof(2, id)),
      await take(id, await proof(1, "0".repeat(32))),
      await take(id, await proof(2, id, { as: 1 })),
      await take(id),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 403, 403]);
    expect(await story(id)).toEqual(["AttestationMade"]);
    const unknown = await take("f".repeat(32), await proof(1, "f".repeat(32)));
    expect(unknown.status).toBe(404);
  });

  test("by no suspended agent, whose attestations do not count anyway", async () => {
    const id = await agency.attest(1, 4);
    await agency.suspend(1);
    const { status, body } = await take(id, await proof(1, id));
    expect([status, body.type]).toEqual([409, expect.stringMatching(/#agent-suspended$/)]);
    await agency.reinstate(1);
    expect(await story(id)).toEqual(["AttestationMade"]);
  });
});
