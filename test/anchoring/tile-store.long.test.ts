/** The tree in Postgres is the same for every growth and after every kill, and all its proofs verify. */
import { once } from "node:events";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createLog } from "../../eventstore/migrate.ts";
import { openPool } from "../../eventstore/pool.ts";
import { consistencyFault, inclusionFault } from "../../src/anchoring/proofs.ts";
import { LogDamaged, openTree, TreeTooShort } from "../../src/anchoring/tile-store.ts";
import { decodeBundle, hashesIn } from "../../src/anchoring/tiles.ts";
import { EMPTY_ROOT, Frontier, leafHash, rootOver } from "../../src/anchoring/tree.ts";
import { type Fixture, openLog } from "../eventstore/fixture.ts";
import { startProgram } from "../support/compiled.ts";
import { makeServiceTables } from "../support/database.ts";
import { scaled } from "../support/scale.ts";
import { until } from "../support/until.ts";

let log: Fixture;
beforeAll(async () => {
  log = await openLog();
  await makeServiceTables(log.url);
});
afterAll(() => log.close());

let logs = 1;
/** A separate log in the shared database. */
async function newLog(): Promise<number> {
  const log_id = ++logs;
  await createLog(log.pool, { log_id, host: "test.example" });
  return log_id;
}

/** Rows after the head whose hashes are not a chain, which the tree does not check. */
async function fill(log_id: number, events: number): Promise<void> {
  await log.pool.query(
    `insert into eventstore.events
     select $1, head + n, 't', 's', head + n, gen_random_uuid(), 'E', 1, 0, '', '', h, h, h, h, h, null, null, 1
       from generate_series(1, $2::int) n,
            (select coalesce(max(position), 0) as head from eventstore.events where log_id = $1) as log,
            lateral sha256(convert_to($1 || ' ' || head + n, 'UTF8')) h`,
    [log_id, events],
  );
}

async function leavesOf(log_id: number): Promise<Buffer[]> {
  const sql = "select event_hash from eventstore.events where log_id = $1 order by position";
  const answer = await log.pool.query<{ event_hash: Buffer }>(sql, [log_id]);
  return answer.rows.map((row) => leafHash(row.event_hash));
}

/** Computed in memory, for every size. */
function rootsOf(leaves: readonly Buffer[]): Buffer[] {
  const frontier = new Frontier();
  return [
    EMPTY_ROOT,
    ...leaves.map((leaf) => {
      frontier.append(leaf);
      return frontier.root();
    }),
  ];
}

const countTiles = async (log_id: number): Promise<number> => {
  const sql = "select count(*)::int as n from anchoring.tiles_v1 where log_id = $1 and level = 0";
  return (await log.pool.query(sql, [log_id])).rows[0].n;
};

test("events appended in batches give the same root at every size as in one batch", async () => {
  const tree = openTree(log.pool, 1);
  expect(await tree.grow()).toBe(0);
  expect(await tree.rootAt(0)).toEqual(EMPTY_ROOT);
  const sizes = [0];
  for (const batch of [1, 254, 1, 1, 255, 300]) {
    const events = Array.from({ length: batch }, (_, n) => ({ type: "Happened", payload: { n } }));
    await log.store.append({
      appends: [{ tenant: "t", stream_id: `s${batch}`, expected_version: "any", events }],
    });
    const size = sizes.at(-1)! + batch;
    expect(await tree.grow()).toBe(size - (size % 256));
    sizes.push(size);
  }
  const leaves = await leavesOf(1);
  const roots = rootsOf(leaves);
  for (const size of [...sizes, 2, 3, 100, 511, 512, 513, 800]) {
    expect(await tree.rootAt(size)).toEqual(roots[size]);
    expect(await tree.rootAt(size)).toEqual(rootOver(leaves.slice(0, size)));
  }
});

describe("a tree of 70,000 leaves", () => {
  let log_id: number;
  let leaves: Buffer[];
  let roots: Buffer[];
  beforeAll(async () => {
    log_id = await newLog();
    const tree = openTree(log.pool, log_id);
    for (const events of [1, 40_000, 25_534, 1, 2_000, 2_464]) {
      await fill(log_id, events);
      await tree.grow();
    }
    leaves = await leavesOf(log_id);
    roots = rootsOf(leaves);
  });
  const tree = () => openTree(log.pool, log_id);
  const twoSizes = fc
    .tuple(fc.integer({ min: 1, max: 70_000 }), fc.nat())
    .map(([n, m]) => [m % n, n] as const);
  const edges: [number, number][] = [
    [0, 1],
    [255, 256],
    [256, 257],
    [65_535, 65_536],
    [65_536, 65_537],
    [65_536, 70_000],
    [1, 65_536],
    [69_888, 70_000],
    [69_999, 70_000],
  ];
  const RUNS = { numRuns: scaled(60, 10), examples: edges.map((edge) => [edge] as [[number, number]]) };

  test("has 273 full tiles, one above them, and the right root at every size", async () => {
    const sql = "select level, tile_index from anchoring.tiles_v1 where log_id = $1 and level > 0";
    expect((await log.pool.query(sql, [log_id])).rows).toEqual([{ level: 1, tile_index: 0 }]);
    expect(await countTiles(log_id)).toBe(273);
    await fc.assert(
      fc.asyncProperty(twoSizes, async ([, size]) => {
        expect(await tree().rootAt(size)).toEqual(roots[size]);
      }),
      RUNS,
    );
  });

  test("proves inclusion", async () => {
    await fc.assert(
      fc.asyncProperty(twoSizes, async ([index, size]) => {
        const proof = await tree().inclusionProof(index, size);
        const claim = { index, size, leaf: leaves[index]!, root: roots[size]!, proof };
        expect(inclusionFault(claim)).toBeUndefined();
      }),
      RUNS,
    );
  });

  test("proves consistency", async () => {
    await fc.assert(
      fc.asyncProperty(twoSizes, async ([first, second]) => {
        const proof = await tree().consistencyProof(first, second);
        const claim = { first, second, first_root: roots[first]!, second_root: roots[second]!, proof };
        expect(consistencyFault(claim)).toBeUndefined();
      }),
      RUNS,
    );
    expect(await tree().consistencyProof(70_000, 70_000)).toEqual([]);
  });

  test("serves its tiles, full and partial", async () => {
    const tile = async (level: number, index: number, width: number) =>
      hashesIn(await tree().readTile({ level, index, width }));
    expect(await tile(0, 100, 256)).toEqual(leaves.slice(25_600, 25_856));
    expect(await tile(0, 100, 17)).toEqual(leaves.slice(25_600, 25_617));
    expect(await tile(0, 273, 112)).toEqual(leaves.slice(69_888));
    const above = await tile(1, 0, 256);
    expect(above[200]).toEqual(rootOver(leaves.slice(51_200, 51_456)));
    expect(await tile(1, 1, 17)).toHaveLength(17);
    expect(await tile(2, 0, 1)).toEqual([roots[65_536]]);
  });

  test("serves its entries: the event hashes", async () => {
    const entries = decodeBundle(await tree().readBundle({ index: 273, width: 112 }))!;
    expect(entries.map(leafHash)).toEqual(leaves.slice(69_888));
    expect(decodeBundle(await tree().readBundle({ index: 3, width: 2 }))!.map(leafHash)).toEqual(
      leaves.slice(768, 770),
    );
  });

  test.each([
    ["a root", () => tree().rootAt(70_001)],
    ["a proof of inclusion", () => tree().inclusionProof(5, 70_001)],
    ["a proof of consistency", () => tree().consistencyProof(5, 70_001)],
    ["a tile", () => tree().readTile({ level: 0, index: 273, width: 113 })],
    ["a tile further on", () => tree().readTile({ level: 0, index: 2 ** 52, width: 1 })],
    ["a tile further up", () => tree().readTile({ level: 2, index: 0, width: 2 })],
    ["a tile at the top", () => tree().readTile({ level: 63, index: 0, width: 1 })],
    ["a bundle", () => tree().readBundle({ index: 273, width: 113 })],
  ])("has no %s beyond its end", async (_, ask) => {
    await expect(ask()).rejects.toThrow(TreeTooShort);
  });

  test.each([
    ["half a leaf", () => tree().rootAt(0.5)],
    ["less than none", () => tree().rootAt(-1)],
    ["a leaf beyond the size", () => tree().inclusionProof(7, 7)],
    ["the way back", () => tree().consistencyProof(8, 7)],
  ])("refuses %s", async (_, ask) => {
    await expect(ask()).rejects.toThrow(RangeError);
  });

  test("continues from its last tile without rereading", async () => {
    const other = await newLog();
    await fill(other, 600);
    const growing = openTree(log.pool, other);
    await growing.grow();
    const before = rootsOf(await leavesOf(other));
    await fill(other, 300);
    const after = rootsOf(await leavesOf(other));
    await unguarded("delete from eventstore.events where log_id = $1 and position <= 512", [other]);
    expect(await growing.grow()).toBe(768);
    expect(await growing.rootAt(900)).toEqual(after[900]);
    expect(await growing.rootAt(500)).toEqual(before[500]);
  });
});

test("a size whose events have no tile yet waits for grow", async () => {
  const log_id = await newLog();
  await fill(log_id, 300);
  const tree = openTree(log.pool, log_id);
  const roots = rootsOf(await leavesOf(log_id));
  expect(await tree.rootAt(200)).toEqual(roots[200]);
  await expect(tree.rootAt(300)).rejects.toThrow(`the tree of log ${log_id} does not reach position 256 yet`);
  await tree.grow();
  expect(await tree.rootAt(300)).toEqual(roots[300]);
});

test("two logs have separate trees", async () => {
  const [one, other] = [await newLog(), await newLog()];
  await fill(one, 700);
  await fill(other, 500);
  await Promise.all([one, other].map((log_id) => openTree(log.pool, log_id).grow()));
  for (const [log_id, size] of [
    [one, 700],
    [other, 500],
  ] as const)
    expect(await openTree(log.pool, log_id).rootAt(size)).toEqual(rootOver(await leavesOf(log_id)));
  await expect(openTree(log.pool, other).rootAt(501)).rejects.toThrow(TreeTooShort);
  await expect(openTree(log.pool, 9_999).rootAt(1)).rejects.toThrow(TreeTooShort);
});

/** A process that grows the tree tile by tile. */
function startGrower(log_id: number) {
  const child = startProgram("test/anchoring/grower.ts", [log.url, String(log_id)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit") as Promise<[number | null, string | null]>;
  return { kill: () => child.kill("SIGKILL"), exited };
}

test("a tile store that is killed repeatedly at work reaches the same state", async () => {
  const log_id = await newLog();
  await fill(log_id, 70_000);
  const tree = openTree(log.pool, log_id);
  for (const reached of [1, 20, 40]) {
    const grower = startGrower(log_id);
    await until(async () => (await countTiles(log_id)) >= reached);
    grower.kill();
    expect(await grower.exited).toEqual([null, "SIGKILL"]);
    expect(await countTiles(log_id)).toBeLessThan(273);
  }
  expect(await tree.grow()).toBe(69_888);
  expect(await tree.rootAt(70_000)).toEqual(rootsOf(await leavesOf(log_id)).at(-1));
});

test("a connection lost between writing a page and its commit leaves nothing of it", async () => {
  const log_id = await newLog();
  await fill(log_id, 66_000);
  await log.pool.query(`
    create function anchoring.hang_up() returns trigger language plpgsql as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
    create trigger hang_up after insert on anchoring.tiles_v1
      for each row when (new.log_id = ${log_id} and new.level = 1) execute function anchoring.hang_up()`);
  const pool = openPool(log.url, { max: 1 });
  const tree = openTree(pool, log_id);
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(tree.grow({ tiles_at_once: 100 })).rejects.toThrow(pg.DatabaseError);
    expect(await countTiles(log_id)).toBe(200);
  }
  await log.pool.query("drop function anchoring.hang_up cascade");
  expect(await tree.grow()).toBe(65_792);
  expect(await tree.rootAt(66_000)).toEqual(rootsOf(await leavesOf(log_id)).at(-1));
  await pool.end();
});

test("three processes grow one tree during appends", async () => {
  const log_id = await newLog();
  await fill(log_id, 20_000);
  const growers = [startGrower(log_id), startGrower(log_id)];
  const tree = openTree(log.pool, log_id);
  await until(async () => (await countTiles(log_id)) >= 5);
  for (let n = 0; n < 10; n++) {
    await fill(log_id, 333);
    await tree.grow({ tiles_at_once: 2 });
  }
  expect(await Promise.all(growers.map(({ exited }) => exited))).toEqual([
    [0, null],
    [0, null],
  ]);
  expect(await tree.grow()).toBe(23_296);
  expect(await tree.rootAt(23_330)).toEqual(rootsOf(await leavesOf(log_id)).at(-1));
});

test("growing a tree stops between two pages on request", async () => {
  const log_id = await newLog();
  await fill(log_id, 1_000);
  const tree = openTree(log.pool, log_id);
  expect(await tree.grow({ tiles_at_once: 1, signal: AbortSignal.abort() })).toBe(256);
  expect(await tree.grow()).toBe(768);
});

/** Acts as an attacker with the owner's rights. */
async function unguarded(sql: string, values: unknown[]): Promise<void> {
  const client = await log.pool.connect();
  try {
    await client.query("begin");
    await client.query("set local session_replication_role = replica");
    await client.query(sql, values);
    await client.query("commit");
  } finally {
    client.release();
  }
}

test("an event missing among others stops the growth; no other event takes its leaf", async () => {
  const log_id = await newLog();
  await fill(log_id, 300);
  await unguarded("delete from eventstore.events where log_id = $1 and position = 20", [log_id]);
  const tree = openTree(log.pool, log_id);
  await expect(tree.grow()).rejects.toThrow(LogDamaged);
  await expect(tree.grow()).rejects.toThrow(`log ${log_id}: an event between positions 1 and 300 is missing`);
  await expect(tree.rootAt(30)).rejects.toThrow(TreeTooShort);
  await unguarded("delete from eventstore.events where log_id = $1 and position < 20", [log_id]);
  await expect(tree.grow()).rejects.toThrow(LogDamaged);
});

test("a missing tile is not replaced by its neighbours", async () => {
  const log_id = await newLog();
  await fill(log_id, 1_000);
  const tree = openTree(log.pool, log_id);
  await tree.grow();
  await log.pool.query("delete from anchoring.tiles_v1 where log_id = $1 and tile_index = 1", [log_id]);
  for (const size of [512, 1_000]) await expect(tree.rootAt(size)).rejects.toThrow(TreeTooShort);
  await expect(tree.inclusionProof(1, 256)).resolves.toHaveLength(8);
});
