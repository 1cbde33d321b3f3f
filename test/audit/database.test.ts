/** `tallystick verify` over the database itself names the faults, even if its tree cannot be built. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openAnchoringSetup } from "../anchoring/anchoring-setup.ts";

const bin = new URL("../../bin/tallystick", import.meta.url).pathname;

test("a missing event is reported with its position", async () => {
  const setup = await openAnchoringSetup();
  const dir = await mkdtemp(join(tmpdir(), "tallystick-verify-"));
  onTestFinished(async () => {
    await rm(dir, { recursive: true, force: true });
    await setup.close();
  });
  const env = { PATH: process.env.PATH, HOME: dir, DATA_DIR: dir, DATABASE_URL: setup.database_url };
  const verified = () =>
    new Promise<{ code: number; said: string }>((done) => {
      execFile(process.execPath, [bin, "verify"], { env }, (error, stdout, stderr) =>
        done({ code: Number(error?.code ?? 0), said: stdout + stderr }),
      );
    });
  for (let n = 0; n < 3; n++) await setup.happen();
  await setup.turn();

  const client = await setup.app.pool.connect();
  await client.query("begin; set local session_replication_role = replica");
  await client.query("delete from eventstore.events where position = 2");
  await client.query("commit");
  client.release();
  const { code, said } = await verified();
  expect(code).toBe(1);
  expect(said).toMatch(/FAIL order .*position 3/);
  expect(said).toMatch(/FAIL tree .*event between positions 1 and \d+ is missing/);
});
