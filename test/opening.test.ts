import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { generatePrivateKey } from "viem/accounts";
import { expect, test } from "vitest";
import { storedSecret } from "../src/adapters/stored-secret.ts";
import { openRuntime } from "../src/runtime/assemble.ts";
import { ConfigError, readConfig } from "../src/runtime/config.ts";

test("many simultaneous starts share one complete secret, and leave no other file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tallystick-secret-"));
  const path = join(folder, "s.key");
  const secrets = await Promise.all(Array.from({ length: 20 }, () => storedSecret(path)));
  expect(new Set(secrets).size).toBe(1);
  expect(secrets[0]).toHaveLength(32);
  expect((await readFile(path, "utf8")).trim()).toBe(secrets[0]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["s.key"]);
  await rm(folder, { recursive: true });
});

test.each([
  [{ DATABASE_URL: "postgres://a:b@127.0.0.1:9/x" }, /DATABASE_URL.*127\.0\.0\.1:9/],
  [{ DATA_DIR: "/dev/null/x" }, /^DATA_DIR \/dev\/null\/x/],
])("a service that cannot start names the setting: %j", async (env, message) => {
  const config = readConfig({ DATA_DIR: join(tmpdir(), "tallystick-nowhere"), ...env });
  const failure = await openRuntime(config, pino({ level: "silent" })).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ConfigError);
  expect((failure as Error).message).toMatch(message);
});

test.each(["javascript:alert(1)", "ftp://x.example", "nowhere"])("PUBLIC_URL=%s is refused", (url) => {
  expect(() => readConfig({ PUBLIC_URL: url })).toThrow(/PUBLIC_URL/);
});

const key = generatePrivateKey();
const base = {
  BASE_RPC_URL: "https://mainnet.base.example",
  PAY_TO: `0xc0ffee254729296a45a3885639ac7e10f9d54979`,
};

test.each([
  [{ BASE_RPC_URL: base.BASE_RPC_URL }, /PAY_TO.*GAS_KEY or FACILITATOR_URL.*REFUND_KEY/s],
  [base, /GAS_KEY or FACILITATOR_URL/],
  [{ ...base, FACILITATOR_URL: "https://facilitator.example" }, /REFUND_KEY/],
  [{ ...base, GAS_KEY: "0x12" }, /GAS_KEY is a private key/],
])("on Base missing settings are named: %j", (env, message) => {
  expect(() => readConfig(env)).toThrow(message);
});

test.each([
  [{ ...base, GAS_KEY: key }],
  [{ ...base, FACILITATOR_URL: "https://facilitator.example", REFUND_KEY: key }],
])("on Base these settings suffice: %j", (env) => {
  expect(readConfig(env)).toMatchObject(env);
});
