/** Signing in by the text that a 402 declares, with x402's own client. */
import { createSIWxClientHook, wrapFetchWithSIWx } from "@x402/extensions/sign-in-with-x";
import { encodeAbiParameters, getContractAddress, parseAbiParameters } from "viem/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import { scaled } from "../support/scale.ts";
import { addressOf, SAYS_NO, SAYS_YES } from "../support/wallets.ts";
import {
  buyer,
  declaredAt,
  expectForeignRefused,
  offered,
  openSignInSetup,
  present,
  type SignInSetup,
  urlOf,
} from "./sign-in-setup.ts";

let setup: SignInSetup;
beforeAll(async () => {
  setup = await openSignInSetup();
});
afterAll(() => setup?.close());

const url = (path: string) => urlOf(setup, path);
const tenant = `wallet:${addressOf(buyer)}`;
const posting = (body: object): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

test("x402's own wrapper gets 200 where the wallet may sign instead of paying", async () => {
  const signIn = wrapFetchWithSIWx(fetch, buyer as never);
  const answers = [
    await signIn(url("/test/mine")),
    await signIn(url("/test/mine?of=now")),
    await signIn(url("/test/change"), posting({ to: "y" })),
  ];
  for (const answer of answers) {
    expect(answer.status, await answer.clone().text()).toBe(200);
    expect(await answer.json()).toMatchObject({ data: { tenant } });
  }
  expect(offered(await fetch(url("/count"))).extensions).not.toHaveProperty("sign-in-with-x");
});

test("a call that only its owner may make asks for no payment, and x402's own hook signs in to it", async () => {
  const bare = await fetch(url("/test/own"), posting({ to: "z" }));
  expect([bare.status, bare.headers.get("www-authenticate")]).toEqual([402, 'Bearer realm="tallystick"']);
  const paymentRequired = offered(bare);
  expect(paymentRequired).toMatchObject({ x402Version: 2, accepts: [] });
  expect(paymentRequired.extensions!["sign-in-with-x"]).toMatchObject({
    info: { domain: new URL(setup.service.url).host, uri: url("/test/own") },
    supportedChains: [{ chainId: "eip155:8453", type: "eip191" }, {}, {}],
  });
  expect(await bare.json()).toMatchObject({
    type: expect.stringMatching(/#sign-in-required$/),
    status: 402,
    accepts: [],
  });
  const hook = createSIWxClientHook(buyer as never);
  const signed = await hook({ paymentRequired, requestUrl: url("/test/own") } as never);
  const { headers, ...init } = posting({ to: "z" });
  const call = () => fetch(url("/test/own"), { ...init, headers: { ...headers, ...signed!.headers } });
  const answer = await call();
  expect([answer.status, await answer.json()]).toMatchObject([200, { data: { tenant, to: "z" } }]);
  expect((await call()).status).toBe(401);
});

test("a signature for another host, path or time, and a nonce used before, are refused", () =>
  expectForeignRefused(setup, scaled(15, 5)));

test("of many simultaneous uses of one nonce, one is accepted", async () => {
  const { info } = await declaredAt(setup);
  const statuses = await Promise.all(Array.from({ length: 20 }, () => present(setup, info)));
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
});

test("the signature of a contract wallet, deployed or not, is checked on the chain", async () => {
  const contract = "0x00000000000000000000000000000000000c0de1";
  await setup.workshop.rpc("anvil_setCode", contract, SAYS_YES);
  const signature: Hex = `0x${"12".repeat(195)}`;
  expect(
    await present(setup, { ...(await declaredAt(setup)).info, address: contract }, "/test/mine", signature),
  ).toBe(200);
  await setup.workshop.rpc("anvil_setCode", contract, SAYS_NO);
  expect(
    await present(setup, { ...(await declaredAt(setup)).info, address: contract }, "/test/mine", signature),
  ).toBe(401);
  for (const [code, status] of [
    [SAYS_YES, 200],
    [SAYS_NO, 401],
  ] as const) {
    const { factory, data, address } = deployer(code);
    await setup.workshop.rpc("anvil_setCode", factory, CREATE2_FACTORY);
    const wrapped = encodeAbiParameters(parseAbiParameters("address, bytes, bytes"), [factory, data, "0x12"]);
    const given = { ...(await declaredAt(setup)).info, address };
    expect(await present(setup, given, "/test/mine", `${wrapped}${"6492".repeat(16)}` as Hex)).toBe(status);
    expect(await setup.workshop.rpc("eth_getCode", address, "latest")).toBe("0x");
  }
});

/** The deterministic deployment proxy: it creates the code after a salt of 32 bytes. */
const CREATE2_FACTORY: Hex =
  "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3";

function deployer(code: Hex): { factory: Hex; data: Hex; address: Hex } {
  const factory: Hex = "0x00000000000000000000000000000000000fac70";
  const body = code.slice(2);
  // Copies the code that follows these ten bytes, and returns it.
  const init: Hex = `0x60${(body.length / 2).toString(16).padStart(2, "0")}600c60003960${(body.length / 2).toString(16).padStart(2, "0")}6000f3${body}`;
  const salt: Hex = `0x${"00".repeat(32)}`;
  return {
    factory,
    data: `${salt}${init.slice(2)}`,
    address: getContractAddress({
      from: factory,
      salt,
      bytecode: init,
      opcode: "CREATE2",
    }).toLowerCase() as Hex,
  };
}
