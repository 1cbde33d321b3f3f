/**
 * Tasks paid by x402 and done by three processes of `tallystick work` that are killed at random: each is settled or
 * refunded once, the books agree, and a stranger verifies the receipts. COMPUTE_TASKS=500 gives the promised size.
 */
import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forEach } from "../../src/core/coordination/concurrency.ts";
import { walletTenant } from "../../src/domain/payments/payment.ts";
import { expectBooks } from "../support/books.ts";
import { scaled } from "../support/scale.ts";
import { until } from "../support/until.ts";
import { walletProof } from "../support/wallet-proof.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { type ComputeSetup, openComputeSetup, sha256 } from "./compute-setup.ts";
import { startWork, type WorkProcess } from "./work-process.ts";

const TASKS = scaled(6, 2);
const KILLS = Math.ceil(TASKS / 10);
const PRICE_MICRO = 1_000;

const stranger = new URL("../clients/receipts.mjs", import.meta.url).pathname;
const payer = wallet(5);
const tenant = walletTenant(addressOf(payer));

let setup: ComputeSetup;
const workers: WorkProcess[] = [];
beforeAll(async () => {
  setup = await openComputeSetup({ reactors: true });
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.clear()));
  await setup.service.stop();
});

const taskOf = (n: number) =>
  [
    { task_type: "js", input_data: { code: "return args.map((x) => x * x)", args: [n, n + 0.5] } },
    { task_type: "sql", input_data: { query: `select range * ${n} as times from range(3)` } },
    // Long enough to kill its worker during the run.
    { task_type: "sha256-chain", input_data: { seed: sha256("seed"), n: 300_000 + n } },
  ][n % 3]!;

async function hire(n: number, dir?: string): Promise<WorkProcess> {
  const worker = await startWork(setup.service.url, `killed-${n}`, ["--concurrency", "2"], dir);
  workers.push(worker);
  await worker.tells("online");
  return worker;
}

/** Kills workers one by one at random moments; each restarts as the same agent. */
async function killAtRandom(staff: WorkProcess[]): Promise<void> {
  for (let kills = 0; kills < KILLS; kills++) {
    await pause(randomInt(1_500));
    const at = randomInt(staff.length);
    staff[at]!.signal("SIGKILL");
    await staff[at]!.ended;
    staff[at] = await hire(at, staff[at]!.dir);
  }
}

/** Reports silence at once instead of after a minute and a half. */
const tellSilence = () =>
  setup.app.pool.query(
    `update read.compute_tasks_v4 t set leased_at = leased_at - interval '2 minutes'
      where status = 'leased' and leased_at < now() - interval '5 seconds'
        and not exists (select from compute.leases_heard h where h.lease_sha256 = t.lease_sha256 and h.heard_at > now() - interval '60 seconds')`,
  );

/** A task as its owner sees it. */
async function shown(task_id: string) {
  const url = `${setup.service.url}/soul/compute/status/${task_id}`;
  const answer = await fetch(url, { headers: await walletProof(payer, url, { method: "GET" }) });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { result: unknown; receipt: object };
}

const verified = (answer: object) =>
  new Promise<{ ok: boolean; said: string }>((done) => {
    const child = execFile(process.execPath, [stranger], (error, said) => done({ ok: error === null, said }));
    child.stdin!.end(JSON.stringify(answer));
  });

test(`${TASKS} tasks paid by a wallet, ${KILLS} kills among three workers: each settled or refunded once, to the micro-unit`, async () => {
  const tasks = Array.from({ length: TASKS }, (_, n) => taskOf(n));
  const staff = await Promise.all([0, 1, 2].map((n) => hire(n)));
  const killing = killAtRandom(staff);
  const ids = await forEach(tasks, async (task) => {
    const { status, body } = await setup.pays(payer, { ...task, max_price_usd: 0.02 });
    expect([status, body.detail]).toEqual([201, undefined]);
    return body.task_id as string;
  });
  for (const id of ids)
    await until(async () => {
      await tellSilence();
      return /^(?:settled|dead_lettered)$/.test((await setup.task(tenant, id)).status);
    });
  await killing;

  const stories = await forEach(ids, (id) => setup.storyOf(tenant, id));
  for (const story of stories)
    expect(story.filter((type) => type === "TaskSettled" || type === "TaskRefunded")).toHaveLength(1);
  const settled = ids.filter((_, at) => stories[at]!.includes("TaskSettled"));
  expect(await setup.account(tenant)).toMatchObject({
    credited: TASKS * 20_000,
    available: TASKS * 20_000 - settled.length * PRICE_MICRO,
    held: 0,
    spent: settled.length * PRICE_MICRO,
  });
  await setup.folded();
  const { rows } = await setup.app.pool.query(
    "select tenant from read.accounts_v2 where held <> 0 or debt <> 0 or credited - reversed <> available + held + spent + withdrawn - debt",
  );
  expect(rows).toEqual([]);
  const earned = await setup.app.pool.query<{ sum: string }>(
    "select sum(credited)::text as sum from read.accounts_v2 where tenant like 'soul:%'",
  );
  expect(earned.rows).toEqual([{ sum: String(settled.length * (PRICE_MICRO - PRICE_MICRO / 10)) }]);
  await expectBooks(setup.app);

  const sx_ids = workers.flatMap((worker) => worker.linesOf("online").map(({ sx_id }) => sx_id as string));
  const passports = await forEach([...new Set(sx_ids)], (id) =>
    setup.ask({}, `/soul/passport/${encodeURIComponent(id)}`),
  );
  const keys = passports.flatMap(({ body }) => body.keys);
  const receipts = await forEach(settled, async (task_id) => {
    const { result, receipt } = await shown(task_id);
    return { ...tasks[ids.indexOf(task_id)]!, task_id, result, receipt };
  });
  const all = await verified({ keys, tasks: receipts });
  expect(all).toEqual({ ok: true, said: `${settled.length} of ${settled.length} receipts verified\n` });
  const one = receipts[0]!;
  const other = receipts.at(-1)!;
  const bent = [
    [{ result: other.result }, "output_sha256 is"],
    [{ input_data: other.input_data }, "input_sha256 is"],
    [{ task_id: other.task_id }, "task_id is"],
    [{ receipt: { ...one.receipt, kid: "unknown" } }, "its key is in no passport"],
    [{ receipt: other.receipt }, "task_id is"],
    [{ receipt: { ...one.receipt, ended_at: "2026-01-01T00:00:00.000Z" } }, "ended_at is"],
  ] as const;
  for (const [more, why] of bent)
    expect(await verified({ keys, tasks: [{ ...one, ...more }] })).toEqual({
      ok: false,
      said: expect.stringContaining(`: ${why}`),
    });
});
