/**
 * A second history of the log: proof stops appends in every process; a mere claim makes the service not ready and
 * stops no sale.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { rowsReactor } from "../../src/anchoring/check-rows.ts";
import { cosignTick } from "../../src/anchoring/cosign-signed.ts";
import { formatVerifierKey, verifierKey } from "../../src/anchoring/note.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { parseWitnesses } from "../../src/anchoring/witness-client.ts";
import { serveWitness } from "../../src/witness/server.ts";
import { openWitness } from "../../src/witness/witness.ts";
import { type AnchoringSetup, AT_ONCE, openAnchoringSetup } from "../anchoring/anchoring-setup.ts";
import { signerOf } from "../anchoring/signers.ts";
import { startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { until } from "../support/until.ts";

let setup: AnchoringSetup;
beforeAll(async () => {
  setup = await openAnchoringSetup();
});
afterAll(() => setup?.close());

/** The database as in an older backup; a starting process has an equally old DATA_DIR/signed. */
async function restoreTo(position: number): Promise<void> {
  const client = await setup.app.pool.connect();
  await client.query(`begin; set local session_replication_role = replica;
    delete from eventstore.events where position > ${position}; delete from anchoring.tiles_v1; commit`);
  client.release();
}

async function start(more: Record<string, string> = {}) {
  const started = await setup.beside({ ANCHORING: "1", ...more });
  onTestFinished(() => started.close());
  return started.app;
}

async function witnessOfLog() {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-witness-"));
  const log = verifierKey(await setup.origin(), "ed25519", setup.app.signer.public_key);
  const witness = await openWitness({ dir, name: "w.example", logs: [log] });
  const server = await serveWitness(witness, { host: "127.0.0.1", port: 0, onError: () => undefined });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await rm(dir, { recursive: true, force: true });
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/#${formatVerifierKey(witness.key)}`;
}

const refusal = { type: { slug: "log-contradicted" } };

test("a note with our own signature at a witness's monitoring address stops all writes in every process", async () => {
  const setting = await witnessOfLog();
  await setup.happen();
  const { position: early } = await setup.app.store.head();
  for (let n = 0; n < 3; n++) await setup.happen();
  expect(await signTick(setup.app, AT_ONCE)).toBe("done");
  expect(await cosignTick(setup.app, { witnesses: parseWitnesses(setting) })).toBe("done");

  await restoreTo(early);
  const unaware = await start();
  await setup.happen(unaware);
  const aware = await start({ WITNESSES: setting });
  await expect(setup.happen(aware)).rejects.toMatchObject({
    ...refusal,
    message: expect.stringContaining("the witness w.example shows it"),
  });
  await until(() => expect(setup.happen(unaware)).rejects.toMatchObject(refusal));
  const { position } = await unaware.store.head();
  expect(await signTick(unaware, AT_ONCE)).toMatchObject({ status: "diverged" });
  expect(await signTick(aware, AT_ONCE)).toMatchObject({ status: "diverged" });
  expect((await unaware.store.head()).position).toBe(position);
  expect(await unaware.signed.last(await setup.origin())).toBeUndefined();
});

test("the chain's head under our own account stops all writes before the first append after a start", async () => {
  await setup.app.pool.query("delete from gate.proven_heads_v1");
  await restoreTo(1);
  const app = await start();
  await setup.happen(app);
  const { position: early } = await app.store.head();
  await setup.happen(app);
  expect(await setup.turn({}, app)).toEqual({ status: "done" });

  await restoreTo(early);
  const restored = await start();
  await expect(setup.happen(restored)).rejects.toMatchObject({
    ...refusal,
    message: expect.stringContaining("the chain, under our account"),
  });
  expect((await restored.store.head()).position).toBe(early);
});

test("an edited idem_key or payload stops all writes: at the head when a process starts, below it when its slice is checked", async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const { app } = service;
  for (let n = 0; n < 3; n++) await service.issue();
  const edit = async (position: number, columns: string) => {
    const pool = new pg.Pool({ connectionString: service.database_url, max: 1 });
    await pool.query(`begin; set local session_replication_role = replica;
      update eventstore.events set ${columns}, request_hash = null where position = ${position}; commit`);
    await pool.end();
  };
  const payloadOf = async (position: number) => {
    const sql = "select encode(payload, 'hex') as hex from eventstore.events where position = $1";
    return (await app.pool.query<{ hex: string }>(sql, [position])).rows[0]!.hex;
  };
  for (const column of ["idem_key", "payload"]) {
    const { position: head } = await app.store.head();
    const payload = await payloadOf(head);
    const edited = `'\\x${payload.replace(/7d$/, "207d")}'`;
    await edit(head, column === "payload" ? `payload = ${edited}` : "idem_key = 'other'");
    const started = await startService({ beside: service });
    onTestFinished(() => started.stop());
    await expect(started.issue()).rejects.toMatchObject(refusal);
    await edit(head, `payload = '\\x${payload}', idem_key = null`);
    await started.issue();
  }

  const { position: head } = await app.store.head();
  expect(await turn(app, rowsReactor)).toEqual({ status: "done" });
  await edit(head - 1, "idem_key = 'other'");
  expect(await turn(app, rowsReactor)).toMatchObject({
    status: "edited",
    reason: expect.stringContaining(`position ${head - 1}`),
  });
  await expect(service.issue()).rejects.toMatchObject(refusal);
});

test("a start that reaches no witness and no chain continues, with a warning", async () => {
  const WITNESSES = `http://127.0.0.1:9/#${vkeyOf("away.example")}`;
  const app = await start({ WITNESSES, BASE_RPC_URL: "http://127.0.0.1:9" });
  await setup.app.pool.query("delete from gate.proven_heads_v1");
  await setup.happen(app);
  expect(setup.logged).toContainEqual(
    expect.objectContaining({ msg: expect.stringContaining("neither the chain nor a witness") }),
  );
});

test("a witness's report makes the service not ready, and it continues to sell", async () => {
  const liar = createServer((request, response) => {
    const isAsked = request.method === "POST";
    response.writeHead(isAsked ? 409 : 404, { "Content-Type": "text/x.tlog.size" }).end("999999\n");
  });
  await new Promise<void>((done) => liar.listen(0, "127.0.0.1", done));
  onTestFinished(() => void liar.close());
  const url = `http://127.0.0.1:${(liar.address() as AddressInfo).port}/`;
  const service = await startService({
    chain: setup.chain,
    reactors: true,
    env: { ANCHORING: "1", CHECKPOINT_SECONDS: "1", WITNESSES: `${url}#${vkeyOf("liar.example")}` },
  });
  onTestFinished(() => service.stop());
  await service.issue();
  await until(async () => {
    const ready = await fetch(`${service.url}/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({
      log: { contradiction: null, disputes: [expect.stringContaining("liar.example")] },
    });
  });
  await service.issue();
});

const vkeyOf = (name: string) =>
  formatVerifierKey(verifierKey(name, "cosignature/v1", signerOf(name).public_key));
