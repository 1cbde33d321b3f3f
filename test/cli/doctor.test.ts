/** `tallystick doctor`: sound and broken surroundings, each with its remedy. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { chainBinary } from "../../src/adapters/embedded-chain.ts";
import { MULTICALL3 } from "../../src/core/model/multicall.ts";
import { USDC } from "../../src/domain/payments/usdc.ts";
import type { Check } from "../../src/runtime/checkup.ts";
import { refuseOtherChain } from "../../src/runtime/refuse-other-chain.ts";
import { GAS_KEY, PAYEE } from "../support/wallets.ts";
import { runHere } from "./in-process.ts";

let dir: string;
let other: Server;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-doctor-"));
  other = createServer((_, response) => response.end("another program"));
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
});
afterAll(async () => {
  other.close();
  await rm(dir, { recursive: true, force: true });
});

const judged = async (settings: Record<string, string>) => {
  const { code, stdout } = await runHere({ DATA_DIR: dir, PORT: "0", ...settings }, "doctor", "--json");
  const checks = JSON.parse(stdout) as Check[];
  return { code, checks: Object.fromEntries(checks.map((check) => [check.name, check])) };
};

test("the embedded database and chain need only a folder", async () => {
  const { code, checks } = await judged({});
  expect(Object.keys(checks)).toEqual(["settings", "port", "disk", "postgres", "chain", "clock"]);
  expect(checks.postgres).toMatchObject({ status: "ok", remedy: null });
  expect(checks.chain).toMatchObject({ status: "ok" });
  expect(code).toBe(Object.values(checks).some(({ status }) => status === "fail") ? 1 : 0);
});

test("a port of another program, a silent Postgres and a file as DATA_DIR fail with their remedies", async () => {
  const port = String((other.address() as AddressInfo).port);
  const silent = "postgres://nobody:x@127.0.0.1:9/none";
  const { code, checks } = await judged({ PORT: port, DATABASE_URL: silent, SUBJECT_KEYS_URL: silent });
  expect(code).toBe(1);
  expect(checks.port).toMatchObject({ status: "fail", remedy: expect.stringContaining("set PORT") });
  for (const name of ["postgres", "vault"])
    expect(checks[name]).toMatchObject({
      status: "fail",
      says: expect.stringContaining("nothing listens there"),
      remedy: expect.stringMatching(/^check /),
    });
  expect((await judged({ DATA_DIR: import.meta.filename })).checks.disk).toMatchObject({ status: "fail" });
});

test("wrong settings are the only line, because every other check reads them", async () => {
  const { code, stdout } = await runHere({ DATA_DIR: dir, PORT: "http" }, "doctor");
  expect(code).toBe(1);
  expect(stdout).toMatch(/^fail {2}settings {2}.*PORT is a whole number/);
  expect(stdout.trim().split("\n")).toHaveLength(2);
});

/** A node of a chain, until `work` ends. */
async function withNode(chain_id: number, work: (rpc_url: string) => Promise<void>): Promise<void> {
  const anvil = spawn(chainBinary(), ["--port", "0", "--chain-id", String(chain_id)], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    let output = "";
    while (!/Listening on \S+/.test(output)) output += String((await once(anvil.stdout, "data"))[0]);
    await work(`http://${/Listening on (\S+)/.exec(output)![1]}`);
  } finally {
    anvil.kill("SIGKILL");
  }
}

test("a misspelt setting is named in one sentence", async () => {
  const { stdout } = await runHere(
    { DATA_DIR: dir, GAS_BUGDET_ETH: "1", GAS_KEY, PAY_TO: PAYEE, BASE_RPC_URL: "http://127.0.0.1:9" },
    "doctor",
  );
  expect(stdout).toMatch(
    /^fail {2}settings {2}the environment is not right: .*GAS_BUGDET_ETH is not a setting; .*\. See \.env\.example for every setting\.$/m,
  );
  expect(stdout).not.toContain(":;");
  expect(stdout).not.toContain(";;");
});

test("a service does not start on a node of another chain, but without a node that answers", async () => {
  await withNode(84532, async (BASE_RPC_URL) => {
    await expect(refuseOtherChain({ BASE_RPC_URL })).rejects.toThrow(
      /^BASE_RPC_URL: \S+ serves chain 84532; set it to a node of Base, which is chain 8453$/,
    );
  });
  const silent = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  await refuseOtherChain({ BASE_RPC_URL: silent });
  await refuseOtherChain({ BASE_RPC_URL: undefined });
});

test("a bare anvil fails and no service starts on it: both name the contracts of Base that it lacks", () =>
  withNode(8453, async (BASE_RPC_URL) => {
    await expect(refuseOtherChain({ BASE_RPC_URL })).rejects.toThrow(
      /^BASE_RPC_URL: \S+ has no USDC and no Multicall3; set BASE_RPC_URL to a node of Base or a fork of it; /,
    );
    const chain = async () => (await judged({ GAS_KEY, PAY_TO: PAYEE, BASE_RPC_URL })).checks.chain;
    expect(await chain()).toMatchObject({
      status: "fail",
      says: expect.stringContaining("has no USDC and no Multicall3"),
      remedy: expect.stringContaining("a fork of it"),
    });
    for (const address of [USDC.address, MULTICALL3])
      await fetch(BASE_RPC_URL, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "anvil_setCode", params: [address, "0x00"] }),
      });
    expect(await chain()).toMatchObject({ says: expect.stringMatching(/^Base at .*, block 0 of/) });
    await refuseOtherChain({ BASE_RPC_URL });
  }));

test("status distinguishes a slow service, another program and an absent service", async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const soon = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => timeout(50));
  try {
    const slow = await runHere(
      { DATA_DIR: dir, PORT: String((silent.address() as AddressInfo).port) },
      "status",
    );
    expect(slow).toMatchObject({ code: 1, stderr: expect.stringContaining("did not answer in 15 s") });
  } finally {
    soon.mockRestore();
    silent.closeAllConnections();
    silent.close();
  }
  const port = String((other.address() as AddressInfo).port);
  expect(await runHere({ DATA_DIR: dir, PORT: port }, "status")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`another program answers at http://127.0.0.1:${port}`),
  });
  const absent = await runHere({ DATA_DIR: dir, PORT: "9" }, "status");
  expect(absent).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing answers") });
});
