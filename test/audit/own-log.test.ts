/** `tallystick verify` and `export` over a database whose signed end was removed: other sources reveal that. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openExport, verifyExport } from "../../eventstore/verify/verify-export.ts";
import { recoverKey } from "../../src/adapters/secp256k1.ts";
import { cosignTick } from "../../src/anchoring/cosign-signed.ts";
import { formatVerifierKey, verifierKey } from "../../src/anchoring/note.ts";
import { parseWitnesses } from "../../src/anchoring/witness-client.ts";
import { Audit } from "../../src/audit/audit.ts";
import { openWitness } from "../../src/witness/witness.ts";
import { type AnchoringSetup, openAnchoringSetup } from "../anchoring/anchoring-setup.ts";
import { failures } from "../eventstore/verify-support.ts";
import { run } from "./run-command.ts";

let setup: AnchoringSetup;
let dir: string;
let env: Record<string, string>;
const closing: (() => unknown)[] = [];
/** The remaining events, and the signed number. */
let left: number;
let signed: number;

/** A witness over HTTP, with scripted answers. */
async function witnessAt(folder: string, origin: string): Promise<string> {
  const log = verifierKey(origin, "ed25519", setup.app.signer.public_key);
  const witness = await openWitness({ dir: folder, name: "w.example", logs: [log] });
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { status, type, body } = await witness.addCheckpoint(Buffer.concat(parts).toString());
    response.writeHead(status, { "Content-Type": type }).end(body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/#${formatVerifierKey(witness.key)}`;
}

/** Signed twice, anchored and cosigned once; then the database loses everything after the first commit. */
beforeAll(async () => {
  setup = await openAnchoringSetup();
  closing.push(() => setup.close());
  dir = await mkdtemp(join(tmpdir(), "tallystick-own-log-"));
  closing.push(() => rm(dir, { recursive: true, force: true }));
  const own = join(dir, "own");
  const { app, close } = await setup.beside({ DATA_DIR: own });
  const origin = await setup.origin();
  const witness = await witnessAt(join(dir, "witness"), origin);
  await setup.happen(app);
  await setup.turn({}, app);
  left = (await app.store.head()).position;
  await setup.happen(app);
  await setup.turn({}, app);
  await cosignTick(app, { witnesses: parseWitnesses(witness) });
  signed = (await app.signed.last(origin))!.size;
  await close();
  const client = await setup.app.pool.connect();
  await client.query("begin; set local session_replication_role = replica");
  await client.query("delete from eventstore.events where position > $1", [left]);
  await client.query("commit");
  client.release();
  env = { DATABASE_URL: setup.database_url, SIGNING_KEY: setup.signing_key, DATA_DIR: own };
  elsewhere = { ...env, DATA_DIR: join(dir, "elsewhere") };
  asking = { WITNESSES: witness };
});
let elsewhere: Record<string, string>;
let asking: { WITNESSES: string };
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

test("the database alone does not reveal a rewrite", async () => {
  const { code, said } = await run(["verify"], elsewhere);
  expect(said).toMatch(
    /: verified; all events rest on the database alone, without a witness$|: verified, without a witness$|: verified to \d+; .* database alone, without a witness$/m,
  );
  expect(code).toBe(0);
});

test("this machine's last signature reveals a rewrite, with the position", async () => {
  const { code, said } = await run(["verify"], env);
  expect(said).toMatch(
    new RegExp(`FAIL completeness .*this machine's last signature is of ${signed} events.*the end was cut`),
  );
  expect(said).toContain(`the first at position ${left + 1}`);
  expect(code).toBe(1);
});

test("the configured chain reveals a rewrite", async () => {
  const { rpc_url, gas_key, pay_to } = setup.chain;
  const onBase = { BASE_RPC_URL: rpc_url, GAS_KEY: gas_key, PAY_TO: pay_to, REFUND_KEY: gas_key };
  const { code, said } = await run(["verify"], { ...elsewhere, ...onBase });
  expect(said).toMatch(/FAIL completeness .*the chain keeps \d+ events.*the end was cut/);
  expect(code).toBe(1);
});

test("a witness reveals a rewrite; an unavailable one is named and proves nothing", async () => {
  const { code, said } = await run(["verify"], { ...elsewhere, ...asking });
  expect(said).toMatch(
    new RegExp(`FAIL completeness .*w.example has cosigned ${signed} events that this log does not continue`),
  );
  expect(code).toBe(1);
  const away = { WITNESSES: asking.WITNESSES.replace(/:\d+\//, ":9/") };
  const alone = await run(["verify"], { ...elsewhere, ...away });
  expect(alone.said).toMatch(/the witness w\.example gives no answer: /);
  expect(alone.code).toBe(0);
});

test("no export hides a rewrite: an export needs an option, and then contains the evidence", async () => {
  const file = join(dir, "log.ndjson");
  const refused = await run(["export", file], env);
  expect(refused.said).toMatch(/were signed or anchored, and the log has .*it was cut; .*--despite/);
  expect(refused.code).toBe(1);

  const written = await run(["export", file, "--despite"], env);
  expect(written.said).toMatch(/NOT the signed log: /);
  expect(written.code).toBe(0);
  const recover = recoverKey;
  const report = await verifyExport(openExport(file), { companion: new Audit({ recover }) });
  expect(failures(report)).toEqual({ tree: signed });
});
