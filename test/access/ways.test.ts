/** Every way of access by itself: who is admitted, passed on, or refused. */
import { createHash } from "node:crypto";
import { type HDAccount, mnemonicToAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";
import { describe, expect, test } from "vitest";
import { canonicalText } from "../../eventstore/canonical.ts";
import { free } from "../../src/api/declare/access/free.ts";
import { internal } from "../../src/api/declare/access/internal.ts";
import { key } from "../../src/api/declare/access/key.ts";
import { open } from "../../src/api/declare/access/open.ts";
import { owner } from "../../src/api/declare/access/owner.ts";
import { pay } from "../../src/api/declare/access/pay.ts";
import { subject } from "../../src/api/declare/access/subject.ts";
import type { Admission, SubjectKey } from "../../src/api/declare/access/way.ts";
import { type AccessParts, type Credentials, priceText, type Way } from "../../src/api/declare/access/way.ts";
import { createGate } from "../../src/api/serve/admission.ts";
import type { AddressLimits } from "../../src/core/model/ports/address-limits.ts";
import { digestOf } from "../../src/domain/access/secret.ts";
import { statementOf } from "../../src/domain/access/wallet-proof.ts";
import { recoverKey } from "../../src/runtime/assemble-audit.ts";
import { bareCall, bareParts } from "../support/access.ts";

const mnemonic = "test test test test test test test test test test test junk";
const wallet = mnemonicToAccount(mnemonic);
const stranger = mnemonicToAccount(mnemonic, { addressIndex: 1 });
const NOW = new Date("2026-11-21T12:00:00Z");

/** Counts in memory. */
function countedCalls(): AddressLimits {
  const counts = new Map<string, number>();
  return {
    async take({ name, calls }, address) {
      const used = counts.get(`${name} ${address}`) ?? 0;
      counts.set(`${name} ${address}`, used + 1);
      return { granted: used < calls, remaining: Math.max(0, calls - used - 1), reset_s: 30 };
    },
    giveBack({ name }, address) {
      counts.set(`${name} ${address}`, counts.get(`${name} ${address}`)! - 1);
    },
    add({ name }, address, points = 1) {
      counts.set(`${name} ${address}`, (counts.get(`${name} ${address}`) ?? 0) + points);
    },
    isSpent: ({ name, calls }, address) => (counts.get(`${name} ${address}`) ?? 0) >= calls,
  };
}

const admit = (access: Way[], shown: Partial<Credentials>, parts: Partial<AccessParts> = {}) =>
  createGate({ ...bareParts, clock: { now: () => NOW }, ...parts }).admit(
    { name: "asked", access },
    { ...bareCall, ...shown },
  );

describe("open and free", () => {
  test.each([
    ["open", [open({ calls: 2, per: "hour" })]],
    ["free", [free(2, "day")]],
  ])(
    "a failed call takes none of the limit of %s, and a hundred failures an hour end it",
    async (_, access) => {
      const limits = countedCalls();
      const call = async (ip: string) => (await admit(access as Way[], { ip }, { limits })) as Admission;
      for (let n = 0; n < 99; n++) (await call("192.0.2.1")).failed?.();
      await call("192.0.2.1");
      (await call("192.0.2.1")).failed?.();
      await expect(call("192.0.2.1")).rejects.toThrow("failed calls are limited to 100 an hour");
      await call("192.0.2.2");
      await call("192.0.2.2");
      await expect(call("192.0.2.2")).rejects.toMatchObject({ code: "quota_exceeded" });
    },
  );

  test("its limit is counted by address, with a /64 of IPv6 as one", async () => {
    const limits = countedCalls();
    const registered = (ip: string) => admit([open({ calls: 2, per: "hour" })], { ip }, { limits });
    await registered("2001:db8::1");
    await registered("2001:db8::2");
    await expect(registered("2001:db8::3")).rejects.toMatchObject({
      code: "quota_exceeded",
      retry_after_s: 30,
    });
    expect(await registered("2001:db8:0:1::1")).toMatchObject({ pays: false });
  });

  test("free calls come first, then the next way in: a payment", async () => {
    const limits = countedCalls();
    const access = [free(2, "day"), pay("0.01")];
    const request = (shown: Partial<Credentials> = {}) => admit(access, shown, { limits });
    expect(await request()).toMatchObject({ pays: false, headers: { RateLimit: '"free";r=1;t=30' } });
    expect(await request()).toMatchObject({ headers: { RateLimit: '"free";r=0;t=30' } });
    expect(await request()).toBe("pay");
    expect(await request({ payment: "e30=" })).toMatchObject({ pays: true });
    expect(priceText({ access })).toBe("2 a day free, else 0.01 USDC");
  });

  test("a call with a payment is charged, and uses no free call", async () => {
    const limits = countedCalls();
    const access = [free(1, "day"), pay("0.01")];
    expect(await admit(access, { payment: "e30=" }, { limits })).toMatchObject({ pays: true });
    expect(await admit(access, {}, { limits })).toMatchObject({ pays: false });
  });

  test("free without another way in is a 429", async () => {
    const limits = countedCalls();
    await admit([free(1, "day")], {}, { limits });
    await expect(admit([free(1, "day")], {}, { limits })).rejects.toMatchObject({ code: "quota_exceeded" });
  });
});

describe("a subject's key", () => {
  const secret = `sk_soul_${"s".repeat(43)}`;
  const held: SubjectKey = {
    key_id: "k_soul",
    subject: "SX#42",
    tenant: "soul:42",
    scopes: ["node"],
    secret_sha256: digestOf(secret),
    revoked_at: null,
  };
  const knows = (found: SubjectKey | undefined) => ({ findSubjectKey: async () => found });
  const caller = { kind: "subject", subject: "SX#42", tenant: "soul:42", key_id: "k_soul", scopes: ["node"] };

  test("opens its scope, and names its subject", async () => {
    expect(await admit([subject("node")], { secret }, knows(held))).toMatchObject({
      caller,
      pays: false,
      headers: {},
    });
    await expect(admit([subject("skill")], { secret }, knows(held))).rejects.toMatchObject({
      code: "forbidden",
    });
  });

  test("never replaces a payment: a priced call gets its 402, and a paid one is of the subject's tenant", async () => {
    const access = [key("read"), pay("0.05")];
    expect(await admit(access, { secret }, knows(held))).toBe("pay");
    expect(await admit(access, { secret, payment: "e30=" }, knows(held))).toMatchObject({
      caller,
      pays: true,
    });
  });

  test("does not open operations that need an operator's key", async () => {
    await expect(admit([key("read")], { secret }, knows(held))).rejects.toMatchObject({ code: "forbidden" });
  });

  test("is refused with 401 if it is unknown, revoked, stored with another digest, or has no issuer", async () => {
    const bad: Partial<AccessParts>[] = [
      knows(undefined),
      knows({ ...held, revoked_at: "2026-01-01T00:00:00Z" }),
      knows({ ...held, secret_sha256: digestOf("other") }),
      {},
    ];
    for (const parts of bad)
      await expect(admit([subject("node")], { secret }, parts)).rejects.toMatchObject({
        code: "unauthorized",
      });
  });

  test("on open operations is counted alone, from any address", async () => {
    const parts = { ...knows(held), limits: countedCalls(), open_per_minute: 1 };
    await admit([open()], { secret, ip: "192.0.2.1" }, parts);
    await expect(admit([open()], { secret, ip: "192.0.2.2" }, parts)).rejects.toMatchObject({
      code: "quota_exceeded",
    });
  });
});

describe("an internal token", () => {
  const token = "t".repeat(32);
  const parts = { internal: { token, is_remote_allowed: false } };
  const shown = { internal_token: token, is_local: true };

  test("admits this machine, and others if the operator allows them", async () => {
    expect(await admit([internal()], shown, parts)).toMatchObject({ caller: { kind: "internal" } });
    await expect(admit([internal()], { ...shown, is_local: false }, parts)).rejects.toMatchObject({
      code: "forbidden",
    });
    const remote = { internal: { token, is_remote_allowed: true } };
    expect(await admit([internal()], { ...shown, is_local: false }, remote)).toMatchObject({ pays: false });
  });

  test("is refused with 401 if it is wrong, missing, or not set", async () => {
    await expect(admit([internal()], { ...shown, internal_token: "x" }, parts)).rejects.toMatchObject({
      code: "unauthorized",
    });
    await expect(admit([internal()], {}, parts)).rejects.toMatchObject({ code: "unauthorized" });
    await expect(admit([internal()], shown)).rejects.toMatchObject({ code: "unauthorized" });
  });
});

describe("the owner's wallet", () => {
  /** No wallet here has code that accepts signatures. */
  const closed = { open: false, account_micro: 0, total_micro: 0 };
  const heads = async () => ({ latest: 7, finalized: 5 });
  const refusing = { heads, read: async () => [{ success: false, data: "0x" }] };
  const parts = {
    app: {
      chain: refusing,
      recover: recoverKey,
      settings: { public_url: "https://api.example.org", custody: closed },
    },
  } as unknown as Partial<AccessParts>;
  const body = { b: "2", a: 1 };
  const uri = `ni:///sha-256;${createHash("sha256").update(canonicalText(body, "body")).digest("base64url")}`;
  type ProofChange = {
    path?: string;
    method?: string;
    minutes?: number;
    resources?: string[];
    account?: HDAccount;
  };

  /** The header as a client makes it: the text is written by viem. */
  const proofOf = async (bent: ProofChange = {}, more: object = {}) => {
    const { path = "/v1/agent/mine", method = "GET", minutes = 0, resources, account = wallet } = bent;
    const issuedAt = new Date(NOW.getTime() - minutes * 60_000);
    const fields = {
      domain: "api.example.org",
      address: wallet.address,
      statement: statementOf({ method, path }),
      uri: `https://api.example.org${path}`,
      version: "1" as const,
      nonce: "abcdefgh12345678",
    };
    const message = createSiweMessage({
      ...fields,
      chainId: 8453,
      issuedAt,
      ...(resources && { resources }),
    });
    const signature = await account.signMessage({ message });
    const answer = {
      ...fields,
      chainId: "eip155:8453",
      issuedAt: issuedAt.toISOString(),
      ...(resources && { resources }),
    };
    return Buffer.from(JSON.stringify({ ...answer, signature, ...more })).toString("base64");
  };
  const request = (wallet_proof: string, shown: Partial<Credentials> = {}) =>
    admit([owner("read"), pay("0.001")], { path: "/v1/agent/mine", wallet_proof, ...shown }, parts);

  test("reads by a text of CAIP-122 for this call, without paying", async () => {
    expect(await request(await proofOf())).toMatchObject({
      caller: {
        kind: "payer",
        wallet: wallet.address.toLowerCase(),
        tenant: `wallet:${wallet.address.toLowerCase()}`,
      },
      pays: false,
      headers: {},
    });
  });

  test("writes only the body that it signed, with the nonce as its Idempotency-Key", async () => {
    const path = "/v1/agent/mine";
    const wallet_proof = await proofOf({ method: "POST", resources: [uri] });
    const verdict = await request(wallet_proof, { method: "POST", path });
    if (typeof verdict === "string") throw new Error("a proof was shown");
    expect(verdict.idempotency_key).toBe("abcdefgh12345678");
    expect(() => verdict.covers!(body)).not.toThrow();
    expect(() => verdict.covers!({ ...body, a: 2 })).toThrow(/resources/);
  });

  const forged: [string, () => Promise<string>, RegExp][] = [
    ["of another path", () => proofOf({ path: "/v1/agent/other" }), /uri/],
    ["of another method", () => proofOf({ method: "POST" }), /statement/],
    ["too old", () => proofOf({ minutes: 6 }), /issuedAt/],
    ["of the future", () => proofOf({ minutes: -2 }), /issuedAt/],
    ["that is over", () => proofOf({}, { expirationTime: "2026-11-21T11:59:59Z" }), /expirationTime/],
    ["of another service", () => proofOf({}, { domain: "evil.example" }), /domain/],
    ["with a nonce that was not signed", () => proofOf({}, { nonce: "bbbbbbbbbbbbbbbb" }), /signature/],
    ["for another chain", () => proofOf({}, { chainId: "eip155:1" }), /chainId/],
    ["with members unknown", () => proofOf({}, { requestId: "1" }), /requestId|SIGN-IN-WITH-X/],
    ["that is not JSON", async () => "%%%", /SIGN-IN-WITH-X/],
    ["with a body where there is none", () => proofOf({ resources: [uri] }), /resources/],
  ];
  test.each(forged)("refuses a text %s", async (_, make, answer) => {
    const refused = request(await make()).catch((error) => error);
    expect(await refused).toMatchObject({ code: "unauthorized", message: expect.stringMatching(answer) });
  });

  test("a signature without a key is checked by the wallet's code, a limited number of times a minute and address", async () => {
    let asking = 0;
    const good = `0x1626ba7e${"0".repeat(56)}` as const;
    const chain = {
      heads,
      read: async () => {
        asking++;
        return [{ success: true, data: good }];
      },
    };
    const contract = {
      ...parts,
      limits: countedCalls(),
      app: { ...parts.app, chain } as unknown as AccessParts["app"],
    };
    const wallet_proof = await proofOf({ account: stranger });
    const shown = { path: "/v1/agent/mine", wallet_proof };
    const ask = () => admit([owner("read")], shown, contract);
    for (let n = 0; n < 20; n++) expect(await ask()).toMatchObject({ caller: { kind: "payer" } });
    await expect(ask()).rejects.toMatchObject({ code: "quota_exceeded" });
    expect(asking).toBe(20);
  });

  test("excludes an API key in the same call", async () => {
    const secret = `sk_soul_${"s".repeat(43)}`;
    const found = {
      key_id: "k",
      subject: "s",
      tenant: "t",
      scopes: [],
      secret_sha256: digestOf(secret),
      revoked_at: null,
    };
    const both = admit(
      [owner("read")],
      { secret, wallet_proof: await proofOf() },
      { ...parts, findSubjectKey: async () => found },
    );
    await expect(both).rejects.toMatchObject({ code: "invalid" });
  });
});
