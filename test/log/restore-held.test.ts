/**
 * A restore that others know to be too short is refused: its witnesses are asked before a row is written. Callers
 * that wait for stopped read models get an error.
 */
import { readFile, rm } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { addToBackup } from "../../eventstore/files/backup.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { cosignTick } from "../../src/anchoring/cosign-signed.ts";
import { evidenceFor } from "../../src/anchoring/gather-evidence.ts";
import { formatVerifierKey, verifierKey } from "../../src/anchoring/note.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { parseWitnesses } from "../../src/anchoring/witness-client.ts";
import type { Projection } from "../../src/core/read-models/projection.ts";
import { nameOf } from "../../src/core/read-models/runner.ts";
import { foldAll, RestoreUnfinished } from "../../src/runtime/restoring.ts";
import { serveWitness } from "../../src/witness/server.ts";
import { openWitness } from "../../src/witness/witness.ts";
import { AT_ONCE } from "../anchoring/anchoring-setup.ts";
import { bytesOf, elsewhere, place } from "../support/elsewhere.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service & { database_url: string };
let signing_key: string;
let origin: string;
/** A backup from before the last cosigned checkpoint, and one from after it. */
let early: string;
let late: string;
let signed: number;
let WITNESSES: string;
const servers: Server[] = [];
const folders: string[] = [];

async function folder(): Promise<string> {
  folders.push(await place());
  return folders.at(-1)!;
}

/** A witness that follows these origins, in the form of WITNESSES. */
async function witnessOf(name: string, origins: readonly string[]): Promise<string> {
  const { public_key } = service.app.signer;
  const logs = origins.map((one) => verifierKey(one, "ed25519", public_key));
  const witness = await openWitness({ dir: await folder(), name, logs });
  const onError = (error: Error) => expect.unreachable(error.message);
  const server = await serveWitness(witness, { host: "127.0.0.1", port: 0, onError });
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/#${formatVerifierKey(witness.key)}`;
}

const backUp = (into: string) =>
  addToBackup(service.app.pool, into, { log_id: MAIN_LOG, beside: evidenceFor(service.app) });

beforeAll(async () => {
  service = await startService();
  ({ origin } = await service.app.store.identity());
  signing_key = await readFile(join(service.data_dir, "signing.key"), "utf8");
  WITNESSES = await witnessOf("w.example", [origin]);
  [early, late] = [await folder(), await folder()];
  const cosign = async () => {
    await service.issue();
    expect(await signTick(service.app, AT_ONCE)).toBe("done");
    await cosignTick(service.app, { witnesses: parseWitnesses(WITNESSES) });
  };
  await cosign();
  await backUp(early);
  await cosign();
  signed = (await service.app.signed.last(origin))!.size;
  await backUp(late);
});
afterAll(async () => {
  for (const server of servers) server.close();
  await service?.stop();
  for (const one of folders) await rm(one, { recursive: true });
});

test("a backup without events that a witness has cosigned is refused, though no machine and no chain remembers them", async () => {
  const { restore, ask } = await elsewhere(signing_key, { WITNESSES });
  await expect(restore(early)).rejects.toThrow(
    `the witness w.example has cosigned ${signed} events of this log, and the newest signed checkpoint here is of`,
  );
  expect((await ask(bytesOf)).length).toBe(1);
  // The checkpoint of the earlier backup is remembered with its signatures.
  expect(await restore(late)).toMatchObject({
    contradiction: null,
    held_against: ["what this machine signed", "the witness w.example"],
  });
});

test("a query does not bind the witness: it continues with its log", async () => {
  await service.issue();
  expect(await signTick(service.app, AT_ONCE)).toBe("done");
  const memory = new Map();
  await cosignTick(service.app, { witnesses: parseWitnesses(WITNESSES), memory });
  expect([...memory]).toEqual([]);
  signed = (await service.app.signed.last(origin))!.size;
  await backUp(late);
});

test("a witness that is unavailable, or has another key, could have seen more; a witness of other logs has seen nothing", async () => {
  const away = WITNESSES.replace(/:\d+\//, ":9/");
  const one = await elsewhere(signing_key, { WITNESSES: away });
  await expect(one.restore(late)).rejects.toThrow(/the witness w\.example does not say .* Wait for it/);
  const stranger = await startService();
  onTestFinished(() => stranger.stop());
  const other_key = await readFile(join(stranger.data_dir, "signing.key"), "utf8");
  const two = await elsewhere(other_key, { WITNESSES });
  await expect(two.restore(late)).rejects.toThrow(/does not say how much .* answers 403/);
  const three = await elsewhere("", { WITNESSES });
  await expect(three.restore(late)).rejects.toThrow(/set SIGNING_KEY/);

  const elsewhere_ = await witnessOf("v.example", ["other.example/1/0123456789abcdef"]);
  const four = await elsewhere(signing_key, { WITNESSES: `${WITNESSES},${elsewhere_}` });
  expect(await four.restore(late)).toMatchObject({ contradiction: null });
});

test("stopped read models are reported with the reason, instead of an endless wait", async () => {
  const { pool } = service.app;
  const stuck = { name: "stuck", version: 1 } as Projection;
  await pool.query(
    "insert into read.checkpoints (projection, position, trouble) values ($1, 1, 'its table is gone')",
    [nameOf(stuck)],
  );
  onTestFinished(async () => {
    await pool.query("delete from read.checkpoints where projection = $1", [nameOf(stuck)]);
  });
  const runner = { ...service.app.runner, reached: async () => false };
  const results: number[] = [];
  const folding = foldAll({ pool, runner }, [stuck], 5, {
    stalled_ms: 0,
    progress: (_, done) => void results.push(done),
  });
  await expect(folding).rejects.toThrow(RestoreUnfinished);
  await expect(folding).rejects.toThrow("stuck_v1 is at position 1 (its table is gone)");
  expect(results[0]).toBe(1);
});
