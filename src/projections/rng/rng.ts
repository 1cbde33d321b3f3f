/** What is asked of random numbers: rolls by their id, seeds and how often each was used, commitments, and counts a day. */
import type pg from "pg";
import type { JsonObject } from "../../../eventstore/types.ts";
import type { Hex } from "../../domain/chain.ts";
import type { CommitmentEvent } from "../../domain/rng/commitment.ts";
import { firstDrawn } from "../../domain/rng/drawn.ts";
import { type DrawnFacts, drawn } from "../../domain/rng/roll.ts";
import type { SeedEvent, Space } from "../../domain/rng/seeds.ts";
import { CELLS, type Cell, cellOf, shareOf } from "../../domain/rng/statistics.ts";
import type { Projection } from "../projection.ts";

export const rngProjection: Projection = {
  name: "rng",
  version: 1,
  ddl: `
    create table if not exists read.rng_rolls_v1 (
      roll_id  text primary key,
      tenant   text not null,
      position bigint not null,
      facts    jsonb not null
    );
    create index if not exists rng_rolls_v1_tenant on read.rng_rolls_v1 (tenant, position desc);
    create table if not exists read.rng_seeds_v1 (
      space     text not null,
      chain     int not null,
      index     int not null,
      seed_hash text not null unique,
      active    jsonb not null,
      revealed  jsonb,
      rolls     bigint not null default 0,
      primary key (space, chain, index)
    );
    create table if not exists read.rng_chains_v1 (
      space     text not null,
      chain     int not null,
      head_hash text not null,
      published jsonb not null,
      committed jsonb,
      primary key (space, chain)
    );
    create table if not exists read.rng_commitments_v1 (
      seed_hash text primary key,
      position  bigint not null,
      committed jsonb
    );
    create index if not exists rng_commitments_v1_position on read.rng_commitments_v1 (position desc);
    create table if not exists read.rng_counts_v1 (
      day      date not null,
      space    text not null,
      game     text not null,
      rolls    bigint not null,
      observed bigint[] not null,
      expected float8[] not null,
      primary key (day, space, game)
    );`,
  concerns: ({ type }) => type === "Rolled" || type === "BetPlayed" || type.startsWith("Seed"),
  async fold(events, tx) {
    const rolls: Rolled[] = [];
    for (const { type, payload, position } of events) {
      if (type === "Rolled" || type === "BetPlayed") rolls.push({ facts: drawnIn(payload), position });
      else if (type.startsWith("SeedCommit"))
        await foldCommitment(tx, { type, data: payload } as unknown as CommitmentEvent, position);
      else await foldSeed(tx, { type, data: payload } as unknown as SeedEvent);
    }
    // Last, so that the seeds they were drawn from are there; all of them in a few statements.
    if (rolls.length > 0) await addRolls(tx, rolls);
  },
};

type Rolled = { facts: DrawnFacts; position: number };

/** What was drawn, without what a bet came to on its account. */
const drawnIn = (payload: JsonObject): DrawnFacts =>
  Object.fromEntries(
    Object.entries(payload).filter(([name]) => name === "game" || name in drawn),
  ) as unknown as DrawnFacts;

async function addRolls(tx: pg.ClientBase, rolls: Rolled[]): Promise<void> {
  await tx.query(
    `insert into read.rng_rolls_v1
     select * from unnest($1::text[], $2::text[], $3::bigint[], $4::jsonb[])`,
    [
      rolls.map(({ facts }) => facts.roll_id),
      rolls.map(({ facts }) => facts.tenant),
      rolls.map(({ position }) => position),
      rolls.map(({ facts }) => JSON.stringify(facts)),
    ],
  );
  const uses = counted(rolls, ({ facts }) => facts.seed_hash);
  for (const [seed_hash, { length }] of uses) await countUses(tx, seed_hash, length);
  const days = counted(rolls, ({ facts }) => [facts.rolled_at.slice(0, 10), facts.space, facts.game].join());
  for (const [name, together] of days) await addCounts(tx, name.split(","), together);
}

function counted(rolls: Rolled[], nameOf: (roll: Rolled) => string): Map<string, Rolled[]> {
  const groups = new Map<string, Rolled[]>();
  for (const roll of rolls) {
    const group = groups.get(nameOf(roll)) ?? [];
    groups.set(nameOf(roll), group);
    group.push(roll);
  }
  return groups;
}

/** Adds rolls of one game to the counts of a day. */
async function addCounts(tx: pg.ClientBase, day: string[], rolls: Rolled[]): Promise<void> {
  const observed = Array<number>(CELLS).fill(0);
  const expected = Array<number>(CELLS).fill(0);
  for (const { facts } of rolls) {
    const { value, of } = firstDrawn(facts.game, facts.params, facts.result);
    observed[cellOf(value, of)]!++;
    for (let cell = 0; cell < CELLS; cell++) expected[cell]! += shareOf(cell, of);
  }
  const sums = (column: string) =>
    `(select array_agg(a + b order by at)
        from unnest(kept.${column}, excluded.${column}) with ordinality u (a, b, at))`;
  await tx.query(
    `insert into read.rng_counts_v1 as kept values ($1, $2, $3, $4, $5, $6)
     on conflict (day, space, game) do update
       set rolls = kept.rolls + excluded.rolls, observed = ${sums("observed")}, expected = ${sums("expected")}`,
    [...day, rolls.length, observed, expected],
  );
}

/** A seed is revealed after so many uses, whatever they were. */
const countUses = (tx: pg.ClientBase, seedHash: string, uses: number) =>
  tx.query("update read.rng_seeds_v1 set rolls = rolls + $2 where seed_hash = $1", [seedHash, uses]);

async function foldSeed(tx: pg.ClientBase, { type, data }: SeedEvent): Promise<void> {
  const { space, chain } = data;
  switch (type) {
    case "SeedChainPublished":
      await tx.query("insert into read.rng_chains_v1 values ($1, $2, $3, $4)", [
        space,
        chain,
        data.head_hash,
        data,
      ]);
      return;
    case "SeedChainCommitted":
      await tx.query("update read.rng_chains_v1 set committed = $3 where space = $1 and chain = $2", [
        space,
        chain,
        data,
      ]);
      return;
    case "SeedActivated":
      await tx.query("insert into read.rng_seeds_v1 values ($1, $2, $3, $4, $5)", [
        space,
        chain,
        data.index,
        data.seed_hash,
        data,
      ]);
      return;
    case "SeedRevealed":
      await tx.query("update read.rng_seeds_v1 set revealed = $2 where seed_hash = $1", [
        data.seed_hash,
        data,
      ]);
      return;
    case "SeedChainAbandoned":
      return;
  }
}

async function foldCommitment(
  tx: pg.ClientBase,
  { type, data }: CommitmentEvent,
  position: number,
): Promise<void> {
  const committed = type === "SeedCommitted" ? data : null;
  await tx.query(
    `insert into read.rng_commitments_v1 values ($1, $2, $3)
     on conflict (seed_hash) do update set position = excluded.position, committed = excluded.committed`,
    [data.seed_hash, position, committed],
  );
}

/** A roll or a bet by its id. */
export async function findRoll(pool: pg.Pool, rollId: string): Promise<DrawnFacts | undefined> {
  const sql = "select facts from read.rng_rolls_v1 where roll_id = $1";
  return (await pool.query<{ facts: DrawnFacts }>(sql, [rollId])).rows[0]?.facts;
}

export type ListedRoll = { position: number; facts: DrawnFacts };

/** A page takes no further roll once it is so long: a roll may list a thousand items. */
const LONG_PAGE_BYTES = 1_000_000;

/** A tenant's rolls and bets, newest first, before a position; at least one, and whether there are more. */
export async function listRolls(
  pool: pg.Pool,
  page: { tenant: string; before: number | undefined; limit: number },
): Promise<{ rolls: ListedRoll[]; more: boolean }> {
  const sql = `
    select position::float8 as position, facts, found::int as found
      from (select *, count(*) over () as found,
                   sum(octet_length(facts::text)) over (order by position desc) - octet_length(facts::text) as above
              from (select position, facts from read.rng_rolls_v1
                     where tenant = $1 and ($2::bigint is null or position < $2)
                     order by position desc limit $3 + 1) next) measured
     where above < $4 order by measured.position desc limit $3`;
  const values = [page.tenant, page.before ?? null, page.limit, LONG_PAGE_BYTES];
  const { rows } = await pool.query<ListedRoll & { found: number }>(sql, values);
  return { rolls: rows, more: (rows[0]?.found ?? 0) > rows.length };
}

export type SeedRow = {
  space: Space;
  chain: number;
  index: number;
  seed_hash: string;
  rolls: number;
  revealed: { seed: string; revealed_at: string; reason: string } | null;
};

const SEED = "space, chain, index, seed_hash, rolls::float8 as rolls, revealed";

/** A seed by its hash. */
export async function findSeed(pool: pg.Pool, seedHash: string): Promise<SeedRow | undefined> {
  const sql = `select ${SEED} from read.rng_seeds_v1 where seed_hash = $1`;
  return (await pool.query<SeedRow>(sql, [seedHash])).rows[0];
}

/** The seed that was revealed last. */
export async function lastRevealed(pool: pg.Pool, space: Space): Promise<SeedRow | undefined> {
  const sql = `select ${SEED} from read.rng_seeds_v1 where space = $1 and revealed is not null
    order by chain desc, index desc limit 1`;
  return (await pool.query<SeedRow>(sql, [space])).rows[0];
}

export type ChainRow = {
  space: Space;
  chain: number;
  head_hash: string;
  published: { length: number; published_at: string };
  committed: {
    signer: string;
    contract: string;
    network: string;
    block_number: number;
    committed_at: string;
  } | null;
};

/** A chain of seeds by its number, or by the hash of its head. */
export async function findChain(
  pool: pg.Pool,
  named: { space: Space; chain: number } | { head_hash: string },
): Promise<ChainRow | undefined> {
  const [where, values] =
    "head_hash" in named
      ? ["head_hash = $1", [named.head_hash]]
      : ["space = $1 and chain = $2", [named.space, named.chain]];
  const sql = `select space, chain, head_hash, published, committed from read.rng_chains_v1 where ${where}`;
  return (await pool.query<ChainRow>(sql, values)).rows[0];
}

/** Hashes that wait to be carried to the chain, the oldest first. */
export async function askedCommitments(pool: pg.Pool, limit: number): Promise<string[]> {
  const sql =
    "select seed_hash from read.rng_commitments_v1 where committed is null order by position limit $1";
  return (await pool.query<{ seed_hash: string }>(sql, [limit])).rows.map(({ seed_hash }) => seed_hash);
}

export type CommitmentRow = {
  seed_hash: string;
  position: number;
  committed: Extract<CommitmentEvent, { type: "SeedCommitted" }>["data"] | null;
};

/** Commitments, newest first, before a position. */
export async function listCommitments(
  pool: pg.Pool,
  page: { before: number | undefined; limit: number },
): Promise<CommitmentRow[]> {
  const sql = `select seed_hash, position::float8 as position, committed from read.rng_commitments_v1 c
    where $1::bigint is null or c.position < $1 order by c.position desc limit $2`;
  return (await pool.query<CommitmentRow>(sql, [page.before ?? null, page.limit])).rows;
}

/** Which account committed each of these hashes, of those that are committed. */
export async function signersOf(pool: pg.Pool, hashes: readonly string[]): Promise<Map<string, Hex>> {
  const sql = `select seed_hash, committed->>'signer' as signer from read.rng_commitments_v1
    where seed_hash = any($1) and committed is not null`;
  const { rows } = await pool.query<{ seed_hash: string; signer: Hex }>(sql, [hashes]);
  return new Map(rows.map(({ seed_hash, signer }) => [seed_hash, signer]));
}

/** Commitments whose block may still be taken back: those since a time. */
export async function commitmentsSince(pool: pg.Pool, since: Date): Promise<CommitmentRow[]> {
  const sql = `select seed_hash, position::float8 as position, committed from read.rng_commitments_v1
    where (committed->>'committed_at')::timestamptz >= $1`;
  return (await pool.query<CommitmentRow>(sql, [since])).rows;
}

export type Counts = { game: string; rolls: number; cells: Cell[] };

/** How often each game was rolled since a day, and how its first numbers fell. */
export async function countsSince(pool: pg.Pool, space: Space, day: string): Promise<Counts[]> {
  const { rows } = await pool.query<{ game: string; rolls: number; observed: number[]; expected: number[] }>(
    `select game, rolls::float8 as rolls, to_jsonb(observed) as observed, to_jsonb(expected) as expected
       from read.rng_counts_v1 where space = $1 and day >= $2 order by game`,
    [space, day],
  );
  return [...new Set(rows.map(({ game }) => game))].map((game) =>
    countsOf(
      game,
      rows.filter((row) => row.game === game),
    ),
  );
}

const countsOf = (
  game: string,
  days: { rolls: number; observed: number[]; expected: number[] }[],
): Counts => ({
  game,
  rolls: days.reduce((sum, { rolls }) => sum + rolls, 0),
  cells: Array.from({ length: CELLS }, (_, at) => ({
    observed: days.reduce((sum, { observed }) => sum + observed[at]!, 0),
    expected: days.reduce((sum, { expected }) => sum + expected[at]!, 0),
  })),
});
