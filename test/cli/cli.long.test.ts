/** The command line for a newcomer: a new folder, the embedded database, with and without a running service. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { program } from "../../src/cli/program.ts";
import { PATIENT } from "../support/patience.ts";
import { until } from "../support/until.ts";
import { runIn, runWith } from "./command.ts";
import { runHere } from "./in-process.ts";

const bin = new URL("../../bin/tallystick", import.meta.url).pathname;
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-cli-"));
  await chmod(dir, 0o755);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const environment = (extra: Record<string, string> = {}) => ({
  ...PATIENT,
  PATH: process.env.PATH,
  HOME: dir,
  DATA_DIR: join(dir, "data"),
  PORT: "0",
  SANDBOX: "0",
  LOG_LEVEL: "warn",
  ...extra,
});

const run = (...args: string[]) => runHere(environment(), ...args);
/** The same as a separate process. */
const start = (args: string[], extra: Record<string, string> = {}) => runWith(environment(extra), ...args);

type Running = { url: string; process: ChildProcess; output: () => string; ended: Promise<number | null> };

/** `tallystick serve`, once it has greeted. */
function serve(extra: Record<string, string> = {}): Promise<Running> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [bin, "serve"], { env: environment(extra) });
    let output = "";
    const ended = new Promise<number | null>((end) => child.once("exit", end));
    const read = (chunk: Buffer) => {
      output += chunk;
      const url = /listens at (\S+)/.exec(output)?.[1];
      if (url && output.includes("\nReady: ")) done({ url, process: child, output: () => output, ended });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    void ended.then((code) => fail(new Error(`serve ended with ${code}: ${output}`)));
  });
}

test.runIf(process.platform === "linux")("the service uses sixteen of libuv's threads", async () => {
  const count = `process.on("exit", () => console.error(require("node:fs").readdirSync("/proc/self/task").length))`;
  const threads = async (size: string) => {
    await writeFile(join(dir, "count.cjs"), count);
    const request = { NODE_OPTIONS: `--require ${join(dir, "count.cjs")}`, UV_THREADPOOL_SIZE: size };
    return Number((await start(["keys", "--help"], request)).stderr.trim().split("\n").at(-1));
  };
  expect((await threads("")) - (await threads("4"))).toBe(12);
});

describe("without a running service", () => {
  test.each(["--help", "keys issue --help"])("%s shows its help", async (line) => {
    const { code, stdout } = await start(line.split(" "));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: tallystick/);
  });

  test("every command shows its help, loaded alone and without any settings", async () => {
    const refused = () => expect.unreachable("an explanation needs no settings");
    const terminal = { settings: refused, logger: refused };
    const withThose = (command: Command): Command[] => [command, ...command.commands.flatMap(withThose)];
    const names = (await program(terminal)).commands.map((command) => command.name());
    expect(names).toEqual(
      expect.arrayContaining(["keys", "payments", "anchor", "import", "verify", "serve"]),
    );
    for (const name of names) {
      const command = (await program(terminal, name)).commands.find((one) => one.name() === name)!;
      for (const one of withThose(command)) expect(one.helpInformation()).toMatch(/^Usage: tallystick/);
    }
  });

  test("a wrong variable is named, with its valid form", async () => {
    const { code, stderr } = await start(["keys", "list"], { PORT: "http", DATABASE_URL: "mysql://x" });
    expect(code).toBe(1);
    expect(stderr).toContain("PORT is a whole number from 0 to 65535");
    expect(stderr).toContain("DATABASE_URL is a Postgres URL");
    expect(stderr).not.toContain("at ");
  });

  test("settings come from .env in the folder, and the environment comes first", async () => {
    const folder = await mkdtemp(join(dir, "dotenv-"));
    await writeFile(join(folder, ".env"), "PORT=http\n");
    const list = (extra: Record<string, string | undefined>) =>
      runIn(folder, { ...environment(), ...extra }, "keys", "list");
    expect(await list({ PORT: undefined })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("PORT is a whole number from 0 to 65535"),
    });
    expect((await list({})).stderr).toContain("there is no log in");
  });

  test("a wrong option is named", async () => {
    expect((await run("keys", "issue", "--tenant", "Not Good")).stderr).toContain("lower-case letters");
    expect((await run("keys", "issue", "--tenant", "a", "--scopes", "reed")).stderr).toContain(
      "reed is not one of read",
    );
    expect((await start(["keys", "issue"])).stderr).toContain("--tenant");
  });

  test("keys are issued, listed and revoked, and the resulting log verifies", async () => {
    const issue = "keys issue --tenant acme --scopes read,quote --daily none --json";
    const issued = await start(issue.split(" "));
    const key = JSON.parse(issued.stdout) as { key_id: string; secret: string };
    expect(key.secret).toMatch(/^sk_live_[\w-]{43}$/);
    const listed = await run("keys", "list");
    expect(listed.stdout).toContain(key.key_id);
    expect(listed.stdout).not.toContain(key.secret);
    expect((await run("keys", "revoke", key.key_id)).stdout).toContain("is revoked since");
    expect((await run("keys", "revoke", "k_none")).stderr).toContain("there is no key k_none");
    const [{ revoked_at }] = (await run("keys", "list", "--json")).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)) as [{ revoked_at: string }];
    expect(revoked_at).toBeTruthy();

    const file = join(dir, "log.ndjson");
    const exported = await run("export", file);
    const twice = await run("export", file);
    expect(twice).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${file} exists: an export needs a new file\n`),
    });
    const head = /head (\S+)/.exec(exported.stderr)![1]!;
    expect((await run("verify", file, "--head", head)).code).toBe(0);
    expect((await run("verify")).stdout).toContain("verified");
    expect((await run("verify", "--read-models")).stdout).toContain("ok   read models");
    expect((await run("verify", file, "--read-models")).stderr).toContain("name no file");
    await writeFile(file, (await readFile(file, "utf8")).replace("acme", "evil"));
    const tampered = await run("verify", file);
    expect(tampered.code).toBe(1);
    expect(tampered.stdout).toMatch(/FAIL chain .*position 1/);
    // The embedded Postgres was started for a moment and is gone.
    expect(existsSync(join(dir, "data", "postgres", "postmaster.pid"))).toBe(false);
  });

  test("a reader that leaves after the first line is not a failure", async () => {
    const child = spawn(process.execPath, [bin, "docs"], { env: environment() });
    child.stdout.destroy();
    let text = "";
    child.stderr.on("data", (chunk) => {
      text += chunk;
    });
    expect(await new Promise((end) => child.once("exit", end))).toBe(0);
    expect(text).toBe("");
  });

  test("an unknown file is refused with its line", async () => {
    const file = join(dir, "bad.csv");
    await writeFile(file, "a,b,c\n1,2,3\n");
    const { code, stderr } = await run("import", file);
    expect(code).toBe(1);
    expect(stderr).toContain("line 1");
  });
});

describe("with the service running", () => {
  let service: Running;
  beforeAll(async () => {
    service = await serve();
  });
  afterAll(() => service.process.kill("SIGKILL"));

  const stopped = async (signal: NodeJS.Signals) => {
    service.process.kill(signal);
    return service.ended;
  };
  const isItsPostgresThere = () => existsSync(join(dir, "data", "postgres", "postmaster.pid"));

  test("commands join its database, and their changes show at once", async () => {
    const { stdout } = await run("keys", "issue", "--tenant", "joined", "--json");
    const { secret, key_id } = JSON.parse(stdout) as { secret: string; key_id: string };
    const ask = () =>
      fetch(`${service.url}/v1/agent/replay/wal-since?since=2026-01-01T00:00:00Z`, {
        headers: { Authorization: `Bearer ${secret}` },
      });
    expect(await (await ask()).text()).toContain(key_id);
    // Data are not ready yet: the question's answer says so and when to retry.
    const trade = await fetch(`${service.url}/v1/agent/trade/balance?reporter=DE`, {
      headers: { Authorization: `Bearer ${secret}` },
    });
    expect(trade.status).toBe(503);
    expect(trade.headers.get("retry-after")).toBeTruthy();
  });

  test("without the sandbox no key is made: the start and status say how to issue one", async () => {
    const { port } = new URL(service.url);
    const answer = await start(["status"], { PORT: port });
    expect(answer).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Ready: open http/) });
    for (const text of [answer.stdout, service.output()]) {
      expect(text).toContain("keys issue --tenant NAME");
      expect(text).not.toContain("sk_test_");
    }
    expect(existsSync(join(dir, "data", "sandbox.key"))).toBe(false);
    expect(await start(["status"], { PORT: "9" })).toMatchObject({
      code: 1,
      stderr:
        "nothing answers at http://127.0.0.1:9; `npm start` starts the service, and PORT or --url names another address\n",
    });
  });

  test("a used port is named", async () => {
    const { code, stderr } = await start(["serve"], { PORT: new URL(service.url).port });
    expect(code).toBe(1);
    expect(stderr).toMatch(/is taken: a Tallystick runs there already.*; set PORT/);
  });

  test("stopped under load, it finishes every answer that it began", async () => {
    const { stdout } = await run("keys", "issue", "--tenant", "caller", "--json");
    const { secret: key } = JSON.parse(stdout) as { secret: string };
    const ask = async () => {
      const response = await fetch(`${service.url}/v1/agent/replay/wal-since?since=2026-01-01T00:00:00Z`, {
        headers: { Authorization: `Bearer ${key}` },
      });
      return (await response.text()).trim().split("\n").at(-1) ?? "";
    };
    const following = fetch(
      `${service.url}/v1/agent/replay/wal-since?since=2026-01-01T00:00:00Z&follow=true`,
      {
        headers: { Authorization: `Bearer ${key}` },
      },
    );
    const followed = await following;
    let isOver = false;
    const lastLines: string[] = [];
    const refused: unknown[] = [];
    const callers = Array.from({ length: 16 }, async () => {
      while (!isOver) {
        await ask().then(
          (line) => lastLines.push(line),
          (error: Error) => refused.push((error.cause as { code?: string } | undefined)?.code),
        );
        if (refused.length > 0) return;
      }
    });
    await until(() => expect(lastLines.length).toBeGreaterThan(16));
    expect(await stopped("SIGTERM")).toBe(0);
    isOver = true;
    await Promise.all(callers);
    // A received answer is complete; the others never got a connection.
    for (const line of lastLines) expect(JSON.parse(line)).toMatchObject({ up_to_date: true });
    for (const code of refused) expect(["ECONNREFUSED", "ECONNRESET", "UND_ERR_SOCKET"]).toContain(code);
    // A following consumer gets its position.
    const tail = (await followed.text()).trim().split("\n").at(-1)!;
    expect(JSON.parse(tail)).toMatchObject({ cursor: expect.stringMatching(/^v1\./) });
    expect(isItsPostgresThere()).toBe(false);
  });

  test("the sandbox's key is in a file of mode 0600, in the start's last lines and in status; a restart keeps it", async () => {
    // A start that finds the data makes none.
    expect(await start(["sandbox", "--scale", "0.01"])).toMatchObject({ code: 0 });
    const path = join(dir, "data", "sandbox.key");
    service = await serve({ SANDBOX: "1" });
    const key = (await readFile(path, "utf8")).trim();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const { port } = new URL(service.url);
    // /ready also waits for the check of the log.
    const stdout = await until(async () => {
      const answer = await start(["status"], { SANDBOX: "1", PORT: port });
      expect(answer.stdout).toContain(`Sandbox key  ${key}`);
      return answer.stdout;
    });
    const commands = service.output().match(/^ {2}curl .*$/gm)!;
    expect(commands).toHaveLength(3);
    for (const command of commands) expect(stdout).toContain(command);
    const health = await new Promise<string>((done) =>
      execFile("sh", ["-c", commands[0]!], (_, answer) => done(answer)),
    );
    expect(JSON.parse(health)).toMatchObject({ success: true });
    expect(await stopped("SIGTERM")).toBe(0);
    service = await serve({ SANDBOX: "1" });
    expect(service.output()).toContain(`Sandbox key  ${key}`);
    expect(await stopped("SIGTERM")).toBe(0);
    service = await serve();
    expect(service.output()).not.toContain(key);
    expect((await start(["status"], { PORT: new URL(service.url).port })).stdout).not.toContain(key);
  });

  test("kill -9 leaves its Postgres running; the next start joins it and nothing acknowledged is lost", async () => {
    const { stdout } = await run("keys", "issue", "--tenant", "survivor", "--json");
    const { key_id } = JSON.parse(stdout) as { key_id: string };
    await stopped("SIGKILL");
    expect(isItsPostgresThere()).toBe(true);
    service = await serve();
    expect((await run("keys", "list", "--tenant", "survivor")).stdout).toContain(key_id);
    expect(await stopped("SIGINT")).toBe(0);
  });
});
