import { expect, test } from "vitest";
import { environment, readConfig } from "../../src/runtime/config.ts";
import { misspellings } from "../../src/runtime/settings/spelling.ts";
import { GAS_KEY, PAYEE } from "../support/wallets.ts";

const settings = Object.keys(environment.shape);
const read = (given: Record<string, string>) => misspellings(given, settings);

test.each([
  ["BASE_RCP_URL", "BASE_RPC_URL"],
  ["BASE_RPC", "BASE_RPC_URL"],
  ["BASERPC_URL", "BASE_RPC_URL"],
  ["base_rpc_url", "BASE_RPC_URL"],
  ["PAYTO", "PAY_TO"],
  ["GAS_BUDGET_ETHER", "GAS_BUDGET_ETH"],
  ["WITNESES", "WITNESSES"],
  ["SEED-SECRET", "SEED_SECRET"],
  ["TALLYSTICK_SEED_SECRET", "SEED_SECRET"],
  ["DATABSE_URL", "DATABASE_URL"],
  ["RPC_URL", "BASE_RPC_URL"],
  ["BASE_NODE_URL", "BASE_RPC_URL"],
  ["BASE_RPC_ENDPOINT", "BASE_RPC_URL"],
  ["SIGN_KEY", "SIGNING_KEY"],
  ["SUBJECT_KEY_URL", "SUBJECT_KEYS_URL"],
  ["GAS_BUDGET", "GAS_BUDGET_ETH"],
  ["GAS_BUDGET_WEI", "GAS_BUDGET_ETH"],
])("%s is recognised as a misspelt %s", (given, meant) => {
  expect(read({ [given]: "x" })).toMatchObject([{ given, meant }]);
});

/** Variables that shells, Node, npm, Kubernetes, Amazon and OpenTelemetry set. */
const OTHERS = {
  ...{
    HOME: "/",
    HOSTNAME: "x",
    SHELL: "x",
    PATH: "x",
    PWD: "/",
    LANG: "C",
    USER: "x",
    TERM: "x",
    TMPDIR: "/tmp",
  },
  ...{
    NODE_ENV: "production",
    NODE_NAME: "n1",
    NODE_OPTIONS: "x",
    npm_config_loglevel: "info",
    INIT_CWD: "/",
  },
  ...{ TALLYSTICK_PORT: "tcp://10.0.0.1:3000", TALLYSTICK_SERVICE_HOST: "10.0.0.1", KUBERNETES_PORT: "x" },
  ...{ AWS_DEFAULT_REGION: "x", AWS_PROFILE: "x", AWS_ROLE_ARN: "x", OTEL_TRACES_SAMPLER: "always_on" },
  ...{ OTEL_EXPORTER_OTLP_PROTOCOL: "x", OTEL_RESOURCE_ATTRIBUTES: "x", POSTGRES_OWNER_PASSWORD: "x" },
  ...{ PGHOST: "x", REPORT: "x", TEST_DATABASE_URL: "x", HTTP_PROXY: "x", NO_PROXY: "x", SUDO_USER: "x" },
};

test("variables of other programs are not reported as misspelt settings, nor are two settings with similar names", () => {
  expect(read(OTHERS)).toEqual([]);
  expect(read({ LOG_LEVEL: "info", LOGLEVEL: "debug" })).toEqual([]);
  for (const name of settings) expect(read({ [name]: "x" })).toEqual([]);
});

test("a short setting is reported as misspelt in .env, where every name is meant for the service", () => {
  const short = { PROT: "3110", HOTS: "0.0.0.0" };
  expect(read(short)).toEqual([]);
  expect(misspellings(short, settings, Object.keys(short))).toEqual([
    { given: "PROT", meant: "PORT", certain: false },
    { given: "HOTS", meant: "HOST", certain: false },
  ]);
  expect(misspellings(OTHERS, settings, Object.keys(OTHERS))).toEqual([]);
  expect(readConfig({ PROT: "3110" }, { in_file: ["PROT"] }).misspelt).toEqual([
    expect.stringMatching(/PROT is not a setting; the nearest is PORT/),
  ]);
});

test("a misspelt setting is refused where money is real or would be without the mistake; elsewhere it is named", () => {
  const real = { BASE_RPC_URL: "https://mainnet.base.example", PAY_TO: PAYEE, GAS_KEY };
  expect(() => readConfig({ ...real, CUSTDOY: "1" })).toThrow(
    /CUSTDOY is not a setting; the nearest is CUSTODY/,
  );
  for (const [wrong, meant] of [
    ["BASE_RPC", "BASE_RPC_URL"],
    ["PAYTO", "PAY_TO"],
    ["GAS_BUDGET_WEI", "GAS_BUDGET_ETH"],
  ])
    expect(() => readConfig({ ...real, GAS_BUDGET_ETH: "1", [wrong!]: "1" })).toThrow(
      `${wrong} is not a setting; the nearest is ${meant}, which is set too`,
    );
  expect(() => readConfig({ BASE_RCP_URL: real.BASE_RPC_URL })).toThrow(
    /BASE_RCP_URL.*the nearest is BASE_RPC_URL/,
  );
  expect(readConfig({ CUSTDOY: "1" }).misspelt).toEqual([
    expect.stringMatching(/CUSTDOY.*the nearest is CUSTODY/),
  ]);
});
