/**
 * The official conformance suite of MCP, by its own command. The lists below are the cases that need no fixture; the others need
 * a test server's tools, prompts or resources, or capabilities that are not declared.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

const passing = {
  "2025-11-25": [
    "dns-rebinding-protection",
    "ping",
    "prompts-list",
    "resources-list",
    "server-initialize",
    "tools-list",
  ],
  "2026-07-28": [
    "caching",
    "dns-rebinding-protection",
    "http-header-validation",
    "input-required-result-missing-input-response",
    "input-required-result-unsupported-methods",
    "prompts-list",
    "resources-list",
    "sep-2164-resource-not-found",
    "server-sse-multiple-streams",
    "server-stateless",
    "tools-list",
  ],
  extensions: ["sep-2640-skills-directory", "sep-2640-skills-enumeration", "sep-2640-skills-manifest"],
};

/** Single checks of these cases that need a test server's tools, or a skill with a folder within. */
const needsFixture = [
  "sep-2575-server-rejects-undeclared-capability",
  "sep-2575-missing-capability-http-400",
  "sep-2575-http-server-no-independent-requests-on-stream",
  "sep-2575-server-no-log-without-loglevel",
  "sep-2640-directory-read-subdir-mimetype",
];

type Check = {
  id: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  errorMessage?: string;
};

const command = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")),
  "dist/index.js",
);
const register = new URL("../support/conformance/register.mjs", import.meta.url).href;

let service: Service;
let folder: string;
beforeAll(async () => {
  service = await startService();
  await openSandbox(service);
  folder = await mkdtemp(join(tmpdir(), "tallystick-conformance-"));
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The failed checks of a case, with their reasons. */
async function failuresOf(scenario: string, version: string | undefined): Promise<string[]> {
  const into = join(folder, `${scenario}-${version}`);
  const options = [
    "--url",
    `${service.url}/mcp`,
    "--scenario",
    scenario,
    "--output-dir",
    into,
    "--timeout",
    "240000",
  ];
  const args = [
    "--import",
    register,
    command,
    "server",
    ...options,
    ...(version ? ["--spec-version", version] : []),
  ];
  const printed = await new Promise<string>((done) => {
    execFile(process.execPath, args, (_, stdout, stderr) => done(stdout + stderr));
  });
  const [file] = (await readdir(into, { recursive: true })).filter((name) => name.endsWith("checks.json"));
  expect(file, printed).toBeDefined();
  const checks = JSON.parse(await readFile(join(into, file!), "utf8")) as Check[];
  expect(
    checks.some(({ status }) => status === "SUCCESS"),
    printed,
  ).toBe(true);
  const isLeftOut = ({ id, errorMessage = "" }: Check) =>
    needsFixture.includes(id) && errorMessage.startsWith("Not testable: ");
  return checks
    .filter((check) => check.status === "FAILURE" && !isLeftOut(check))
    .map(({ id, errorMessage }) => `${id}: ${errorMessage}`);
}

const versions = ["2025-11-25", "2026-07-28"] as const;

for (const version of versions)
  test.each(passing[version])(`the server passes the scenario %s of ${version}`, async (scenario) => {
    expect(await failuresOf(scenario, version)).toEqual([]);
  });

test.each(passing.extensions)("the server passes the extension scenario %s", async (scenario) => {
  expect(await failuresOf(scenario, undefined)).toEqual([]);
});
