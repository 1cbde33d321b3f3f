/** Each check of admission is disabled in turn: the call that it alone refuses must then pass. */
import { describe, expect, test } from "vitest";
import { key, keyChecks } from "../../src/api/declare/access/key.ts";
import { pay } from "../../src/api/declare/access/pay.ts";
import type { AccessParts } from "../../src/api/declare/access/way.ts";
import { createGate, type Verdict } from "../../src/api/serve/admission.ts";
import type { Quotas } from "../../src/core/model/ports/quotas.ts";
import { digestOf, makeSecret } from "../../src/domain/access/secret.ts";
import type { KeyWithDigest } from "../../src/projections/access/keys.ts";
import { bareCall, bareParts } from "../support/access.ts";
import { countCalls } from "../support/notes.ts";

const live = makeSecret("live", new Uint8Array(32).fill(1));
const test_ = makeSecret("test", new Uint8Array(32).fill(1));
const unlimited: Quotas = { take: async () => ({ granted: true, usage: { day_used: 1, month_used: 1 } }) };

const keyOf = (secret: string, facts: Partial<KeyWithDigest> = {}): KeyWithDigest => ({
  key_id: "k_1",
  tenant: "acme",
  space: "live",
  label: null,
  scopes: ["read"],
  daily: null,
  monthly: null,
  issued_at: "2026-01-01T00:00:00.000Z",
  revoked_at: null,
  secret_sha256: digestOf(secret),
  ...facts,
});

const parts = (found: KeyWithDigest | undefined): AccessParts => ({
  ...bareParts,
  findKey: async () => found,
  quotas: unlimited,
});

/** For each check, a key that only this check refuses. */
const attacks: Record<string, { secret: string; found: KeyWithDigest; code: string }> = {
  form: {
    secret: "sk_live_short",
    found: keyOf("sk_live_short", { space: undefined as never }),
    code: "unauthorized",
  },
  known: { secret: live, found: keyOf("another secret"), code: "unauthorized" },
  space: { secret: test_, found: keyOf(test_, { space: "live" }), code: "unauthorized" },
  revoked: {
    secret: live,
    found: keyOf(live, { revoked_at: "2026-11-01T00:00:00.000Z" }),
    code: "unauthorized",
  },
  scope: { secret: live, found: keyOf(live, { scopes: ["quote"] }), code: "forbidden" },
};

const presented = (secret: string) => ({ ...bareCall, secret });

describe("every check of a key", () => {
  test("has an attack", () => {
    expect(Object.keys(attacks).sort()).toEqual(keyChecks.map(({ name }) => name).sort());
  });

  test.each(keyChecks.map(({ name }) => name))(
    "%s refuses its attack, and nothing else does",
    async (name) => {
      const { secret, found, code } = attacks[name]!;
      const gate = createGate(parts(found));
      await expect(gate.admit(countCalls, presented(secret))).rejects.toMatchObject({ code });
      const without = createGate(
        parts(found),
        keyChecks.filter((check) => check.name !== name),
      );
      expect(await without.admit(countCalls, presented(secret))).toMatchObject({ caller: { kind: "key" } });
    },
  );
});

test("a sound key is admitted", async () => {
  const verdict: Verdict = await createGate(parts(keyOf(live))).admit(countCalls, presented(live));
  expect(verdict).toMatchObject({
    caller: { kind: "key", tenant: "acme", key_id: "k_1", scopes: ["read"], space: "live" },
    pays: false,
    headers: {},
  });
});

test("a bad key is 401 even where a payment, or no credential, would be enough", async () => {
  const gate = createGate(parts(undefined));
  await expect(gate.admit(countCalls, presented(live))).rejects.toMatchObject({ code: "unauthorized" });
});

test("a payment is charged: the key with it names the tenant, whatever its quota, and grants its scopes", async () => {
  const paying = { ...bareCall, payment: "e30=" };
  const alone = await createGate(parts(undefined)).admit(countCalls, { ...paying, secret: undefined });
  expect(alone).toMatchObject({ pays: true, caller: { kind: "anonymous" } });
  const key = keyOf(live, { scopes: ["read"], daily: 1 });
  const spent: Quotas = { take: async () => ({ granted: false, usage: { day_used: 1, month_used: 1 } }) };
  const gate = createGate({ ...parts(key), quotas: spent });
  const verdict = await gate.admit(countCalls, { ...paying, secret: live });
  expect(verdict).toMatchObject({ pays: true, caller: { tenant: "acme" }, headers: {} });
  const lesser = createGate(parts(keyOf(live, { scopes: ["quote"] })));
  await expect(lesser.admit(countCalls, { ...paying, secret: live })).rejects.toMatchObject({
    code: "forbidden",
  });
  await expect(
    createGate(parts(undefined)).admit(countCalls, { ...paying, secret: live }),
  ).rejects.toMatchObject({ code: "unauthorized" });
});

test("a payment grants no scope beyond ordinary use", async () => {
  const airdrop = {
    ...countCalls,
    access: [key("admin"), pay("0.05")],
  };
  const paying = { ...bareCall, payment: "e30=" };
  const admit = (scopes: KeyWithDigest["scopes"], secret?: string) =>
    createGate(parts(keyOf(live, { scopes }))).admit(airdrop, { ...paying, secret });
  await expect(admit([])).rejects.toMatchObject({ code: "unauthorized" });
  await expect(admit(["read", "order"], live)).rejects.toMatchObject({ code: "forbidden" });
  expect(await admit(["admin"], live)).toMatchObject({ pays: true, caller: { tenant: "acme" } });
});
