/** The demo for a newcomer: the real command, a new folder, the embedded database and chain. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toHex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { discoveryOperations } from "../../src/api/operations/discovery/discovery.ts";
import { vintagesDir } from "../../src/datasets/manifest.ts";
import { withRuntime } from "../../src/runtime/assemble.ts";
import { balanceOf, openWorkshop, type Workshop } from "../chain/fixture.ts";
import { releaseVintage } from "../support/cube.ts";
import { silent } from "../support/doomed.ts";
import { PATIENT, patientConfig } from "../support/patience.ts";
import { report } from "../support/report.ts";
import { sandboxIn } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { addressOf, GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";
import type { Ran } from "./command.ts";
import { runHere } from "./in-process.ts";

const bin = new URL("../../bin/tallystick", import.meta.url).pathname;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-demo-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const environment = (data: string) => ({
  ...PATIENT,
  PATH: process.env.PATH,
  HOME: dir,
  DATA_DIR: join(dir, data),
  PORT: "0",
  SANDBOX: "0",
  LOG_LEVEL: "warn",
});

const run = (data: string, args: string[]) => runHere(environment(data), ...args);

/** The same as a separate process, for the first demo and for standard input. */
async function start(data: string, args: string[], input = ""): Promise<Ran> {
  const child = spawn(process.execPath, [bin, ...args], { env: environment(data) });
  const ran = { code: -1, stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (ran.stdout += chunk));
  child.stderr.on("data", (chunk: Buffer) => (ran.stderr += chunk));
  child.stdin.end(input);
  const [code] = await once(child, "close");
  return { ...ran, code: code ?? -1 };
}

const steps = (stdout: string) =>
  [...stdout.matchAll(/^(\d) {2}(.+?) {2}/gm)].map(([, n, title]) => `${n} ${title}`);
/** The prefix of a running build's folder. */
const BUILDING = "building-";
const STEPS = [
  "1 The price list",
  "2 Asking without paying",
  "3 Signing",
  "4 Paying",
  "5 The settlement",
  "6 The payment in the log",
];

test("the sandbox releases its tables first, and leaves nothing when interrupted", async () => {
  const child = spawn(process.execPath, [bin, "sandbox"], { env: environment("interrupted") });
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk));
  const ended = once(child, "close");
  const building = async () => {
    const files = await readdir(vintagesDir(join(dir, "interrupted"))).catch(() => []);
    return files.filter((name) => name.startsWith(BUILDING));
  };
  await until(async () => stdout !== "" && (await building()).length > 0);
  child.kill("SIGINT");
  expect((await ended)[0]).toBe(1);
  expect(stdout).toMatch(/ released: vintage [0-9a-f]{16}, /);
  expect(stdout).not.toMatch(/^sandbox /m);
  expect(await building()).toEqual([]);
  expect(existsSync(join(dir, "interrupted", "postgres", "postmaster.pid"))).toBe(false);
});

test("--help explains the demo", async () => {
  const { code, stdout } = await run("help", ["demo", "--help"]);
  expect(code).toBe(0);
  expect(stdout).toContain("0.10 USDC");
});

describe("without a running service", () => {
  test("the demo opens its own service, pays, and proves its answer", async () => {
    const { code, stdout, stderr } = await start("own", ["demo"]);
    expect(code, stderr).toBe(0);
    expect(stderr).toBe("");
    expect(steps(stdout)).toEqual(STEPS);
    expect(stdout).toContain("10,000.00 USDC -> 9,999.90 USDC");
    expect(stdout).toContain("0.00 USDC -> 0.10 USDC");
    expect(stdout).toMatch(/transaction +0x[0-9a-f]{64}\n/);
    expect(stdout).toMatch(/block +\d+\n/);
    expect(stdout).toContain("PaymentClaimed, PaymentSettled");
    expect(stdout).toContain("ok   that transaction on chain moved exactly the signed amount");
    expect(stdout).not.toContain("FAIL");
    // No colours without a terminal.
    expect(stdout).not.toContain("\u001b");
    // Its verified file can be verified by hand, and the parts that it started are gone.
    const file = /tallystick verify (\S+)/.exec(stdout)![1]!;
    const verified = await run("own", ["verify", file]);
    expect(verified.stdout).toMatch(/^2 events in 1 streams: verified.*, without a witness$/m);
    expect(existsSync(join(dir, "own", "postgres", "postmaster.pid"))).toBe(false);
  });

  test("with trade data the demo queries trade, and the answer's digest is in the log", async () => {
    await withSandbox("own");
    const { code, stdout, stderr } = await run("own", ["demo"]);
    expect(code, stderr).toBe(0);
    expect(steps(stdout)).toEqual(STEPS);
    expect(stdout).toContain("/v1/agent/trade/top-partners");
    expect(stdout).toContain('{"rank":1,');
    expect(stdout).toContain('"synthetic":true');
    expect(stdout).toContain("ok   PaymentSettled has the SHA-256 of the answer as received");
    // The receipt matches the stored answer and export, also for a reader with other settings.
    const command = /tallystick (verify receipt .*)/.exec(stdout)![1]!;
    const receipt = await run("elsewhere", command.split(" "));
    expect(receipt.code, receipt.stdout + receipt.stderr).toBe(0);
  });
});

/** Releases the shared sandbox in a folder. */
async function withSandbox(data: string): Promise<void> {
  const data_dir = join(dir, data);
  const vintage = await sandboxIn(data_dir);
  const config = patientConfig(environment(data));
  await withRuntime(config, silent, ({ app }) => releaseVintage(app, data_dir, vintage), { chain: false });
}

test("the demo buys from a service that runs on the same folder, and reads its log", async () => {
  const { url, process: child, ended } = await serve("own");
  try {
    const { code, stdout, stderr } = await run("own", ["demo", "--url", url]);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(url);
    expect(stdout).not.toContain("starting one");
    expect(stdout).toContain("PaymentClaimed, PaymentSettled");
    expect(stdout).not.toContain("FAIL");
    const { status } = await fetch(`${url}/health`);
    expect(status).toBe(200);
    // A user's own wallet must not sign on a development chain.
    const key = toHex(wallet(3).getHdKey().privateKey!);
    const refused = await run("own", ["demo", "--url", url, "--key", key]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("omit --key");
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
});

type Running = { url: string; process: ChildProcess; ended: Promise<unknown> };

function serve(data: string): Promise<Running> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [bin, "serve"], { env: environment(data) });
    const ended = new Promise((end) => child.once("exit", end));
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk;
      const url = /listens at (\S+)/.exec(output)?.[1];
      if (url) done({ url, process: child, ended });
    });
    void ended.then((code) => fail(new Error(`serve ended with ${code}: ${output}`)));
  });
}

describe("off the development chain", () => {
  let workshop: Workshop;
  let service: Service;
  const chain = () => ({ rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE });
  beforeAll(async () => {
    workshop = await openWorkshop();
    service = await startService({ chain: chain() });
  });
  afterAll(async () => {
    await service?.stop();
    await workshop?.close();
  });
  const spent = async (before: bigint) => before - (await balanceOf(workshop.chain, addressOf(wallet(5))));
  const balance = () => balanceOf(workshop.chain, addressOf(wallet(5)));

  test("nothing is signed without a key", async () => {
    const { position } = await service.app.store.head();
    const { code, stdout, stderr } = await run("off", ["demo", "--url", service.url]);
    expect(code).toBe(1);
    expect(stderr).toContain("does not settle on a development chain");
    expect(stderr).toContain("--key");
    expect(steps(stdout)).toEqual(STEPS.slice(0, 2));
    expect((await service.app.store.head()).position).toBe(position);
    // Nothing was opened in the folder for another service.
    expect(existsSync(join(dir, "off"))).toBe(false);
  });

  test("a key pays and stays secret, and the demo says that its stream was not exported", async () => {
    const before = await balance();
    const key = toHex(wallet(5).getHdKey().privateKey!);
    const args = ["demo", "--url", service.url, "--key", "-"];
    const { code, stdout, stderr } = await start("off", args, `${key}\n`);
    expect(code, stderr).toBe(0);
    expect(await spent(before)).toBe(100_000n);
    expect(stdout).toContain(addressOf(wallet(5)));
    expect(stdout).not.toContain(key);
    expect(stdout).toContain("The payment's stream was not exported");
  });

  test("an impossible request is named", async () => {
    const dear = await startService({
      chain: chain(),
      operations: [...discoveryOperations, report("five", "5.00")],
    });
    try {
      const { code, stderr } = await run("off", ["demo", "--url", dear.url]);
      expect(code).toBe(1);
      expect(stderr).toContain("sells nothing that this demo can call");
    } finally {
      await dear.stop();
    }
    const { stderr } = await run("off", ["demo", "--url", "http://127.0.0.1:1"]);
    expect(stderr).toContain("no Tallystick answers at http://127.0.0.1:1");
    expect((await run("off", ["demo", "--url", "ftp://x"])).stderr).toContain("an address such as");
    expect((await run("off", ["demo", "--key", "0x12"])).stderr).toContain("0x and 64 hex digits");
    const zero = await start("off", ["demo", "--url", service.url, "--key", "-"], `0x${"0".repeat(64)}`);
    expect(zero.stderr).toMatch(/^--key -: standard input is not a private key/);
  });
});
