/** A start with another secret: refused, until the operator gives the chains up and what was drawn from them is void. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSeedVault } from "../../src/adapters/seed-vault.ts";
import * as account from "../../src/domain/lounge/account.ts";
import * as seeds from "../../src/domain/rng/seeds.ts";
import { rngProjection } from "../../src/projections/rng/rng.ts";
import { seedsReactor } from "../../src/reactors/rng/reactor.ts";
import { buy } from "../support/buyer.ts";
import { startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { wallet } from "../support/wallets.ts";

const OTHER = "another secret, which makes none of the seeds that were published";
let service: Awaited<ReturnType<typeof startService>>;
let headers: Record<string, string>;
let dir: string;

beforeAll(async () => {
  const env = { SEED_SECRET: "the secret that the seeds of this log are made from" };
  service = await startService({ chain: "embedded", env });
  headers = (await service.issue({ tenant: "acme" })).headers;
  dir = await mkdtemp(join(tmpdir(), "tallystick-seeds-"));
  for (let n = 0; n < 5 && !(await active()); n++) await turn(service.app, seedsReactor);
});
afterAll(async () => {
  await service?.stop();
  await rm(dir, { recursive: true });
});

const active = async () => (await service.app.load(seeds, seeds.targetOf("live"))).active;
const init = (body: object, more: Record<string, string> = {}) => ({
  method: "POST",
  headers: { ...more, "Content-Type": "application/json" },
  body: JSON.stringify(body),
});
// biome-ignore lint/suspicious/noExplicitAny: the tests look at a few members
type Body = any;
async function ask(path: string, body: object): Promise<{ status: number; body: Body }> {
  const answer = await fetch(`${service.url}/v1/agent/${path}`, init(body, headers));
  return { status: answer.status, body: await answer.json() };
}
const balance = async () => (await service.app.load(account, account.targetOf("acme"))).balance;
const ATTO = 10n ** 18n;

test("two logs with one secret share no seed", () => {
  const [one, other] = ["log.example/1", "log.example/2"].map((origin) => openSeedVault(OTHER, origin, 3));
  const seedsOf = (vault = one!) => [
    vault.head("live", 1),
    ...[0, 1, 2].map((at) => vault.seed("live", 1, at)),
  ];
  const texts = [...seedsOf(one), ...seedsOf(other)].map((seed) => Buffer.from(seed).toString("hex"));
  expect(new Set(texts).size).toBe(8);
});

test("a bet without a client seed uses a value that nobody knew when the seeds were committed", async () => {
  const paid = await buy(wallet(3), `${service.url}/v1/agent/lounge/keno`, init({ numbers: [1, 2] }));
  const { data } = (await paid.answer.json()) as Body;
  expect(data.fairness.client_seed).toMatch(/^payment:0x[0-9a-f]{64}$/);
  const nonce = data.fairness.client_seed.slice("payment:".length);
  const payments = await service.app.pool.query("select 1 from eventstore.events where stream_id like $1", [
    `payment-%:${nonce}`,
  ]);
  expect(payments.rowCount).toBeGreaterThan(0);
  const { body } = await ask("lounge/roulette", { bet_type: "red" });
  const [, number, hash] = body.data.fairness.client_seed.split(":");
  const block = await service.app.chain.block(BigInt(number));
  expect(hash).toBe(block?.hash);
  const { rows } = await service.app.pool.query<{ at: number }>(
    "select committed->>'block_number' as at from read.rng_chains_v3 where space = 'live'",
  );
  expect(number).toBe(rows[0]!.at);
});

test("a start with another secret is refused, and `rng abandon` voids draws and refunds stakes", async () => {
  for (let n = 0; n < 4; n++) expect((await ask("lounge/roulette", { bet_type: "7" })).status).toBe(200);
  const { body: rolled } = await ask("rng/roll", { client_seed: "mine" });
  const { roll_id, seed_hash } = rolled.data;
  await service.app.caughtUp(rngProjection);
  const before = await balance();
  const { payouts } = await won();

  const start = startService({ beside: service, reactors: true, env: { SEED_SECRET: OTHER } });
  await expect(start).rejects.toThrow(/SEED_SECRET.*tallystick rng abandon/);
  expect(await active()).toMatchObject({ seed_hash });

  const right = "the secret that the seeds of this log are made from";
  await expect(abandon(right)).rejects.toThrow(/nothing is lost/);
  const { stdout } = await abandon(OTHER);
  expect(JSON.parse(stdout)).toMatchObject({
    chains: expect.arrayContaining([expect.objectContaining({ space: "live", reason: "lost" })]),
    refunded_accounts: 2,
  });
  expect(await balance()).toBe(100n * ATTO + payouts);
  expect(await balance()).toBe(before + 5n * ATTO);
  await service.app.caughtUp(rngProjection);
  const { body: proof } = await ask("rng/verify", { roll_id });
  expect(proof.data).toMatchObject({ valid: false, seed: null, voided_at: expect.any(String) });
  const page = await (await fetch(`${service.url}/rng`)).text();
  expect(page).toContain("Abandoned seeds");
  expect(page).toContain("7 rolls and bets");
  await expect(abandon(OTHER)).rejects.toThrow(/nothing is lost/);

  const next = await startService({ beside: service, reactors: true, env: { SEED_SECRET: OTHER } });
  await next.stop();
});

/** The account's winnings, from the log. */
async function won(): Promise<{ payouts: bigint }> {
  return { payouts: (await service.app.load(account, account.targetOf("acme"))).won };
}

const abandon = (SEED_SECRET: string) =>
  promisify(execFile)(
    process.execPath,
    [new URL("../../bin/tallystick", import.meta.url).pathname, "rng", "abandon", "--json"],
    { env: { PATH: process.env.PATH, DATABASE_URL: service.database_url, DATA_DIR: dir, SEED_SECRET } },
  );
