/** Each command on our pages, except in guides' blocks, exists and is run: here, in one service, or by the named test. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Command } from "commander";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { program } from "../../src/cli/program.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { areasWithoutBets } from "../contract/driven.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { sealFirst } from "../support/log-example.ts";
import { patientConfig } from "../support/patience.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { documentedCommands, wordsOf } from "./commands.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");

/** Texts that begin like a command: the parts of a refund's nonce. */
const TEXTS = new Set(["tallystick refund <id>"]);
const all = documentedCommands().filter(({ command }) => !TEXTS.has(command));
const unique = (commands: string[]) => [...new Set(commands)];
const ours = all.filter(({ command }) => /^(bin\/)?tallystick /.test(command));
const argumentsOf = (command: string) => wordsOf(command.replace(/^(bin\/)?tallystick /, ""));

/**
 * Commands that need external files, a network, an hour or a separate process, by their beginning; and the test
 * that runs them.
 */
const ELSEWHERE: Record<string, string> = {
  "npm install": "test/containers/image.long.test.ts",
  "npm start": "test/cli/cli.long.test.ts",
  "npm run demo": "test/cli/demo.long.test.ts",
  "npm run test:clients": "test/clients/run",
  "npm run check": "test/imports.test.ts",
  "npm test": "vitest.config.ts",
  "npx openapi-typescript": "test/clients/generated.test.ts",
  "tallystick backup": "test/cli/backup.long.test.ts",
  "tallystick restore": "test/cli/backup.long.test.ts",
  "tallystick kurrent": "test/outside/copy.long.test.ts",
  "tallystick fetch": "test/cli/fetch.long.test.ts",
  "tallystick import": "test/cli/cli.long.test.ts",
  "tallystick sandbox": "test/cli/demo.long.test.ts",
  "tallystick witness": "test/witness/command.long.test.ts",
  "tallystick work": "test/cli/compute.long.test.ts",
  "tallystick report verify": "test/reports/reports.long.test.ts",
  "tallystick verify log-": "test/log/segments.long.test.ts",
  "tallystick verify receipt": "test/payments/verify-receipt.test.ts",
  "tallystick subjects": "test/subjects/erasure.long.test.ts",
  "tallystick rerun": "test/skills/skills.test.ts",
  "docker compose": "test/containers/image.long.test.ts",
};
const elsewhere = (command: string) =>
  Object.entries(ELSEWHERE).find(([begins]) => command.replace(/^bin\//, "").startsWith(begins));

const silent = { settings: () => readConfig({}), logger: () => pino({ enabled: false }) };

/** The command of these words, and the rest of them. */
async function found(words: string[]): Promise<{ command: Command; rest: string[] }> {
  let command = (await program(silent, words[0])) as Command;
  let rest = words;
  for (;;) {
    const next = command.commands.find((one) => one.name() === rest[0]);
    if (!next) return { command, rest };
    [command, rest] = [next, rest.slice(1)];
  }
}

describe("commands in the pages", () => {
  test("are found", () => {
    expect(all.length).toBeGreaterThan(80);
    for (const begins of ["curl", "bin/tallystick", "npm"])
      expect(all.some(({ command, in_block }) => in_block && command.startsWith(begins))).toBe(true);
  });

  test.each(ours)("$page: $command", async ({ command }) => {
    const words = argumentsOf(command).flatMap((word) => word.split(/(?<=^\w+)\|/)[0]!);
    const { command: named, rest } = await found(words);
    expect(named.parent, `there is no ${words[0]}`).not.toBeNull();
    const known = [named, named.parent!].flatMap(({ options }) => options.map(({ long }) => long));
    expect(known).toEqual(expect.arrayContaining(rest.filter((word) => word.startsWith("--"))));
  });

  test.each(unique(all.flatMap(({ command }) => /^npm (?:run )?([\w:]+)/.exec(command)?.[1] ?? [])))(
    "npm has %s",
    (name) => {
      const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
      expect(["install", ...Object.keys(scripts)]).toContain(name);
    },
  );

  test.each(Object.entries(ELSEWHERE))("%s is run by %s", (begins, file) => {
    expect(existsSync(join(ROOT, file)), file).toBe(true);
    expect(
      all.some(({ command }) => elsewhere(command)?.[0] === begins),
      "and still told of",
    ).toBe(true);
  });
});

const INTERNAL_TOKEN = "a token of servers of one operator";

describe("run in one service", () => {
  let service: Service & { database_url: string };
  let keys: Record<"tenant" | "agent", string>;
  let settings: Record<string, string>;
  let vault: FreshDatabase;
  beforeAll(async () => {
    vault = await freshDatabase();
    service = await startService({
      chain: "embedded",
      reactors: true,
      areas: areasWithoutBets,
      vault: vault.url,
      env: { ANCHORING: "1", CHECKPOINT_SECONDS: "1", ANCHOR_SECONDS: "1", INTERNAL_TOKEN },
    });
    await openSandbox(service);
    await until(async () => (await fetch(`${service.url}/log/checkpoint`)).ok);
    await sealFirst(service.app);
    const agent = await fetch(`${service.url}/soul/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ agent_id: "my-agent", display_name: "Mine", issue_api_key: true }),
    });
    const { api_key } = (await agent.json()) as { api_key: string };
    const scopes = ["read", "quote", "order", "skill"] as const;
    const { secret } = await service.issue({ tenant: "acme", space: "test", scopes: [...scopes] });
    keys = { tenant: secret, agent: api_key };
    settings = {
      DATABASE_URL: service.database_url,
      SUBJECT_KEYS_URL: vault.url,
      DATA_DIR: service.data_dir,
      ALLOW_SYNTHETIC: "1",
    };
  });
  afterAll(async () => {
    await service?.stop();
    await vault?.drop();
  });

  /** Placeholders, as readers fill them in. */
  const filledIn = (command: string) =>
    command
      .replaceAll(/http:\/\/(127\.0\.0\.1|localhost):3000|\$URL|…(?=\/v1\/)/g, service.url)
      .replaceAll(/sk_(test|live)?_?…|\$KEY/g, command.includes("/soul/") ? keys.agent : keys.tenant)
      .replaceAll("$INTERNAL_TOKEN", INTERNAL_TOKEN)
      .replaceAll("$(uuidgen)", crypto.randomUUID())
      .replaceAll("$ITEM", "0".repeat(32))
      .replace("wait_s=30", "wait_s=0")
      .replaceAll(/-o \S+/g, "");
  const isWhole = (command: string) => !/"…"|\{…\}|\$ITEM|\$PAYMENT/.test(command);

  const calls = unique(all.flatMap(({ command }) => (command.startsWith("curl") ? command : [])));
  test.each(calls)("%s", async (command) => {
    const { stdout } = await run(
      "sh",
      ["-ec", `${filledIn(command)} -s -o /dev/null -w '%{http_code} %header{x-request-id}'`],
      { cwd: service.data_dir },
    );
    const [status, request_id] = stdout.split(" ");
    const line = await until(
      () => service.logged.find((one) => one.request_id === request_id && one.status !== undefined) ?? false,
    );
    expect(line.operation, "an operation of this service").not.toBe("none");
    // A command with a placeholder may be refused for that, and for nothing else.
    if (isWhole(command)) expect(status).toMatch(/^2/);
    else expect(["200", "400", "402", "404"]).toContain(status);
  });

  /** Runs our command in this process, like src/main.ts. */
  async function tallystick(words: string[]): Promise<string> {
    let said = "";
    const spies = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, "write").mockImplementation((text) => (said += text).length > 0),
    );
    const terminal = { ...silent, settings: () => patientConfig(settings) };
    try {
      const root = await program(terminal, words[0]);
      await root.parseAsync(words, { from: "user" });
      expect(process.exitCode ?? 0, said).toBe(0);
      return said;
    } finally {
      for (const spy of spies) spy.mockRestore();
      process.exitCode = undefined;
    }
  }

  test("our own commands, in an operator's order", async () => {
    await until(async () => {
      const { anchor } = (await (await fetch(`${service.url}/log/status`)).json()) as {
        anchor: object | null;
      };
      return anchor !== null;
    });
    const { sx_id } = (await (await fetch(`${service.url}/soul/my-agent`)).json()) as { sx_id?: string };
    const log = join(service.data_dir, "log.ndjson");
    const values: [RegExp | string, string][] = [
      [/^log\.ndjson/, log],
      [/^rest\.ndjson/, join(service.data_dir, "rest.ndjson")],
      // One event is sealed here.
      [/^3145729$/, "2"],
      [/^SX#42$/, sx_id ?? "SX#1"],
      [/^NAME$/, "acme"],
    ];
    const ran: string[] = [];
    for (const [command, says] of STORY) {
      const words = argumentsOf(command).map((word) =>
        values.reduce((text, [part, value]) => text.replace(part, value), word),
      );
      expect(await tallystick(words), command).toMatch(says);
      ran.push(command);
    }
    const lines = unique(
      ours.filter(({ in_block }) => in_block).map(({ command }) => command.replace(/^bin\//, "")),
    );
    const left = lines.filter(
      (command) => !ran.includes(command) && !elsewhere(command) && isForHere(command),
    );
    expect(left, "commands that no test runs").toEqual([]);
  });
});

/** With the reader's own chain or key: the same command is in the story without them. */
const isForHere = (command: string) => !command.includes("https://mainnet.base.org");

/** Runs a command; returns its output. */
const STORY: [command: string, says: RegExp][] = [
  ["tallystick keys issue --tenant NAME", /sk_live_/],
  ["tallystick anchor deploy", /0x[0-9a-f]{40}/],
  ["tallystick anchor status", /^anchored/m],
  ["tallystick anchor status --chain", /^contract/m],
  ["tallystick payments books", /./],
  ["tallystick export log.ndjson", /log/],
  ["tallystick export log.ndjson.gz", /log/],
  ["tallystick export rest.ndjson.gz --from 3145729", /events; head/],
  ["tallystick verify", /verified/],
  ["tallystick verify log.ndjson", /verified/],
  ['tallystick agents suspend SX#42 --reason "keys leaked"', /suspended/],
  ['tallystick agents reinstate SX#42 --reason "keys rotated"', /reinstated|active|registered|proven/],
  ['tallystick agents revoke SX#42 --reason "fraud"', /revoked/],
  ["tallystick agents erase SX#42", /Erased/],
];
