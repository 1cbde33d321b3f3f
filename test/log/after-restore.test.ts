/** Cursors of the feed, receipts and proofs from before the loss of a log are valid at the restored service. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { addToBackup } from "../../eventstore/files/backup.ts";
import { exportFile } from "../../eventstore/files/export.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { openCheckpoint } from "../../src/anchoring/checkpoint.ts";
import { evidenceFor } from "../../src/anchoring/gather-evidence.ts";
import { parseVerifierKey } from "../../src/anchoring/note.ts";
import { consistencyFault } from "../../src/anchoring/proofs.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { openTlogProof } from "../../src/anchoring/tlog-proof.ts";
import { receiptIn } from "../../src/domain/payments/verify-receipt.ts";
import { AT_ONCE } from "../anchoring/anchoring-setup.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { runWith } from "../cli/command.ts";
import { sampleOperations } from "../payments/sample-operations.ts";
import { ALL, ask, type FeedObject, readAll } from "../replay/consumer.ts";
import { buy } from "../support/buyer.ts";
import { elsewhere } from "../support/elsewhere.ts";
import { type Service, startService } from "../support/service.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";

type Proof = { event: { event_hash: string }; checkpoint: string; tlog_proof: string };
type Feed = { events: FeedObject[]; last: FeedObject };

let workshop: Workshop;
let folder: string;
let signing_key: string;
/** Issued before the loss. */
let headers: Record<string, string>;
let feed: Feed;
let lost: Feed;
let bought: { receipt: string; body: string; event_id: string };
let proof: Proof;

/** Both services have the same public name. */
const env = { PUBLIC_URL: "https://log.example.org" };

const json = async <T>({ url }: Service, path: string) => (await (await fetch(url + path)).json()) as T;
const keyOf = async ({ url }: Service) =>
  parseVerifierKey((await (await fetch(`${url}/log/key`)).text()).trimEnd());

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tallystick-after-restore-"));
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  const service = await startService({ operations: sampleOperations, chain, env });
  try {
    const issue = async (count: number) => {
      for (let n = 0; n < count; n++) ({ headers } = await service.issue({ tenant: "acme" }));
    };
    await issue(5);
    const { answer } = await buy(wallet(0), `${service.url}/v1/agent/test/echo?say=kept`);
    expect(answer.status).toBe(200);
    bought = {
      receipt: receiptIn(answer.headers.get("payment-response")!)!,
      event_id: answer.headers.get("event-id")!,
      body: await answer.text(),
    };
    expect(await signTick(service.app, AT_ONCE)).toBe("done");
    proof = await json(service, `/log/proof/${bought.event_id}`);
    await issue(5);
    feed = await readAll(service, ALL, headers);
    await addToBackup(service.app.pool, folder, { log_id: MAIN_LOG, beside: evidenceFor(service.app) });
    const kept = headers;
    await issue(3);
    lost = await readAll(service, `cursor=${feed.last.cursor}`, headers);
    headers = kept;
    signing_key = await readFile(join(service.data_dir, "signing.key"), "utf8");
  } finally {
    await service.stop();
  }
});
afterAll(async () => {
  await workshop?.close();
  await rm(folder, { recursive: true, force: true });
});

async function restoredService(): Promise<Service> {
  const { restore, start } = await elsewhere(signing_key);
  expect((await restore(folder)).contradiction).toBeNull();
  const service = await start({ env });
  onTestFinished(() => service.stop());
  return service;
}

test("a cursor within the backup continues without a gap; one beyond it is refused, however far the log grows", async () => {
  const service = await restoredService();
  expect(feed.events).toHaveLength(10);
  for (const at of [0, 4, 8])
    expect(await readAll(service, `cursor=${feed.events[at]!.cursor}`, headers)).toEqual({
      events: feed.events.slice(at + 1),
      last: feed.last,
    });
  expect((await readAll(service, `cursor=${feed.last.cursor}`, headers)).events).toEqual([]);

  const beyond = lost.events.map(({ cursor }) => cursor);
  expect(beyond).toHaveLength(3);
  const refusals = () =>
    Promise.all(
      beyond.map(async (cursor) => {
        const answer = await ask(service, `cursor=${cursor}`, { headers });
        return [answer.status, ((await answer.json()) as { type: string }).type.split("#")[1]];
      }),
    );
  const diverged = beyond.map(() => [409, "history-diverged"]);
  expect(await refusals()).toEqual(diverged);
  for (let n = 0; n < 5; n++) await service.issue({ tenant: "acme" });
  const grown = await readAll(service, `cursor=${feed.last.cursor}`, headers);
  expect(grown.events).toHaveLength(5);
  const positions = grown.events.map(({ position }) => position);
  for (const { position } of lost.events) expect(positions).toContain(position);
  expect(await refusals()).toEqual(diverged);
});

test("a receipt verifies by the restored service's keys and export, and not with another answer", async () => {
  const service = await restoredService();
  const file = async (name: string, text: string) => {
    const path = join(service.data_dir, name);
    await writeFile(path, text);
    return path;
  };
  const log = join(service.data_dir, "log.ndjson");
  await exportFile(service.app.pool, { log_id: MAIN_LOG }, log);
  const jwks = await file("jwks.json", JSON.stringify(await json(service, "/.well-known/jwks.json")));
  const receipt = await file("receipt.txt", bought.receipt);
  const verified = async (body: string) => {
    const given = ["--jwks", jwks, "--body", await file("body.json", body), "--export", log];
    return runWith({ HOME: service.data_dir }, "verify", "receipt", receipt, ...given);
  };
  const { code, stdout, stderr } = await verified(bought.body);
  expect([code, stderr], stdout).toEqual([0, ""]);
  expect(stdout).toMatch(/\nverified\n$/);
  for (const name of ["event", "answer", "settlement", "claim", "export"])
    expect(stdout).toMatch(new RegExp(`^ok +${name}\\b`, "m"));
  const other = await verified(bought.body.replace("kept", "lost"));
  expect(other.code).toBe(1);
  expect(other.stdout).toMatch(/^FAIL +body\b/m);
});

test("an inclusion proof verifies by the restored log's key, and its checkpoint is a prefix of the later signed log", async () => {
  const service = await restoredService();
  const log = await keyOf(service);
  const again = await json<Proof>(service, `/log/proof/${bought.event_id}`);
  expect(again.event).toEqual(proof.event);
  const event_hash = Buffer.from(again.event.event_hash, "hex");
  const old = openTlogProof(proof.tlog_proof, event_hash, { log });
  await service.issue({ tenant: "acme" });
  expect(await signTick(service.app, AT_ONCE)).toBe("done");
  const note = await (await fetch(`${service.url}/log/checkpoint`)).text();
  const { origin, size, root } = openCheckpoint(note, { log });
  expect(origin).toBe(old.origin);
  expect(size).toBeGreaterThan(old.size);
  const answer = await json<{ proof: string[] }>(
    service,
    `/log/consistency?first=${old.size}&second=${size}`,
  );
  const hashes = answer.proof.map((hash) => Buffer.from(hash, "hex"));
  const roots = { first_root: old.root, second_root: root };
  expect(consistencyFault({ first: old.size, second: size, ...roots, proof: hashes })).toBeUndefined();
  const shifted = { ...roots, first_root: Buffer.from(old.root).fill(0, 0, 1) };
  expect(consistencyFault({ first: old.size, second: size, ...shifted, proof: hashes })).toBeDefined();
});
