/** Results that the service checks: right ones are accepted, wrong ones cost, and a dispute has a winner. */
import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportFile } from "../../eventstore/files/export.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import * as tasks from "../../src/domain/compute/task.ts";
import * as account from "../../src/domain/payments/account.ts";
import { decideDispute } from "../../src/operator/disputes.ts";
import { auditReactor } from "../../src/reactors/compute/audit.ts";
import { seedsReactor } from "../../src/reactors/rng/reactor.ts";
import { expectBooks } from "../support/books.ts";
import { headerV1, signPayment } from "../support/buyer.ts";
import { turn } from "../support/turns.ts";
import { wallet } from "../support/wallets.ts";
import {
  type ComputeSetup,
  chainOf,
  kindOf,
  openComputeSetup,
  sha256,
  type TestNode,
} from "./compute-setup.ts";

let setup: ComputeSetup;
let node: TestNode;
beforeAll(async () => {
  setup = await openComputeSetup();
  node = await setup.node("worker-one");
});
afterAll(() => setup.service.stop());

const input = { seed: sha256("seed"), n: 5 };

async function leasedTask(tenant: string, more: object = {}) {
  const headers = await setup.requester(tenant);
  const task = { task_type: "sha256-chain", input_data: input, max_price_usd: 0.02, ...more };
  await setup.submit(headers, task);
  return { headers, task: await node.pull("?wait_s=30") };
}

const checked = async () => {
  await setup.folded();
  expect(await turn(setup.app, auditReactor)).toEqual({ status: "done" });
};

test("a right result is re-run, accepted and paid, and the log has its receipt", async () => {
  const { headers, task } = await leasedTask("right");
  expect(await node.gives(task, chainOf(input))).toMatchObject({
    status: 200,
    body: { status: "submitted" },
  });
  expect((await setup.ask(headers, "/soul/compute/settle", { task_id: task.task_id })).body.type).toContain(
    "#not-due",
  );
  await checked();
  const shown = await setup.ask(headers, `/soul/compute/status/${task.task_id}`);
  expect(shown.body).toMatchObject({
    status: "accepted",
    audit: "valid",
    receipt: { kid: node.kid },
    result: chainOf(input),
  });
  const paid = await node.post("/soul/compute/settle", { task_id: task.task_id });
  expect(paid.body).toMatchObject({ status: "settled", price_usd: "0.001", provider_usd: "0.0009" });
});

test("a wrong result is refunded, and the node loses its own money for it", async () => {
  const { task } = await leasedTask("cheated");
  const before = await setup.account(`soul:${node.sx}`);
  await node.gives(task, { hash: "00".repeat(32) });
  await checked();
  const state = await setup.task("cheated", task.task_id);
  expect(state).toMatchObject({
    status: "refunded",
    audit: { verdict: "mismatch", expected_sha256: sha256(JSON.stringify(chainOf(input))) },
  });
  // The node had 900 from the task before; the price was 1,000.
  expect(before.available - (await setup.account(`soul:${node.sx}`)).available).toBe(900);
  expect(await setup.account("cheated")).toMatchObject({ available: 1_000_900, held: 0 });
  await setup.folded();
  const status = await node.get(`/soul/node/status/${node.agent_id}`);
  expect(status.body).toMatchObject({ slashes: 1, valid_audits: 0 });
});

test("a checkable result needs its worker's receipt, and a forged one leaves the lease", async () => {
  const { task } = await leasedTask("signed");
  const stranger = await setup.node("stranger");
  // A stranger's call learns a task's owner only from the list.
  await setup.folded();
  const refused = [
    node.gives(task, chainOf(input), { receipt: undefined }),
    node.gives({ ...task, attempt: 2 }, chainOf(input)),
    node.gives({ ...task, input_sha256: sha256("else") }, chainOf(input)),
    stranger.gives(task, chainOf(input)),
  ];
  const results = (await Promise.all(refused)).map(({ status, body }) => [
    status,
    String(body.type).split("#")[1],
  ]);
  expect(results).toEqual([
    [400, "receipt-refused"],
    [400, "receipt-refused"],
    [400, "receipt-refused"],
    [409, "stale-lease"],
  ]);
  expect((await setup.task("signed", task.task_id)).status).toBe("leased");
  expect((await node.gives(task, chainOf(input))).status).toBe(200);
  await checked();
});

test("inputs of built-in kinds are checked before any money is held, each field by name", async () => {
  const headers = await setup.requester("mistaken");
  const bad = {
    task_type: "sha256-chain",
    input_data: { seed: "short", n: 0, more: 1 },
    max_price_usd: 0.02,
  };
  const answer = await setup.submit(headers, bad);
  expect(answer.status).toBe(400);
  expect(answer.body.errors.map((one: { path: string }) => one.path)).toEqual(
    expect.arrayContaining(["input_data.seed", "input_data.n"]),
  );
  for (const [more, path] of [
    [{ max_price_usd: 0.0001 }, "max_price_usd"],
    [{ limit_s: 61 }, "limit_s"],
    [{ task_type: "own-kind", verify: "rerun" }, "verify"],
  ] as const)
    expect(
      (
        await setup.submit(headers, {
          task_type: "sha256-chain",
          input_data: input,
          max_price_usd: 0.02,
          ...more,
        })
      ).body.errors,
    ).toMatchObject([{ path }]);
  expect(await setup.account("mistaken")).toMatchObject({ available: 1_000_000, held: 0 });
});

test("a worker without a bond gets a 402 for exactly the bond, and a payment with the agent's key brings it", async () => {
  const poor = await setup.node("without-a-bond", { hourly_rate_usd: 1.2 });
  const tenant = `soul:${poor.sx}`;
  const headers = await setup.requester("disputed-by-the-poor", 250_000);
  const { body } = await setup.submit(headers, { max_price_usd: 0.25, assign: `agent:${poor.agent_id}` });
  const { task_id } = body;
  await setup.folded();
  await poor.gives(await poor.pull("?wait_s=30"), { opinion: "good" });
  await setup.ask(headers, "/soul/compute/settle", { task_id, accept: false });
  const path = "/soul/compute/dispute";

  const answer = await poor.post(path, { task_id });
  // A tenth of 1.20 · 600 / 3600.
  expect([answer.status, answer.body.accepts?.[0].maxAmountRequired]).toEqual([402, "20000"]);
  expect((await setup.task("disputed-by-the-poor", task_id)).status).toBe("rejected");
  // The key decides the account.
  expect((await setup.pays(wallet(4), { task_id }, {}, path)).status).toBe(401);
  expect((await setup.ask(headers, path, { task_id })).status).toBe(403);

  const paid = await setup.pays(wallet(4), { task_id }, poor.headers, path);
  expect(paid).toMatchObject({ status: 200, body: { status: "disputed" } });
  expect(await setup.account(tenant)).toMatchObject({ credited: 20_000, available: 0, held: 20_000 });
  // The requester posted the rest of its account.
  expect(await setup.account("disputed-by-the-poor")).toMatchObject({ available: 0, held: 250_000 });
  expect((await setup.task("disputed-by-the-poor", task_id)).dispute).toMatchObject({
    bond_micro: 20_000,
    requester_bond_micro: 0,
  });
  await expectBooks(setup.app);

  // A disputed task takes no second bond.
  const another = headerV1(await signPayment(wallet(4), answer.body.accepts[0]));
  const again = await poor.post(path, { task_id }, another);
  expect(kindOf(again)).toEqual([409, "task-state"]);
  expect(await poor.post(path, { task_id })).toMatchObject({ status: 200, body: { status: "disputed" } });
  expect((await setup.account(tenant)).credited).toBe(20_000);
});

test("if accounts take no payments, a bond comes from the balance only", async () => {
  const poor = await setup.node("with-closed-accounts");
  const headers = await setup.requester("closed-later");
  const { body } = await setup.submit(headers, { assign: `agent:${poor.agent_id}` });
  const { task_id } = body;
  await setup.folded();
  await poor.gives(await poor.pull("?wait_s=30"), { opinion: "good" });
  await setup.ask(headers, "/soul/compute/settle", { task_id, accept: false });
  const { custody } = setup.app.settings;
  custody.open = false;
  try {
    expect(kindOf(await poor.post("/soul/compute/dispute", { task_id }))).toEqual([503, "custody-off"]);
    await setup.requester(`soul:${poor.sx}`, 10_000);
    expect((await poor.post("/soul/compute/dispute", { task_id })).body.status).toBe("disputed");
  } finally {
    custody.open = true;
  }
});

test("after enough right results a draw decides on the check, and anybody can repeat the draw", async () => {
  await setup.app.pool.query("update read.compute_nodes_v3 set valid_audits = 1000000 where sx = $1", [
    node.sx,
  ]);
  // Enough at stake that a task's price is next to nothing.
  const rich = account.credit({
    source: "task:rich",
    amount_micro: 90_000_000_000,
    at: new Date().toISOString(),
  });
  await setup.app.decide(account, account.targetOf(`soul:${node.sx}`), rich, { meta: { actor: "test" } });
  const { secret, seed_hash } = await setup.activeSeed();
  const { task } = await leasedTask("drawn");
  await node.gives(task, chainOf(input));
  await checked();
  const { accepted, audit } = await setup.task("drawn", task.task_id);
  const draw = accepted!.draw!;
  const { receipt, output_sha256, seed } = (await setup.task("drawn", task.task_id)).result!;
  expect(seed).toMatchObject({ space: "live", seed_hash });
  const own = `${task.task_id}:${output_sha256}:${sha256(receipt!.signature)}`;
  const message = `v1:soul:${node.sx}:audit:${own}:1:0`;
  // Numbers below 1,000,000 come from three bytes at a time, repeated from the largest multiple up.
  const bytes = createHmac("sha256", secret).update(message).digest();
  const limit = 2 ** 24 - (2 ** 24 % 1_000_000);
  const first =
    [0, 3, 6].map((from) => bytes.readUIntBE(from, 3)).find((value) => value < limit)! % 1_000_000;
  expect(draw).toMatchObject({ seed_hash, nonce: 1, audits: first < draw.p_micro });
  expect([accepted!.by, audit === null]).toEqual(draw.audits ? ["audit", false] : ["draw", true]);
});

/** The active seed is revealed on time, even without a roll. */
const revealed = () =>
  setup.later(2 * setup.app.settings.seeds.seconds, async () => {
    await turn(setup.app, seedsReactor);
  });

test("a draw uses the seed of its result's time, even if that is revealed before the draw", async () => {
  const { secret, seed_hash } = await setup.activeSeed();
  const { task } = await leasedTask("late");
  await node.gives(task, chainOf(input));
  await revealed();
  const next = await setup.activeSeed();
  expect(next.seed_hash).toBe(secret.toString("hex"));
  await checked();
  const { accepted, audit } = await setup.task("late", task.task_id);
  expect((accepted?.draw ?? audit?.draw)?.seed_hash).toBe(seed_hash);
});

const python = spawnSync("python3", ["--version"]).status === 0;
test.skipIf(!python)(
  `docs/vectors/draws.py repeats every audit's draw from an export${python ? "" : " (skipped: no python3 here)"}`,
  async () => {
    const script = fileURLToPath(new URL("../../docs/vectors/draws.py", import.meta.url));
    const dir = await mkdtemp(join(tmpdir(), "tallystick-draws-"));
    const file = join(dir, "export.ndjson");
    const check = () => spawnSync("python3", [script, file], { encoding: "utf8" });
    try {
      await exportFile(setup.app.pool, { log_id: MAIN_LOG }, file);
      expect(check()).toMatchObject({
        stdout: "ok 2 drawn again, 0 waiting for their seed, 0 void\n",
        stderr: "",
      });
      const text = await readFile(file, "utf8");
      for (const [from, to] of [
        ['\\"audits\\":false', '\\"audits\\":true'],
        [/(\\"receipt\\":\{.*?\\"seed\\":\{.*?\\"index\\":)\d+/, "$19"],
      ] as const) {
        const forged = text.replace(from, to);
        expect(forged).not.toBe(text);
        await writeFile(file, forged);
        expect(check().stderr).toMatch(/^FAIL the (draw|result) at /);
      }
    } finally {
      await rm(dir, { recursive: true });
    }
  },
);

test("a dispute's winner gets the other side's bond", async () => {
  for (const verdict of ["worker", "requester"] as const) {
    const tenant = `dispute-${verdict}`;
    const { headers, task } = await leasedTask(tenant, { task_type: "opinion", input_data: {} });
    const { task_id } = task;
    await node.gives(task, { opinion: "good" });
    await setup.ask(headers, "/soul/compute/settle", { task_id, accept: false });
    const before = (await setup.account(`soul:${node.sx}`)).available;
    expect((await node.post("/soul/compute/dispute", { task_id })).body.status).toBe("disputed");
    expect((await setup.account(tenant)).available).toBe(1_000_000 - 20_000 - 10_000);
    const decided = await decideDispute(setup.app, task_id, { verdict, reason: "we looked at it" });
    expect(decided.status).toBe(verdict === "worker" ? "accepted" : "refunded");
    if (verdict === "worker") await node.post("/soul/compute/settle", { task_id });
    const won = (await setup.account(`soul:${node.sx}`)).available - before;
    expect([verdict, won]).toEqual([verdict, verdict === "worker" ? 10_000 + 9_000 : -10_000]);
    const back = verdict === "worker" ? 1_000_000 - 10_000 - 10_000 : 1_000_000 + 10_000;
    expect(await setup.account(tenant)).toMatchObject({ available: back, held: 0 });
    expect(
      tasks.existing(await setup.app.load(tasks, tasks.targetOf(tenant, task_id))).dispute?.decided,
    ).toMatchObject({ verdict });
  }
});

test("a dispute over a built-in kind is decided by a re-run", async () => {
  for (const [verdict, output] of [
    ["worker", chainOf(input)],
    ["requester", { hash: "00".repeat(32) }],
  ] as const) {
    const tenant = `rerun-${verdict}`;
    const { headers, task } = await leasedTask(tenant, { verify: "requester" });
    const { task_id } = task;
    await node.gives(task, output);
    await setup.ask(headers, "/soul/compute/settle", { task_id, accept: false });
    expect((await node.post("/soul/compute/dispute", { task_id })).body.status).toBe("disputed");
    await checked();
    const { status, dispute } = await setup.task(tenant, task_id);
    expect([status, dispute?.decided]).toEqual([
      verdict === "worker" ? "accepted" : "refunded",
      expect.objectContaining({ by: "rerun", verdict }),
    ]);
    const back = verdict === "worker" ? 1_000_000 - 20_000 - 10_000 : 1_000_000 + 10_000;
    expect((await setup.account(tenant)).available).toBe(back);
  }
});
