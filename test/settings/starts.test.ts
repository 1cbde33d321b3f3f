/** Starts refused over a log with real money, before anything is opened; each by the serving runtime. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { demoAccount } from "../../src/domain/wallet/demo-accounts.ts";
import { openRuntime } from "../../src/runtime/assemble.ts";
import { ConfigError, readConfig } from "../../src/runtime/config.ts";
import { type AnchoringSetup, openAnchoringSetup } from "../anchoring/anchoring-setup.ts";

let setup: AnchoringSetup;
beforeAll(async () => {
  setup = await openAnchoringSetup();
});
afterAll(async () => setup?.close());

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-starts-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

const bin = new URL("../../bin/tallystick", import.meta.url).pathname;
const foundryKey = `0x${Buffer.from(demoAccount(0).getHdKey().privateKey!).toString("hex")}`;

test("a process with Foundry's key before a real node of chain 8453 ends before it opens anything", async () => {
  const DATA_DIR = join(await folder(), "data");
  const env = {
    ...{ PATH: process.env.PATH, DATA_DIR, PORT: "0", SEED_SECRET: "s".repeat(40) },
    ...{ DATABASE_URL: setup.database_url, BASE_RPC_URL: setup.chain.rpc_url },
    ...{ GAS_KEY: foundryKey, PAY_TO: demoAccount(0).address },
  };
  const { code, said } = await new Promise<{ code: unknown; said: string }>((done) =>
    execFile(process.execPath, [bin, "serve"], { env }, (error, _, stderr) =>
      done({ code: error?.code, said: stderr }),
    ),
  );
  expect(code).toBe(1);
  expect(said).toMatch(
    /^ {2}PAY_TO is an account.*\n {2}GAS_KEY is a private key.*\n {2}SEED_SECRET can be guessed/m,
  );
  expect(existsSync(DATA_DIR)).toBe(false);
});

test("a secret that somebody put into DATA_DIR is checked like its setting", async () => {
  const DATA_DIR = await folder();
  await writeFile(join(DATA_DIR, "seeds.secret"), `${"ab".repeat(24)}\n`);
  const { rpc_url: BASE_RPC_URL, gas_key: GAS_KEY, pay_to: PAY_TO } = setup.chain;
  expect(() => readConfig({ DATA_DIR, BASE_RPC_URL, GAS_KEY, PAY_TO })).toThrow(
    /seeds\.secret \(SEED_SECRET\) can be guessed/,
  );
  expect(readConfig({ DATA_DIR }).BASE_RPC_URL).toBeUndefined();
});

test("an anchored log gets no new development chain: its own is accepted, another is refused", async () => {
  const open = async (DATA_DIR: string) => {
    const config = readConfig({ DATABASE_URL: setup.database_url, DATA_DIR, LEAVE_SECONDS: "600" });
    const runtime = await openRuntime(config, pino({ level: "silent" }), { chain: true, folds: "requested" });
    await runtime.close();
  };
  const snapshot = await setup.snapshot();
  await setup.happen();
  expect(await setup.turn()).toMatchObject({ status: "done" });
  await setup.mine(4);
  await setup.turn();
  const empty = await folder();
  await expect(open(empty)).rejects.toThrow(ConfigError);
  await expect(open(empty)).rejects.toThrow(/^BASE_RPC_URL is empty.*anchored.*set BASE_RPC_URL/);
  expect(existsSync(join(empty, "chain")), "no node was started").toBe(false);

  // The node's own folder: its other member saves it under the same lock.
  const own = setup.workshop.dir;
  const noted = join(own, "chain.log");
  await open(own);
  expect(await readFile(noted, "utf8")).toBe(`${await setup.origin()}\n`);
  await setup.revert(snapshot);
  await writeFile(noted, "tallystick.local/another\n");
  await expect(open(own)).rejects.toThrow(/is not the chain of the log.*another history/);
  // The log's own chain was truncated: payments are refused then, and the rest is served.
  await writeFile(noted, `${await setup.origin()}\n`);
  await open(own);
});
