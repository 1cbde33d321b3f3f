/** Drawing checks over real HTTP: signatures of keys and contracts, passphrases, and what the chain would refuse. */

import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import * as checks from "../../src/domain/checks/check.ts";
import { redemptionCall } from "../../src/domain/checks/typed-data.ts";
import { balanceOf } from "../chain/fixture.ts";
import { signShown } from "../support/checked.ts";
import { replace } from "../support/replace.ts";
import { until } from "../support/until.ts";
import { addressOf, SAYS_NO, SAYS_YES, wallet } from "../support/wallets.ts";
import { type Answered, type Ask, type Desk, openDesk } from "./check-setup.ts";

let desk: Desk;
let mine: Ask;
beforeAll(async () => {
  desk = await openDesk({ reactors: true });
  mine = await desk.as("acme");
});
afterAll(() => desk?.service.stop());

const [issuer, payee] = [wallet(0), wallet(1)];
const draft = { from: issuer.address, to: payee.address, amount: 1 };
const write = async (more: object = {}) => (await mine("POST", "create", { ...draft, ...more })).body.data;
const redeem = (check_id: string, signature: Hex, more: object = {}, ask = mine) =>
  ask("POST", "redeem", { check_id, signature, ...more });
const signed = async (more: object = {}, payer = 0) => {
  const check = await write(more);
  return { check, signature: await signShown(payer, check.typed_data) };
};
const shown = async (check_id: string) => (await mine("GET", `verify/${check_id}`)).body.data;
const has = (account: string) => balanceOf(desk.app.chain, account.toLowerCase() as Hex);
const refusalOf = ({ status, body }: Answered) => [status, body.type.split("#")[1], body.errors?.[0]?.path];

describe("a check that its issuer signed", () => {
  test("is written, drawn by anybody's transaction, and found redeemed", async () => {
    const { check, signature } = await signed({ amount: "12.5" });
    expect(check).toMatchObject({ status: "pending", amount: "12.50", redeeming: false, final: false });
    const drawn = await redeem(check.check_id, signature, {}, await desk.as("somebody else"));
    const { transaction, ...after } = drawn.body.data;
    expect(after).toMatchObject({ status: "pending", redeeming: true });
    expect(transaction).toMatchObject({ chain_id: 8453, value: "0", from: null });
    const before = await has(payee.address);
    const hash = await desk.send(transaction, 9);
    expect((await has(payee.address)) - before).toBe(12_500_000n);
    await until(async () => (await shown(check.check_id)).status === "redeemed");
    expect((await shown(check.check_id)).onchain).toMatchObject({ transaction: hash, kind: "redeemed" });
    await until(async () => (await shown(check.check_id)).final);
    expect(refusalOf(await redeem(check.check_id, signature))).toEqual([409, "check-not-pending", undefined]);
    expect(await desk.story(check.check_id)).toEqual([
      "CheckCreated",
      "CheckRedemptionAsked",
      "CheckRedeemed",
    ]);
  });

  test("for 0 USDC moves nothing and is redeemed", async () => {
    const { check, signature } = await signed({ amount: 0 });
    await desk.send((await redeem(check.check_id, signature)).body.data.transaction, 9);
    await until(async () => (await shown(check.check_id)).status === "redeemed");
  });

  test("to be received is sent by its payee alone", async () => {
    const { check, signature } = await signed({ mode: "receive", amount: "3" });
    const { transaction } = (await redeem(check.check_id, signature)).body.data;
    expect(transaction.from).toBe(addressOf(payee));
    const before = await has(payee.address);
    await desk.send(transaction, 9);
    expect(await has(payee.address)).toBe(before);
    await desk.send(transaction, 1);
    expect((await has(payee.address)) - before).toBe(3_000_000n);
    await until(async () => (await shown(check.check_id)).status === "redeemed");
  });

  test("is redeemed without the service, where its payee uses the chain", async () => {
    const { check, signature } = await signed();
    const other = await signed();
    const state = await desk.app.load(checks, { tenant: "acme", id: check.check_id });
    const { to, data } = redemptionCall(checks.existingCheck(state).facts, signature);
    await desk.send({ to, data }, 9);
    await until(async () => (await shown(check.check_id)).status === "redeemed");
    expect((await shown(other.check.check_id)).status).toBe("pending");
  });
});

describe("a signature that is refused", () => {
  test("is another wallet's, another check's, of another kind, or missing", async () => {
    const { check } = await signed();
    const bad = [
      await signShown(2, check.typed_data),
      (await signed()).signature,
      (await signed({ mode: "receive" })).signature,
      "0x1234" as Hex,
      `0x${"00".repeat(65)}` as Hex,
    ];
    for (const signature of bad)
      expect(refusalOf(await redeem(check.check_id, signature))).toEqual([400, "invalid", "signature"]);
    expect(await desk.story(check.check_id)).toEqual(["CheckCreated"]);
  });

  test("is one already used on the chain, or whose issuer has too little", async () => {
    const { check, signature } = await signed({ amount: 900_000 });
    expect(refusalOf(await redeem(check.check_id, signature))).toEqual([409, "check-uncovered", undefined]);
    expect(refusalOf(await redeem("f".repeat(32), signature))).toEqual([404, "not-found", undefined]);
  });
});

describe("an issuer that is a contract (ERC-1271)", () => {
  const placed = async (code: Hex, account = addressOf(privateKeyToAccount(generatePrivateKey()))) => {
    const paid = await signed({ to: account, amount: 5 }, 0);
    await desk.send((await redeem(paid.check.check_id, paid.signature)).body.data.transaction, 9);
    await desk.rpc("anvil_setCode", account, code);
    return account;
  };

  test.each(["transfer", "receive"])("that accepts a signature pays: %s", async (mode) => {
    const check = await write({ from: await placed(SAYS_YES), amount: 5, mode });
    const { status, body } = await redeem(check.check_id, "0xc0ffee");
    expect(status).toBe(200);
    const before = await has(payee.address);
    await desk.send(body.data.transaction, 1);
    expect((await has(payee.address)) - before).toBe(5_000_000n);
  });

  test.each(["transfer", "receive"])("that does not accept it pays nothing: %s", async (mode) => {
    const check = await write({ from: await placed(SAYS_NO), amount: 5, mode });
    expect(refusalOf(await redeem(check.check_id, "0xc0ffee"))).toEqual([400, "invalid", "signature"]);
  });

  // JUMPDEST, jump back; return a megabyte; stop.
  test.each<[string, Hex]>([
    ["burns what gas it is given", "0x5b600056"],
    ["answers more than can be carried", "0x620fffff6000f3"],
    ["answers nothing", "0x00"],
  ])("that %s is refused like one that rejects the signature, whatever its key signed", async (_, code) => {
    const key = privateKeyToAccount(generatePrivateKey());
    const from = await placed(code, addressOf(key));
    for (const mode of ["transfer", "receive"]) {
      const check = await write({ from, amount: 5, mode });
      for (const signature of ["0xc0ffee", await key.signTypedData(check.typed_data)] as const)
        expect(refusalOf(await redeem(check.check_id, signature))).toEqual([400, "invalid", "signature"]);
      const wanted = { check_id: check.check_id, issuer_address: from, signature: "0xc0ffee" };
      expect(refusalOf(await mine("POST", "cancel", wanted))).toEqual([400, "invalid", "signature"]);
    }
  });
});

describe("a passphrase", () => {
  test("is required, after the signature was found valid, and counted when it is wrong", async () => {
    const { check, signature } = await signed({ passphrase: "open sesame" });
    const { check_id } = check;
    expect(check.passphrase_required).toBe(true);
    expect(refusalOf(await redeem(check_id, signature))).toEqual([400, "invalid", "passphrase"]);
    const foreign = await signShown(2, check.typed_data);
    expect(refusalOf(await redeem(check_id, foreign, { passphrase: "x" }))).toEqual([
      400,
      "invalid",
      "signature",
    ]);
    expect(await desk.story(check_id)).toEqual(["CheckCreated"]);
    const wrong = await redeem(check_id, signature, { passphrase: "open barley" });
    expect(refusalOf(wrong)).toEqual([403, "passphrase-wrong", undefined]);
    expect(wrong.headers.get("event-id")).toBeTruthy();
    expect((await redeem(check_id, signature, { passphrase: "open sesame" })).status).toBe(200);
    expect(await desk.story(check_id)).toEqual([
      ...["CheckCreated", "CheckPassphraseRefused", "CheckRedemptionAsked"],
    ]);
    const [written] = await desk.app.store.readStream({
      tenant: "acme",
      stream_id: checks.streamOf(check_id),
    });
    expect(JSON.stringify(written!.payload)).not.toContain("sesame");
  });

  test("cannot be guessed: of twelve concurrent tries five count, and then even the right one fails", async () => {
    const { check, signature } = await signed({ passphrase: "7" });
    const { check_id } = check;
    const looks = vi.spyOn(crypto, "scrypt");
    syncBuiltinESMExports();
    onTestFinished(() => {
      looks.mockRestore();
      syncBuiltinESMExports();
    });
    const guesses = Array.from({ length: 12 }, (_, n) =>
      redeem(check_id, signature, { passphrase: `no ${n}` }),
    );
    const answers = (await Promise.all(guesses)).map((answer) => answer.status).sort();
    expect(answers).toEqual([
      ...Array(checks.MOST_TRIES).fill(403),
      ...Array(12 - checks.MOST_TRIES).fill(429),
    ]);
    // Two are looked at at a time, so that one of them may be too late.
    expect([checks.MOST_TRIES, checks.MOST_TRIES + 1]).toContain(looks.mock.calls.length);
    const paused = await redeem(check_id, signature, { passphrase: "7" });
    expect(refusalOf(paused)).toEqual([429, "passphrase-paused", undefined]);
    expect(Number(paused.headers.get("retry-after"))).toBeGreaterThan(checks.PAUSE_S - 60);
    expect((await desk.story(check_id)).length).toBe(1 + checks.MOST_TRIES);
    const { clock } = desk.app;
    replace(desk.app, { clock: { now: () => new Date(Date.now() + checks.PAUSE_S * 1_000) } });
    try {
      expect((await redeem(check_id, signature, { passphrase: "7" })).status).toBe(200);
    } finally {
      replace(desk.app, { clock });
    }
  });
});
