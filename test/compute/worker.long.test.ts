/**
 * `tallystick work` as real processes: it registers itself, works, is paid, survives network failures, and drains
 * cleanly.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runHere } from "../cli/in-process.ts";
import { until } from "../support/until.ts";
import { type ComputeSetup, chainOf, openComputeSetup, sha256 } from "./compute-setup.ts";
import { startWork, type WorkProcess } from "./work-process.ts";

let setup: ComputeSetup;
const workers: WorkProcess[] = [];
beforeAll(async () => {
  setup = await openComputeSetup({ reactors: true });
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.clear()));
  await setup.service.stop();
});

async function hire(agent: string, more: string[] = [], { url = setup.service.url, dir = "" } = {}) {
  const worker = await startWork(url, agent, more, dir || undefined);
  workers.push(worker);
  return worker;
}

const seed = sha256("seed");
const chain = (n: number) => ({ task_type: "sha256-chain", input_data: { seed, n } });

async function submit(headers: Record<string, string>, task: object): Promise<string> {
  const { status, body } = await setup.submit(headers, { max_price_usd: 0.02, ...task });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.task_id;
}

const shown = async (headers: Record<string, string>, task_id: string) =>
  (await setup.ask(headers, `/soul/compute/status/${task_id}`)).body;

/** Verifies a receipt's signature by docs/compute.md, without our code. */
function isSigned(text: string, jws: string, x: string): boolean {
  const [head, payload, signature] = jws.split(".") as [string, string, string];
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  return (
    Buffer.from(payload, "base64url").toString() === text &&
    verify(null, Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, "base64url"))
  );
}

test("an unknown agent registers, does each kind, is checked and paid, and has signed its work", async () => {
  const headers = await setup.requester("first-buyer");
  const worker = await hire("process-one", ["--rate", "0.06", "--concurrency", "2"]);
  const { sx_id } = await worker.tells("online");
  const ids = [
    await submit(headers, chain(1_000)),
    await submit(headers, { task_type: "js", input_data: { code: "return args * 2", args: 21 } }),
    await submit(headers, { task_type: "sql", input_data: { query: "select 1 + 1 as two" } }),
    await submit(headers, { task_type: "js", input_data: { code: "for (;;);", limits: { ticks: 50 } } }),
  ];
  const results = [chainOf({ seed, n: 1_000 }), { value: 42 }, { rows: [{ two: 2 }] }, { limit: "ticks" }];
  for (const [at, task_id] of ids.entries()) {
    expect(await worker.tells("paid", task_id)).toMatchObject({ provider_usd: "0.0009" });
    const task = await shown(headers, task_id);
    expect(task).toMatchObject({ status: "settled", audit: "valid", worker: sx_id, result: results[at] });
    expect(task.exit).toBe(at === 3 ? "limit" : "ok");
  }
  const { body } = await setup.ask({}, `/soul/passport/${encodeURIComponent(sx_id)}`);
  const task = await shown(headers, ids[1]!);
  const { lease } = await setup.task("first-buyer", ids[1]!);
  const { origin } = await setup.app.store.identity();
  const text = JSON.stringify({
    attempt: 1,
    ended_at: task.receipt.ended_at,
    engine_sha256: task.receipt.engine_sha256,
    exit: "ok",
    input_sha256: task.input_sha256,
    kind: "js",
    lease_sha256: lease!.lease_sha256,
    origin,
    output_sha256: createHash("sha256").update('{"value":42}').digest("hex"),
    started_at: task.receipt.started_at,
    task_id: ids[1],
    v: 1,
  });
  const key = body.keys.find((one: { kid: string }) => one.kid === task.receipt.kid);
  expect(isSigned(text, task.receipt.signature, key.public)).toBe(true);
  expect(isSigned(text.replace('"v":1', '"v":2'), task.receipt.signature, key.public)).toBe(false);

  worker.signal("SIGTERM");
  expect(await worker.ended, worker.stderr()).toBe(0);
  expect((await setup.account(`soul:${sx_id.slice(3)}`)).available).toBe(4 * 900);
  expect(await setup.account("first-buyer")).toMatchObject({ held: 0, spent: 4_000 });
});

test("SIGTERM finishes current tasks and takes no more; a restart is the same agent", async () => {
  const headers = await setup.requester("drained");
  const worker = await hire("process-two", ["--kinds", "sha256-chain"]);
  const { sx_id } = await worker.tells("online");
  const task_id = await submit(headers, chain(1_500_000));
  await until(async () => (await shown(headers, task_id)).status === "leased");
  const next = await submit(headers, chain(1));
  worker.signal("SIGTERM");
  expect(await worker.ended, worker.stderr()).toBe(0);
  // A worker that was stopped before it received its task gets it again by the pull's key.
  expect(worker.linesOf("draining")).toHaveLength(1);
  expect(worker.linesOf("task")).toMatchObject([{ task_id, exit: "ok", status: "submitted" }]);
  expect(["submitted", "accepted", "settled"]).toContain((await shown(headers, task_id)).status);
  expect((await shown(headers, next)).status).toBe("queued");

  const again = await hire("process-two", ["--kinds", "sha256-chain"], { dir: worker.dir });
  expect((await again.tells("online")).sx_id).toBe(sx_id);
  await again.tells("paid", next);
  again.signal("SIGTERM");
  expect(await again.ended).toBe(0);
});

test("a worker killed before its result was accepted is paid after its restart, within a day", async () => {
  const headers = await setup.requester("patient");
  const worker = await hire("process-killed", ["--kinds", "sha256-chain"]);
  await worker.tells("online");
  const task_id = await submit(headers, chain(1_000));
  await worker.tells("task", task_id);
  worker.signal("SIGKILL");
  await worker.ended;
  expect(worker.linesOf("paid")).toEqual([]);
  await until(async () => (await shown(headers, task_id)).status === "accepted");
  const again = await hire("process-killed", ["--kinds", "sha256-chain"], { dir: worker.dir });
  expect(await again.tells("paid", task_id)).toMatchObject({ provider_usd: "0.0009" });
  again.signal("SIGTERM");
  expect(await again.ended).toBe(0);
});

/** A network that delivers requests and loses every second answer. */
async function lossy(target: string) {
  let requests = 0;
  const proxy = createServer((req, res) => {
    const isLost = ++requests % 2 === 0;
    const onward = request(`${target}${req.url}`, { method: req.method, headers: req.headers }, (answer) => {
      if (isLost) {
        answer.resume().on("end", () => res.destroy());
        return;
      }
      res.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(res);
    });
    onward.on("error", () => res.destroy());
    req.pipe(onward);
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  const close = () =>
    new Promise<void>((done) => {
      proxy.closeAllConnections();
      proxy.close(() => done());
    });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, close };
}

test("a worker asks again for lost answers, and does nothing twice", async () => {
  const network = await lossy(setup.service.url);
  const headers = await setup.requester("unlucky");
  const ids = [];
  for (let n = 1; n <= 4; n++) ids.push(await submit(headers, chain(n)));
  const worker = await hire("process-unlucky", ["--kinds", "sha256-chain"], network);
  for (const [at, task_id] of ids.entries()) {
    expect(await worker.tells("task", task_id)).toMatchObject({ attempt: 1, status: "submitted" });
    await until(async () => (await shown(headers, task_id)).status === "settled");
    expect(await shown(headers, task_id)).toMatchObject({
      attempts: 1,
      result: chainOf({ seed, n: at + 1 }),
    });
  }
  expect(worker.linesOf("away").length).toBeGreaterThan(0);
  worker.signal("SIGTERM");
  expect(await worker.ended, worker.stderr()).toBe(0);
  await network.close();
  expect(await setup.account("unlucky")).toMatchObject({ held: 0, spent: 4_000 });
});

test("a worker reports another's id and an invalid key in a sentence", async () => {
  await setup.node("taken");
  const thief = await hire("taken");
  expect(await thief.ended).toBe(1);
  expect(thief.stderr()).toContain("taken is registered");
  const guessed = await hire("taken", ["--key", `sk_soul_${"x".repeat(43)}`]);
  expect(await guessed.ended).toBe(1);
  expect(guessed.stderr()).toContain("says 401");
  const mistyped = await runHere({}, "work", "--agent", "typo", "--kinds", "js,perl");
  expect(mistyped.code).toBe(1);
  expect(mistyped.stderr).toContain("perl is none of js, sql, sha256-chain");
});
