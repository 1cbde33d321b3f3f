/**
 * Records a fixture of a release: a small log with events of most areas, as a dump of its database and as an export, with
 * answers over it. upgrade.long.test.ts opens it with the current code.
 *
 *     npx tsx test/upgrade/make.ts <checkout of the release> <folder> <URL of an empty database>
 *
 * It uses only HTTP and the command line of the release, which needs its node_modules.
 * The `pg_dump` in PATH must not be older than the database's server.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { mnemonicToAccount } from "viem/accounts";
import { buy } from "../support/buyer.ts";

const [checkout, folder, database] = process.argv.slice(2);
if (!checkout || !folder || !database)
  throw new Error("usage: npx tsx test/upgrade/make.ts <checkout> <folder> <URL of an empty database>");

const run = promisify(execFile);
const MOST_MS = 300_000;
const PORT = "38917";
const url = `http://127.0.0.1:${PORT}`;
const data_dir = await mkdtemp(join(tmpdir(), "tallystick-upgrade-"));
const { privateKey } = generateKeyPairSync("ed25519");
/** They protect only this fixture. */
const settings = {
  LOG_ORIGIN_HOST: "upgrade.example",
  SIGNING_KEY: privateKey.export({ type: "pkcs8", format: "der" }).toString("base64"),
  SEED_SECRET: "what the seeds of this fixture are made from",
};
const process_env = {
  ...{ ...process.env, ...settings, PORT, DATABASE_URL: database, DATA_DIR: data_dir },
  ...{ CHECKPOINT_SECONDS: "2", ANCHOR_SECONDS: "5", SANDBOX: "0", ALLOW_SYNTHETIC: "1" },
};
const program = join(resolve(checkout), "bin/tallystick");
const command = async (...args: string[]) =>
  (await run(process.execPath, [program, ...args], { cwd: checkout, env: process_env })).stdout;

async function issued(tenant: string): Promise<{ key_id: string; secret: string }> {
  const scopes = "read,quote,order,admin";
  const quotas = ["--daily", "none", "--monthly", "none"];
  return JSON.parse(
    await command("keys", "issue", "--tenant", tenant, "--scopes", scopes, ...quotas, "--json"),
  );
}

/** The result of `look`, once it has one. */
async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  let reason: unknown;
  for (const deadline = Date.now() + MOST_MS; Date.now() < deadline; await sleep(200)) {
    try {
      const seen = await look();
      if (seen !== undefined) return seen;
    } catch (error) {
      reason = error;
    }
  }
  throw new Error(`it took too long: ${what}`, { cause: reason });
}

type Asker = (path: string, body?: object) => Promise<string>;

const asker =
  (secret: string): Asker =>
  async (path, body) => {
    const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
    const init = body ? { method: "POST", body: JSON.stringify(body) } : {};
    const answer = await fetch(url + path, { ...init, headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return text;
  };

type Facts = Record<string, string>;
const factsOf = (text: string) => (JSON.parse(text) as { data: Facts }).data;

/** Records something of most areas. Returns the paths whose answers are stored. */
async function live(ask: Asker): Promise<string[]> {
  const payer = mnemonicToAccount("test test test test test test test test test test test junk");
  const payee = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
  const order = async (path: string, body: object) => factsOf(await ask(path, body));

  const roll = { client_seed: "words of the caller", game_type: "dice", params: { sides: 20 } };
  const { seed_hash } = await until("no seed became active", () => order("/v1/agent/rng/roll", roll));
  await order("/v1/agent/rng/anchor/commit", { seed_hash });
  const check = { from: payer.address, to: payee, amount: "12.50", valid_days: 365 };
  const { check_id } = await until("no check was made", () => order("/v1/agent/checks/create", check));
  const taken_back = await order("/v1/agent/checks/create", { ...check, amount: "1" });
  await order("/v1/agent/checks/cancel", { check_id: taken_back.check_id, issuer_address: payer.address });
  const hook = { url: "https://agent.example.org/hooks/trade", reporter: "DE", flow: "IMPORT" };
  const { subscription_id } = await order("/v1/agent/trade/alerts/subscribe", hook);
  const airdrop = await order("/v1/agent/wallet/airdrop", { recipients: [payee], amount_each: "12.5" });
  const { payment, answer } = await buy(payer, `${url}/v1/agent/rng/seed`);
  if (!answer.ok) throw new Error(`the payment bought ${answer.status}: ${await answer.text()}`);

  const { from, nonce } = payment.authorization;
  const usdc = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
  const dropped = `/v1/agent/wallet/airdrop/${airdrop.airdrop_id}`;
  await until("the airdrop was not paid", async () =>
    factsOf(await ask(dropped)).status === "paid" ? true : undefined,
  );
  await until("nothing was anchored", async () => {
    const { anchors } = JSON.parse(await ask("/log/anchors")) as { anchors: object[] };
    return anchors[0];
  });
  return [
    dropped,
    `/v1/agent/payments/eip155:8453:${usdc}:${from.toLowerCase()}:${nonce}`,
    `/v1/agent/checks/verify/${check_id}`,
    `/v1/agent/checks/verify/${taken_back.check_id}`,
    "/v1/agent/checks/list",
    `/v1/agent/trade/alerts/status/${subscription_id}`,
    "/v1/agent/rng/seed",
    "/v1/agent/rng/history",
    "/v1/agent/rng/anchor/history",
    "/v1/agent/replay/wal-since?since=2020-01-01T00:00:00Z&proof=true",
  ];
}

async function ended(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null) return;
  const gone = new Promise((done) => service.once("exit", done));
  service.kill("SIGTERM");
  await gone;
}

/** Only statements: a line that begins with a backslash is for psql. */
async function dumped(): Promise<string> {
  const options = ["--no-owner", "--no-privileges", "--rows-per-insert=100"];
  const { stdout } = await run("pg_dump", [...options, database!], { maxBuffer: 1 << 28 });
  return stdout.replace(/^\\.*\n/gm, "");
}

try {
  await command("sandbox", "--scale", "0.01");
  const revoked = await issued("acme");
  await command("keys", "revoke", revoked.key_id);
  const { secret } = await issued("acme");
  const ask = asker(secret);
  const service = spawn(process.execPath, [program, "serve"], {
    ...{ cwd: checkout, env: process_env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const answers: { path: string; answer: string }[] = [];
  try {
    await until("the service does not answer", () => ask("/log/key"));
    for (const path of await live(ask)) answers.push({ path, answer: await ask(path) });
  } finally {
    await ended(service);
  }
  await mkdir(folder, { recursive: true });
  const pack = join(folder, "log.ndjson.gz");
  await rm(pack, { force: true });
  await command("export", pack);
  await writeFile(join(folder, "database.sql.gz"), gzipSync(await dumped(), { level: 9 }));
  await writeFile(join(folder, "told.json"), `${JSON.stringify({ settings, secret, answers }, null, 2)}\n`);
} finally {
  await rm(data_dir, { recursive: true, force: true });
}
