/** A database restored to an older state is not signed again: the machine remembers its last signature. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { anchorStatus } from "../../src/anchoring/status.ts";
import { AT_ONCE, openAnchoringSetup } from "./anchoring-setup.ts";

test("a backup with fewer or other events than the signed log is reported, and not signed", async () => {
  const setup = await openAnchoringSetup();
  const DATA_DIR = await mkdtemp(join(tmpdir(), "tallystick-signed-"));
  onTestFinished(async () => {
    await setup.close();
    await rm(DATA_DIR, { recursive: true, force: true });
  });
  /** A new process on the same machine. */
  const start = async () => {
    const started = await setup.beside({ DATA_DIR });
    onTestFinished(() => started.close());
    return started.app;
  };
  const setBackTo = async (position: number) => {
    const client = await setup.app.pool.connect();
    try {
      await client.query("begin");
      await client.query("set local session_replication_role = replica");
      await client.query("delete from eventstore.events where position > $1", [position]);
      await client.query("commit");
    } finally {
      client.release();
    }
  };

  const app = await start();
  const origin = await setup.origin();
  await setup.happen(app);
  expect(await signTick(app, AT_ONCE)).toBe("done");
  const { position: early } = await app.store.head();
  await setup.happen(app);
  expect(await signTick(app, AT_ONCE)).toBe("done");
  const signed = await app.signed.last(origin);
  expect(signed!.size).toBeGreaterThan(early);

  await setBackTo(early);
  const restored = await start();
  await setup.happen(setup.heedless());
  expect(await signTick(restored, AT_ONCE)).toMatchObject({
    status: "diverged",
    reason: expect.stringContaining("set back to a backup"),
  });
  for (let n = 0; n < 5; n++) await setup.happen(setup.heedless());
  expect(await signTick(restored, AT_ONCE)).toMatchObject({
    status: "diverged",
    reason: expect.stringContaining("does not begin with"),
  });
  expect(await restored.signed.last(origin)).toEqual(signed);
  expect((await anchorStatus(restored)).contradiction).toMatch(/are not those that were signed/);
});
