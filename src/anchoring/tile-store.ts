/**
 * Stores each log's tree in Postgres as full tiles of C2SP tlog-tiles. A full tile never changes, so rows are only
 * inserted. A partial tile is computed from the level below, at the bottom from the events.
 */
import type pg from "pg";
import { consistencySpans, hashesOf, inclusionSpans, subtreeSpans } from "./proofs.ts";
import { type Bundle, encodeBundle, hashesIn, sliceOf, TILE_WIDTH, type Tile, tilePath } from "./tiles.ts";
import {
  HASH_BYTES,
  isCount,
  joined,
  leafHash,
  rootOver,
  type Span,
  type Subtree,
  subtreesOf,
} from "./tree.ts";

/** The first number of the advisory lock of a growing tree; the second identifies its log. */
const LOCK = 0x54524545;

/** Full level-0 tiles per transaction: some 4,000 events, or 15 ms of hashing. */
const TILES_AT_ONCE = 16;

/** The tree is too short: the log is shorter, or `grow` has not processed its events. */
export class TreeTooShort extends Error {
  override readonly name = "TreeTooShort";
}

/** An event between others is missing: the log in this database is damaged. */
export class LogDamaged extends Error {
  override readonly name = "LogDamaged";
}

export type GrowOptions = {
  /** Full level-0 tiles per transaction. Default: 16. */
  tiles_at_once?: number;
  /** Stops between two transactions. */
  signal?: AbortSignal;
};

/** Leaf `index` is the event at position `index` + 1. A size may be any up to the log's, if `grow` ran since. */
export type LogTree = {
  /**
   * Adds new events as far as they fill tiles; returns the number of leaves in full tiles. A kill at any moment and
   * concurrent processes are safe. Throws LogDamaged.
   */
  grow(options?: GrowOptions): Promise<number>;
  /** The root of the first `size` leaves. Throws TreeTooShort, as all methods below do. */
  rootAt(size: number): Promise<Buffer>;
  /** The roots of `subtreesOf` the first `size` leaves. */
  frontierAt(size: number): Promise<Buffer[]>;
  /** Throws RangeError if the tree of `size` leaves has no such leaf. */
  inclusionProof(index: number, size: number): Promise<Buffer[]>;
  /** Throws RangeError if the second size is smaller. */
  consistencyProof(first: number, second: number): Promise<Buffer[]>;
  /** The node over the leaves of a span, which must be a perfect subtree. */
  subtreeRoot(span: Span): Promise<Buffer>;
  /**
   * The path from that node to the root of the first `size` leaves, the node's sibling first. Throws RangeError if
   * it is not in that tree.
   */
  subtreeProof(span: Span, size: number): Promise<Buffer[]>;
  /** 32 bytes for each of its `width` hashes. */
  readTile(tile: Tile): Promise<Buffer>;
  /** Each entry is a 32-byte event hash after its two-byte length. */
  readBundle(bundle: Bundle): Promise<Buffer>;
};

/** One log's tree; it has no state except the pool. */
export function openTree(pool: pg.Pool, log_id: number): LogTree {
  const spanRoots = async (spans: Span[]): Promise<Buffer[]> => {
    const roots = await readRoots(pool, log_id, spans.flatMap(subtreesOf));
    return hashesOf(spans, roots);
  };
  const frontierAt = async (size: number): Promise<Buffer[]> => {
    if (!isCount(size)) throw new RangeError(`a tree cannot have ${size} leaves`);
    const subtrees = subtreesOf({ begin: 0, end: size });
    return subtrees.map(await readRoots(pool, log_id, subtrees));
  };
  return {
    async grow({ tiles_at_once = TILES_AT_ONCE, signal } = {}) {
      // Most calls find no full tile, and need no lock to see that.
      const tiles = await tilesOf(pool, log_id);
      const waiting = await readEventHashes(pool, log_id, tiles * TILE_WIDTH + 1, tiles_at_once * TILE_WIDTH);
      if (waiting.length < TILE_WIDTH) return tiles * TILE_WIDTH;
      for (;;) {
        const page = await growByPage(pool, log_id, tiles_at_once);
        if (page.written < tiles_at_once || signal?.aborted) return page.tiles * TILE_WIDTH;
      }
    },
    rootAt: async (size) => joined(await frontierAt(size)),
    frontierAt,
    inclusionProof: async (index, size) => spanRoots(inclusionSpans(index, size)),
    consistencyProof: async (first, second) => spanRoots(consistencySpans(first, second)),
    subtreeRoot: async (span) => (await spanRoots([span]))[0]!,
    subtreeProof: async (span, size) => spanRoots(subtreeSpans(span, size)),
    async readTile(tile) {
      const [bytes] = await readTiles(pool, log_id, [tile]);
      return bytes!.subarray(0, tile.width * HASH_BYTES);
    },
    async readBundle({ index, width }) {
      const first = index * TILE_WIDTH + 1;
      const hashes = await readEventHashes(pool, log_id, first, width);
      if (hashes.length < width) throw tooShort(log_id, first + hashes.length);
      return encodeBundle(hashes);
    },
  };
}

const tooShort = (log_id: number, position: number) =>
  new TreeTooShort(`the tree of log ${log_id} does not reach position ${position} yet`);

/** Reads the roots of subtrees in one query, and so from one state of the log. */
async function readRoots(
  pool: pg.Pool,
  log_id: number,
  subtrees: readonly Subtree[],
): Promise<(subtree: Subtree) => Buffer> {
  const wanted = new Map<string, Tile>();
  for (const { level, index, begin, count } of subtrees.map(sliceOf)) {
    const name = `${level}/${index}`;
    wanted.set(name, { level, index, width: Math.max(begin + count, wanted.get(name)?.width ?? 0) });
  }
  const bytes = await readTiles(pool, log_id, [...wanted.values()]);
  const hashes = new Map([...wanted.keys()].map((name, n) => [name, hashesIn(bytes[n]!)]));
  return (subtree) => {
    const { level, index, begin, count } = sliceOf(subtree);
    return rootOver(hashes.get(`${level}/${index}`)!.slice(begin, begin + count));
  };
}

/**
 * A missing hash makes the whole tile null, so that no other hash takes its index. Subqueries need one key look-up
 * each, however many tiles exist; a join would not.
 */
const TILES = `
  select coalesce(
           (select hashes from anchoring.tiles_v1
             where log_id = $1 and level = wanted.level and tile_index = wanted.tile_index),
           case when wanted.level = 0 then (
             select case when max(position) = wanted.tile_index * ${TILE_WIDTH} + count(*)
                         then string_agg(sha256('\\x00'::bytea || event_hash), '' order by position) end
               from eventstore.events
              where log_id = $1 and position > wanted.tile_index * ${TILE_WIDTH}
                and position <= (wanted.tile_index + 1) * ${TILE_WIDTH})
           else (
             select case when max(tile_index) + 1 = wanted.tile_index * ${TILE_WIDTH} + count(*)
                         then string_agg(root, '' order by tile_index) end
               from anchoring.tiles_v1
              where log_id = $1 and level = wanted.level - 1 and tile_index >= wanted.tile_index * ${TILE_WIDTH}
                and tile_index < (wanted.tile_index + 1) * ${TILE_WIDTH})
           end) as hashes
    from unnest($2::int[], $3::int8[]) with ordinality as wanted(level, tile_index, ordinal)
   order by ordinal`;

/** The bytes of tiles, in the requested order, each at least as wide as requested. */
async function readTiles(db: Db, log_id: number, tiles: readonly Tile[]): Promise<Buffer[]> {
  if (tiles.length === 0) return [];
  const answer = await db.query<{ hashes: Buffer | null }>(TILES, [
    log_id,
    tiles.map(({ level }) => level),
    tiles.map(({ index }) => index),
  ]);
  return answer.rows.map(({ hashes }, n) => {
    const { level, index, width } = tiles[n]!;
    if (hashes === null || hashes.length < width * HASH_BYTES)
      throw tooShort(log_id, (index * TILE_WIDTH + width) * TILE_WIDTH ** level);
    return hashes;
  });
}

type Db = Pick<pg.Pool, "query">;

/** At most `limit` event hashes from position `first` on. Throws LogDamaged if one is missing. */
async function readEventHashes(db: Db, log_id: number, first: number, limit: number): Promise<Buffer[]> {
  const answer = await db.query<{ last: number | null; hashes: Buffer | null }>(
    `select max(position) as last, string_agg(event_hash, '' order by position) as hashes
       from eventstore.events where log_id = $1 and position >= $2 and position < $2 + $3::int8`,
    [log_id, first, limit],
  );
  const { last, hashes } = answer.rows[0]!;
  if (last === null || hashes === null) return [];
  if (hashes.length !== (last - first + 1) * HASH_BYTES)
    throw new LogDamaged(`log ${log_id}: an event between positions ${first} and ${last} is missing`);
  return hashesIn(hashes);
}

/** The number of full level-0 tiles. */
async function tilesOf(db: Db, log_id: number): Promise<number> {
  const sql =
    "select coalesce(max(tile_index) + 1, 0) as tiles from anchoring.tiles_v1 where log_id = $1 and level = 0";
  return (await db.query<{ tiles: number }>(sql, [log_id])).rows[0]!.tiles;
}

/**
 * Writes the next full tiles in one transaction. The lock allows one process at a time to continue from the last
 * tile.
 */
async function growByPage(
  pool: pg.Pool,
  log_id: number,
  tiles_at_once: number,
): Promise<{ tiles: number; written: number }> {
  const client = await pool.connect();
  try {
    await client.query("begin isolation level read committed");
    await client.query("select pg_advisory_xact_lock($1, $2)", [LOCK, log_id]);
    const tiles = await tilesOf(client, log_id);
    const hashes = await readEventHashes(client, log_id, tiles * TILE_WIDTH + 1, tiles_at_once * TILE_WIDTH);
    const leaves = hashes.slice(0, hashes.length - (hashes.length % TILE_WIDTH)).map(leafHash);
    const full = Array.from({ length: leaves.length / TILE_WIDTH }, (_, n) =>
      leaves.slice(n * TILE_WIDTH, (n + 1) * TILE_WIDTH),
    );
    await writeTiles(client, log_id, { level: 0, first: tiles, full });
    await client.query("commit");
    client.release();
    return { tiles: tiles + full.length, written: full.length };
  } catch (error) {
    // Closing the connection rolls back in every state.
    client.release(true);
    throw error;
  }
}

/** Writes full tiles of one level, then those of the next level that they fill. */
async function writeTiles(
  client: pg.ClientBase,
  log_id: number,
  { level, first, full }: { level: number; first: number; full: Buffer[][] },
): Promise<void> {
  if (full.length === 0) return;
  await client.query(
    `insert into anchoring.tiles_v1 (log_id, level, tile_index, hashes, root)
     select $1, $2, $3::int8 + ordinal - 1, hashes, root
       from unnest($4::bytea[], $5::bytea[]) with ordinality as tile(hashes, root, ordinal)`,
    [log_id, level, first, full.map((hashes) => Buffer.concat(hashes)), full.map(rootOver)],
  );
  const above = Math.floor(first / TILE_WIDTH);
  const filled = Math.floor((first + full.length) / TILE_WIDTH) - above;
  const tiles = Array.from({ length: filled }, (_, n) => ({
    level: level + 1,
    index: above + n,
    width: TILE_WIDTH,
  }));
  const bytes = await readTiles(client, log_id, tiles);
  await writeTiles(client, log_id, { level: level + 1, first: above, full: bytes.map(hashesIn) });
}

/** Tiles compared with the level below per query. */
const COMPARED_AT_ONCE = 64;

/**
 * The first tile whose hashes or root differ from the events or tiles below, as a sentence; `place` is the position
 * of its last event.
 */
export async function damagedTile(
  pool: pg.Pool,
  log_id: number,
): Promise<{ reason: string; place: number } | undefined> {
  for (let after = { level: -1, index: 0 }; ; ) {
    const { rows } = await pool.query<StoredTile>(STORED_TILES, [
      log_id,
      after.level,
      after.index,
      COMPARED_AT_ONCE,
    ]);
    for (const { level, index, hashes, root, below } of rows) {
      if (below?.equals(hashes) && rootOver(hashesIn(hashes)).equals(root)) continue;
      const place = (index + 1) * TILE_WIDTH ** (level + 1);
      return {
        reason: `${tilePath({ level, index, width: TILE_WIDTH })} does not match the hashes below it`,
        place,
      };
    }
    if (rows.length < COMPARED_AT_ONCE) return undefined;
    after = rows.at(-1)!;
  }
}

type StoredTile = { level: number; index: number; hashes: Buffer; root: Buffer; below: Buffer | null };

const STORED_TILES = `
  select level, tile_index as index, hashes, root,
         case when level = 0 then (
           select string_agg(sha256('\\x00'::bytea || event_hash), '' order by position)
             from eventstore.events
            where log_id = $1 and position > tile.tile_index * ${TILE_WIDTH}
              and position <= (tile.tile_index + 1) * ${TILE_WIDTH})
         else (
           select string_agg(root, '' order by tile_index) from anchoring.tiles_v1
            where log_id = $1 and level = tile.level - 1 and tile_index >= tile.tile_index * ${TILE_WIDTH}
              and tile_index < (tile.tile_index + 1) * ${TILE_WIDTH})
         end as below
    from anchoring.tiles_v1 as tile
   where log_id = $1 and (level, tile_index) > ($2, $3)
   order by level, tile_index limit $4`;
