/**
 * A newcomer's first minutes: clone, install, start, first trade answer, and a second start.
 *
 *     npx tsx bench/first-start.ts [--of <checkout>] [--installed] [--rounds 3]
 *
 * Each round clones the checkout's commit (default: this one) into its own folder. `--installed` starts the
 * checkout itself, with a separate DATA_DIR. CPU-seconds are user and system time of all started processes: npm,
 * the service, Postgres and the chain.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../src/adapters/free-port.ts";
import { median } from "./service-process.ts";

const { values } = parseArgs({
  options: {
    of: { type: "string", default: resolve(import.meta.dirname, "..") },
    installed: { type: "boolean", default: false },
    rounds: { type: "string", default: "3" },
  },
});

const QUESTION = "/v1/agent/trade/top-partners?reporter=DE&limit=3";
const TICKS_PER_S = Number(execFileSync("getconf", ["CLK_TCK"]).toString());
const ASK_AGAIN_MS = 100;

type Measured = Record<string, number>;

const rounds: Measured[] = [];
for (let round = 0; round < Number(values.rounds); round++) {
  const folder = await mkdtemp(join(tmpdir(), "tallystick-first-"));
  // Postgres may run as another account, which needs access.
  await chmod(folder, 0o755);
  try {
    const measured = await roundIn(folder);
    console.log(JSON.stringify(measured));
    rounds.push(measured);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
console.log("\n| | median |\n|---|---|");
for (const name of Object.keys(rounds[0]!))
  console.log(`| ${name} | ${median(rounds.map((measured) => measured[name]!)).toFixed(2)} |`);

async function roundIn(folder: string): Promise<Measured> {
  const clone = values.installed ? values.of : join(folder, "clone");
  const measured: Measured = {};
  if (!values.installed) {
    execFileSync("git", ["clone", "--quiet", values.of, clone]);
    measured["npm ci, s"] = seconds(() => {
      execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: clone, stdio: "ignore" });
    });
  }
  measured["--help, s"] = seconds(() => {
    execFileSync(join(clone, "bin", "tallystick"), ["--help"], { stdio: "ignore" });
  });
  const data_dir = join(folder, "data");
  const first = await startIn(clone, data_dir);
  measured["healthy, s"] = first.healthy_s;
  measured["first trade answer, s"] = await first.answer();
  measured["first trade answer, CPU-s"] = await first.cpu_s();
  await first.stop();
  const second = await startIn(clone, data_dir);
  measured["second start healthy, s"] = second.healthy_s;
  measured["second start's first answer, s"] = await second.answer();
  measured["second start's first answer, CPU-s"] = await second.cpu_s();
  await second.stop();
  return measured;
}

function seconds(work: () => void): number {
  const begun = performance.now();
  work();
  return (performance.now() - begun) / 1000;
}

/** `npm start` in a clone, until it is healthy. */
async function startIn(clone: string, data_dir: string) {
  const port = await freePort(0);
  const url = `http://127.0.0.1:${port}`;
  const begun = performance.now();
  const since = () => (performance.now() - begun) / 1000;
  const child = spawn("npm", ["start"], {
    cwd: clone,
    env: { ...process.env, PORT: String(port), DATA_DIR: data_dir, LOG_LEVEL: "warn" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ask = (path: string, init?: RequestInit) => untilAsked(child, `${url}${path}`, init);
  await ask("/health");
  const healthy_s = since();
  return {
    healthy_s,
    answer: async () => {
      const key = await keyIn(child, data_dir);
      await ask(QUESTION, { headers: { Authorization: `Bearer ${key}` } });
      return since();
    },
    cpu_s: async () => (await startedBy(child.pid!, data_dir)).reduce((sum, pid) => sum + cpuOf(pid), 0),
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Repeats the request until the answer is neither a 503 nor from a starting service. */
async function untilAsked(child: ChildProcess, url: string, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
    const response = await fetch(url, init).catch(() => undefined);
    const text = await response?.text();
    if (response?.ok && !text!.includes('"starting"')) return response;
    if (response && response.status !== 503 && !response.ok)
      throw new Error(`${url}: ${response.status} ${text}`);
    await new Promise((wake) => setTimeout(wake, ASK_AGAIN_MS));
  }
}

async function keyIn(child: ChildProcess, data_dir: string): Promise<string> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
    const key = await readFile(join(data_dir, "sandbox.key"), "utf8").catch(() => "");
    if (key.endsWith("\n")) return key.trim();
    await new Promise((wake) => setTimeout(wake, ASK_AGAIN_MS));
  }
}

/** A process and its descendants; Postgres, which detaches, by its pid file. */
async function startedBy(pid: number, data_dir: string): Promise<number[]> {
  const postmaster = Number.parseInt(
    await readFile(join(data_dir, "postgres", "postmaster.pid"), "utf8").catch(() => ""),
    10,
  );
  const found = new Set([pid, ...(postmaster > 0 ? [postmaster] : [])]);
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const fields = statOf(Number(name));
      return fields ? [[Number(name), Number(fields[1])] as const] : [];
    });
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const [child, parent] of parents) if (found.has(parent)) found.add(child);
  }
  return [...found];
}

/** The fields of /proc/<pid>/stat after the name, which may have spaces; undefined once the process has ended. */
function statOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
  } catch {
    return undefined;
  }
}

/** User and system time of a process and its ended children, proc(5). */
function cpuOf(pid: number): number {
  const ticks = statOf(pid)?.slice(11, 15).map(Number) ?? [];
  return ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_S;
}
