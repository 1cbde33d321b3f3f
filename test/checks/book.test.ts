/** Writing, listing and cancelling checks over real HTTP. */

import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import { buy } from "../support/buyer.ts";
import { signShown } from "../support/checked.ts";
import { replace } from "../support/replace.ts";
import { until } from "../support/until.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { type Answered, type Ask, type Desk, openDesk } from "./check-setup.ts";

let desk: Desk;
let mine: Ask;
let other: Ask;
beforeAll(async () => {
  desk = await openDesk({ reactors: true });
  [mine, other] = [await desk.as("acme"), await desk.as("other")];
});
afterAll(() => desk?.service.stop());

const [issuer, payee] = [wallet(0), wallet(1)];
const draft = { from: issuer.address, to: payee.address, amount: 1 };
const write = async (more: object = {}) => (await mine("POST", "create", { ...draft, ...more })).body.data;
const cancel = (check_id: string, more: object = {}, ask = mine) =>
  ask("POST", "cancel", { check_id, issuer_address: issuer.address, ...more });
const shown = async (check_id: string) => (await mine("GET", `verify/${check_id}`)).body.data;
const refusalOf = ({ status, body }: Answered) => [status, body.type.split("#")[1], body.errors?.[0]?.path];
const url = (path: string) => `${desk.service.url}/v1/agent/checks/${path}`;
const posted = (body: object): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

describe("writing a check", () => {
  test.each([
    [0, "0.00"],
    ["0", "0.00"],
    [0.1, "0.10"],
    ["0.000001", "0.000001"],
    [1_000_000, "1000000.00"],
    ["12.345678", "12.345678"],
  ])("accepts %j as an amount", async (amount, written) => {
    const check = await write({ amount });
    expect([check.amount, Number(check.typed_data.message.value)]).toEqual([
      written,
      Math.round(Number(amount) * 1e6),
    ]);
  });

  const amounts = [
    -1,
    "-0",
    1_000_000.000001,
    "1000000.000001",
    0.0000001,
    "0.0000001",
    "1e3",
    "",
    " 1",
    "0x1",
    null,
    1e21,
  ];
  const drafts: [more: object, path: string][] = [
    ...amounts.map((amount): [object, string] => [{ amount }, "amount"]),
    [{ to: issuer.address }, "to"],
    [{ to: `0x${"0".repeat(40)}` }, "to"],
    [{ to: payee.address.replace("C", "c") }, "to"],
    [{ from: "vitalik.eth" }, "from"],
    [{ valid_days: 0 }, "valid_days"],
    [{ valid_days: 366 }, "valid_days"],
    [{ passphrase: "" }, "passphrase"],
    [{ mode: "push" }, "mode"],
  ];
  test.each(drafts)("refuses %j by its field", async (more, path) => {
    expect(refusalOf(await mine("POST", "create", { ...draft, ...more }))).toEqual([400, "invalid", path]);
  });

  test("answers typed data that ends with its days, a nonce of its own, and the warning", async () => {
    const { body } = await mine("POST", "create", { ...draft, valid_days: 365 });
    const { typed_data, nonce, valid_before, created_at, expires_at } = body.data;
    expect(typed_data).toMatchObject({
      domain: { name: "USD Coin", version: "2", chainId: 8453 },
      primaryType: "TransferWithAuthorization",
      message: { from: addressOf(issuer), to: addressOf(payee), value: "1000000", validAfter: "0", nonce },
    });
    expect(Math.floor(Date.parse(created_at) / 1_000) + 365 * 86_400).toBe(valid_before);
    expect(Date.parse(expires_at)).toBe(valid_before * 1_000);
    expect(body.meta.warning).toMatch(/valid on Base too/);
    expect((await write()).nonce).not.toBe(nonce);
  });

  test("under one key is one check, and the passphrase is part of the request", async () => {
    const key = { "Idempotency-Key": "once" };
    const body = { ...draft, passphrase: "a" };
    const [first, again] = await Promise.all([1, 2].map(() => mine("POST", "create", body, key)));
    expect(again!.body).toEqual(first!.body);
    expect((await mine("POST", "create", { ...draft, passphrase: "b" }, key)).status).toBe(422);
  });

  test("by payment gives an id that nobody can compute from the payment", async () => {
    const { payment, answer } = await buy(wallet(5), url("create"), posted(draft));
    const { data } = (await answer.json()) as { data: { check_id: string } };
    expect((await shown(data.check_id)).status).toBe("pending");
    const name = `/payment/eip155:8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913:${payment.authorization.from.toLowerCase()}:${payment.authorization.nonce}`;
    expect(data.check_id).not.toBe(createHash("sha256").update(name).digest("hex").slice(0, 32));
  });
});

test("where the money is real, a test key writes and draws no check, and no check has a warning", async () => {
  const testing = await desk.as("acme", "test");
  expect((await testing("POST", "create", draft)).status).toBe(200);
  const { check_id, typed_data } = await write();
  const drawing = { check_id, signature: await signShown(0, typed_data) };
  replace(desk.app, { embedded_chain: false });
  try {
    expect(refusalOf(await testing("POST", "create", draft))).toEqual([403, "forbidden", undefined]);
    expect(refusalOf(await testing("POST", "redeem", drawing))).toEqual([403, "forbidden", undefined]);
    expect(await desk.story(check_id)).toEqual(["CheckCreated"]);
    expect((await mine("POST", "create", draft)).body.meta.warning).toBeNull();
  } finally {
    replace(desk.app, { embedded_chain: true });
  }
});

test("an id that may not be listed yet is not a 404", async () => {
  const request = () => other("GET", `verify/${"e".repeat(32)}`);
  expect(refusalOf(await request())).toEqual([404, "not-found", undefined]);
  const { caughtUp } = desk.app;
  replace(desk.app, { caughtUp: async () => false });
  try {
    const early = await request();
    expect([...refusalOf(early), early.headers.get("retry-after")]).toEqual([
      503,
      "unavailable",
      undefined,
      "1",
    ]);
  } finally {
    replace(desk.app, { caughtUp });
  }
});

describe("cancelling", () => {
  test("by the creator, once or twice, ends redemption", async () => {
    const check = await write();
    const first = await cancel(check.check_id);
    expect(first.body.data).toMatchObject({
      message: "Check cancelled",
      status: "cancelled",
      revoked_onchain: false,
      cancel_typed_data: { primaryType: "CancelAuthorization", message: { nonce: check.nonce } },
      transaction: null,
    });
    expect((await cancel(check.check_id)).body.data).toEqual(first.body.data);
    const signature = await signShown(0, check.typed_data);
    const refused = await mine("POST", "redeem", { check_id: check.check_id, signature });
    expect(refusalOf(refused)).toEqual([409, "check-not-pending", undefined]);
  });

  test("by anybody else is refused: another key, or a wallet other than the issuer", async () => {
    const check = await write();
    expect(refusalOf(await cancel(check.check_id, {}, other))).toEqual([403, "forbidden", undefined]);
    expect(refusalOf(await cancel(check.check_id, { issuer_address: payee.address }))).toEqual([
      403,
      "forbidden",
      undefined,
    ]);
    const wanted = posted({ check_id: check.check_id, issuer_address: issuer.address });
    expect((await buy(wallet(1), url("cancel"), wanted)).answer.status).toBe(403);
    const signature = await signShown(1, check.typed_data);
    expect(refusalOf(await cancel(check.check_id, { signature }, other))).toEqual([
      400,
      "invalid",
      "signature",
    ]);
    // The check's own signature is not one of its cancelling.
    const drawing = await signShown(0, check.typed_data);
    expect(refusalOf(await cancel(check.check_id, { signature: drawing }, other))).toEqual([
      400,
      "invalid",
      "signature",
    ]);
    expect((await buy(issuer, url("cancel"), wanted)).answer.status).toBe(200);
    expect((await shown(check.check_id)).status).toBe("cancelled");
  });

  test("with the issuer's signature returns the transaction that voids it on the chain", async () => {
    const check = await write();
    const { cancel_typed_data } = await shown(check.check_id);
    const signature = await signShown(0, cancel_typed_data);
    const { data } = (await cancel(check.check_id, { signature }, other)).body;
    expect(await shown(check.check_id)).toMatchObject({ status: "cancelled", revoked_onchain: false });
    await desk.send(data.transaction, 9);
    await until(async () => (await shown(check.check_id)).revoked_onchain);
    expect(await shown(check.check_id)).toMatchObject({ status: "cancelled", cancel_typed_data: null });
  });

  test("a check that is being redeemed is refused here", async () => {
    const check = await write();
    const { check_id } = check;
    await mine("POST", "redeem", { check_id, signature: await signShown(0, check.typed_data) });
    expect(refusalOf(await cancel(check_id))).toEqual([409, "check-redeeming", undefined]);
  });

  test("and redeeming at the same time: one of the two wins", async () => {
    for (let round = 0; round < 5; round++) {
      const { check_id, typed_data } = await write();
      const signature: Hex = await signShown(0, typed_data);
      const answers = await Promise.all([
        mine("POST", "redeem", { check_id, signature }),
        cancel(check_id),
        other("POST", "redeem", { check_id, signature }),
      ]);
      const [redeemed, cancelled, again] = answers.map(({ status }) => status);
      expect([
        [200, 409, 200],
        [409, 200, 409],
      ]).toContainEqual([redeemed, cancelled, again]);
      const story = await desk.story(check_id);
      expect(story).toEqual(["CheckCreated", cancelled === 200 ? "CheckCancelled" : "CheckRedemptionAsked"]);
    }
  });
});

describe("the list", () => {
  const [from, to] = [wallet(6), wallet(7)];
  test("shows a key its own checks, filtered and page by page, the newest first", async () => {
    const own = await desk.as("lister");
    for (let n = 0; n < 5; n++)
      await own("POST", "create", { from: from.address, to: to.address, amount: n });
    type Listed = { amount: string; check_id: string; status: string }[];
    const listed = async (query: string, ask = own) => {
      const { body } = await ask("GET", `list?${query}`);
      return { rows: body.data as unknown as Listed, meta: body.meta };
    };
    const all = await listed("");
    expect(all.rows.map(({ amount }) => amount)).toEqual(["4.00", "3.00", "2.00", "1.00", "0.00"]);
    const page = await listed("limit=2&offset=3");
    expect(page.rows).toEqual(all.rows.slice(3));
    expect(page.meta).toMatchObject({ tenant: "lister", count: 2, total: 5 });
    await own("POST", "cancel", { check_id: all.rows[0]!.check_id, issuer_address: from.address });
    expect((await listed("status=cancelled")).rows.map(({ amount }) => amount)).toEqual(["4.00"]);
    expect((await listed(`recipient=${to.address}&status=pending`)).meta.total).toBe(4);
    expect((await listed(`issuer=${to.address}`)).meta.total).toBe(0);
    // Naming a wallet does not prove it.
    expect((await listed(`issuer=${from.address}`, other)).meta.total).toBe(0);
  });

  test("shows a paying wallet the checks from it and to it", async () => {
    for (const [payer, total] of [
      [from, 5],
      [to, 5],
      [wallet(8), 0],
    ] as const) {
      const { answer } = await buy(payer, url("list?limit=1"));
      expect(((await answer.json()) as Answered["body"]).meta.total).toBe(total);
    }
  });

  test("shows a key the checks of a wallet whose signature it sends, until that expires", async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const text = (wallet: string, end = until) =>
      `Show my checks\nwallet: ${wallet.toLowerCase()}\nservice: ${desk.service.url}\nuntil: ${end}`;
    const listed = (wallet: string, wallet_signature: string, end = until) =>
      other("GET", `list?${new URLSearchParams({ wallet, until: end, wallet_signature })}`);
    const message = text(from.address);
    const own = await listed(from.address, await from.signMessage({ message }));
    expect(own.body.meta.total).toBe(5);
    const stolen = await listed(from.address, await to.signMessage({ message }));
    expect(refusalOf(stolen)).toEqual([400, "invalid", "wallet_signature"]);
    const moved = await listed(to.address, await from.signMessage({ message }));
    expect(refusalOf(moved)).toEqual([400, "invalid", "wallet_signature"]);
    for (const end of [new Date(0).toISOString(), new Date(Date.now() + 2 * 86_400_000).toISOString()]) {
      const signature = await from.signMessage({ message: text(from.address, end) });
      expect(refusalOf(await listed(from.address, signature, end))).toEqual([400, "invalid", "until"]);
    }
    const basic = until.replaceAll(/[-:]|\.\d+/g, "").replace("Z", "+0000");
    const inBasic = await from.signMessage({ message: text(from.address, basic) });
    expect((await listed(from.address, inBasic, basic)).body.meta.total).toBe(5);
    expect(refusalOf(await other("GET", `list?wallet=${from.address}`))).toEqual([400, "invalid", "until"]);
  });
});
