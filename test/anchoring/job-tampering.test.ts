/** A log that was rewritten, cut or damaged is no longer signed or anchored. */
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { anchorTick } from "../../src/anchoring/anchor-signed.ts";
import { anchorStatus } from "../../src/anchoring/status.ts";
import type { App } from "../../src/core/app.ts";
import { type AnchoringSetup, AT_ONCE, openAnchoringSetup } from "./anchoring-setup.ts";

let setup: AnchoringSetup;
let app: App;
beforeEach(async () => {
  setup = await openAnchoringSetup();
  app = setup.app;
  onTestFinished(() => setup.close());
});

/** Acts as an attacker with the owner's rights. */
async function unguarded(sql: string): Promise<void> {
  const client = await app.pool.connect();
  try {
    await client.query("begin");
    await client.query("set local session_replication_role = replica");
    await client.query(sql);
    await client.query("commit");
  } finally {
    client.release();
  }
}

describe("a log that was", () => {
  test("rewritten is no longer signed or anchored", async () => {
    await setup.happen();
    await setup.turn();
    await unguarded("update eventstore.events set event_hash = sha256('other') where position = 1");
    await setup.happen(setup.heedless());
    expect(await setup.turn()).toMatchObject({
      status: "diverged",
      reason: expect.stringMatching(/does not (continue|begin with)/),
    });
    expect((await anchorStatus(app)).contradiction).toMatch(/are not those that were signed/);
    expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored"]);
  });

  test("rewritten between its checkpoint and its anchor is not sent", async () => {
    await setup.happen();
    await setup.turn();
    await setup.happen();
    await setup.turn({ anchor_every_ms: 3_600_000 });
    const { size } = (await setup.state()).checkpoint!;
    await unguarded(`update eventstore.events set event_hash = sha256('other') where position = ${size}`);
    const send = () => Promise.reject(new Error("it was sent"));
    const unsent = setup.over({ send }, setup.heedless());
    expect(await anchorTick(unsent, AT_ONCE)).toMatchObject({
      status: "diverged",
      reason: expect.stringContaining("do not continue the anchor"),
    });
  });

  test("rewritten with its checkpoints is exposed by the chain", async () => {
    await setup.happen();
    await setup.happen();
    await setup.turn();
    await unguarded("update eventstore.events set event_hash = sha256('other') where position = 1");
    await unguarded("delete from eventstore.events where tenant = 'operator' and stream_id like 'anchor-%'");
    const fresh = await setup.beside();
    onTestFinished(() => fresh.close());
    await setup.happen(setup.heedless());
    expect(await setup.turn({}, fresh.app)).toMatchObject({
      status: "diverged",
      reason: expect.stringContaining("the chain, under our account"),
    });
    expect(await setup.story()).toEqual([]);
  });

  test("cut differs from one that lags: by the checkpoint, and without it by the chain", async () => {
    for (let n = 0; n < 5; n++) await setup.happen();
    await setup.turn();
    await unguarded("delete from eventstore.events where position > 2");
    expect(await setup.turn()).toMatchObject({
      status: "diverged",
      reason: expect.stringContaining("was cut"),
    });
    const fresh = await setup.beside();
    onTestFinished(() => fresh.close());
    expect(await setup.turn({}, fresh.app)).toMatchObject({
      status: "diverged",
      reason: expect.stringMatching(/it was cut; the chain, under our account/),
    });
  });

  test("robbed of an event in the middle is reported as damaged", async () => {
    for (let n = 0; n < 3; n++) await setup.happen();
    await setup.turn();
    await setup.happen();
    await unguarded("delete from eventstore.events where position = 2");
    expect(await setup.turn()).toMatchObject({
      status: "diverged",
      reason: expect.stringContaining("the log in this database is damaged"),
    });
    expect(await setup.story()).toEqual(["CheckpointSigned", "Anchored"]);
  });

  test("missing a part of its tree is reported as damaged, and resumes when the tree is rebuilt", async () => {
    await Promise.all(Array.from({ length: 520 }, () => setup.happen()));
    await setup.turn();
    await unguarded("delete from anchoring.tiles_v1 where level = 0 and tile_index = 0");
    await setup.happen(setup.heedless());
    expect(await setup.turn()).toMatchObject({
      status: "diverged",
      reason: expect.stringContaining("the log in this database is damaged"),
    });
    // An anchor becomes final once the chain has grown enough.
    const story = async () => (await setup.story()).filter((type) => type !== "AnchorFinal");
    expect(await story()).toEqual(["CheckpointSigned", "Anchored"]);
    await unguarded("truncate anchoring.tiles_v1");
    expect(await setup.turn()).toEqual({ status: "done" });
    expect((await story()).slice(2)).toEqual(["CheckpointSigned", "Anchored"]);
  });
});
