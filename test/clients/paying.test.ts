/** The service as it is started, and stock clients that pay it 0.05 USDC. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { decodePaymentResponseHeader } from "@x402/fetch";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { decodeXPaymentResponse as decodeOfAxios } from "x402-axios";
import { decodeXPaymentResponse } from "x402-fetch";
import {
  axiosBuyer,
  balanceOf,
  clientOfVersion2,
  demoWallet,
  fetchOfVersion1,
  fetchOfVersion2,
  unpaid,
} from "./buyers.ts";

const bin = new URL("../../bin/tallystick", import.meta.url).pathname;
const PRICE = 50_000n;
const place = "/v1/agent/trade/top-partners?reporter=DE&limit=3";

type Required = Parameters<ReturnType<typeof clientOfVersion2>["createPaymentPayload"]>[0];

const wallet = demoWallet(1);
let dir: string;
let service: { url: string; process: ChildProcess; output: () => string; ended: Promise<unknown> };
let rpc_url: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-clients-"));
  const env = {
    PATH: process.env.PATH,
    HOME: dir,
    DATA_DIR: join(dir, "data"),
    PORT: "0",
    LOG_LEVEL: "warn",
  };
  // A small dataset; a service that finds one makes no other.
  await promisify(execFile)(process.execPath, [bin, "sandbox", "--scale", "0.01"], { env });
  service = await serve(env);
  while ((await fetch(`${service.url}/ready`)).status !== 200)
    await new Promise((wake) => setTimeout(wake, 50));
  const node = JSON.parse(await readFile(join(dir, "data", "chain", "node.json"), "utf8")) as {
    port: number;
  };
  rpc_url = `http://127.0.0.1:${node.port}`;
});
afterAll(async () => {
  service?.process.kill("SIGTERM");
  await service?.ended;
  await rm(dir, { recursive: true, force: true });
});

function serve(env: NodeJS.ProcessEnv): Promise<typeof service> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [bin, "serve"], { env });
    const ended = new Promise((end) => child.once("exit", (code, signal) => end(code ?? signal)));
    let output = "";
    const read = (chunk: Buffer) => {
      output += chunk;
      const url = /listens at (\S+)/.exec(output)?.[1];
      if (url) done({ url, process: child, output: () => output, ended });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    void ended.then((code) => fail(new Error(`serve ended with ${code}: ${output}`)));
  });
}

let payee: string;
let before: { payer: bigint; payee: bigint };
const balances = async () => ({
  payer: await balanceOf(rpc_url, wallet.address),
  payee: await balanceOf(rpc_url, payee),
});
beforeEach(async () => {
  const { exitCode, signalCode } = service.process;
  expect(exitCode ?? signalCode, service.output()).toBeNull();
  payee = (await unpaid(service.url + place)).payTo;
  before = await balances();
});

/** The answer was given, and paid for exactly once. */
async function expectSold(answer: unknown, settlement: object, network: string): Promise<void> {
  expect((answer as { data: object[] }).data[0]).toMatchObject({ rank: 1 });
  expect(settlement).toMatchObject({
    success: true,
    network,
    payer: wallet.address.toLowerCase(),
    transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
  expect(await balances()).toEqual({ payer: before.payer - PRICE, payee: before.payee + PRICE });
}

describe("0.05 USDC, with nothing set but the wallet", () => {
  test("x402-fetch 1.x", async () => {
    const answer = await (await fetchOfVersion1(wallet))(service.url + place, {});
    expect(answer.status).toBe(200);
    const settlement = decodeXPaymentResponse(answer.headers.get("X-PAYMENT-RESPONSE")!);
    await expectSold(await answer.json(), settlement, "base");
  });

  test("x402-axios", async () => {
    const { status, data, headers } = await (await axiosBuyer(wallet)).get(service.url + place);
    expect(status).toBe(200);
    await expectSold(data, decodeOfAxios(headers["x-payment-response"]), "base");
  });

  test("@x402/fetch 2.x", async () => {
    const answer = await fetchOfVersion2(wallet)(service.url + place);
    expect(answer.status).toBe(200);
    const settlement = decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE")!);
    await expectSold(await answer.json(), settlement, "eip155:8453");
  });

  test("MCP's own client, with the payment in _meta", async () => {
    const client = new Client({ name: "stock", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`)));
    try {
      const asked = { name: "trade_top_partners", arguments: { reporter: "DE", limit: 3 } };
      const refused = await client.callTool(asked);
      expect(refused.isError).toBe(true);
      const required = refused.structuredContent as Required;
      expect(required).toMatchObject({ x402Version: 2, accepts: [{ amount: String(PRICE), payTo: payee }] });
      const payment = await clientOfVersion2(wallet).createPaymentPayload(required);
      const answer = await client.callTool({ ...asked, _meta: { "x402/payment": payment } });
      expect(answer.isError, JSON.stringify(answer.content)).toBeFalsy();
      const settlement = answer._meta?.["x402/payment-response"] as object;
      await expectSold(answer.structuredContent, settlement, "eip155:8453");
    } finally {
      await client.close();
    }
  });
});
