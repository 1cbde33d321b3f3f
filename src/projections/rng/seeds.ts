/** Queries over seeds: one by its hash, the chains that they are links of, and their commitments on the chain. */
import type pg from "pg";
import type { Hex } from "../../core/model/chain.ts";
import type { Commitment } from "../../domain/rng/commitment.ts";
import type { AbandonedChain, Space } from "../../domain/rng/seeds.ts";

export type SeedRow = {
  space: Space;
  chain: number;
  index: number;
  seed_hash: string;
  rolls: number;
  activated_at: string;
  revealed: { seed: string; revealed_at: string; reason: string } | null;
  /** The time since which all its draws are void, because its secret is lost. */
  voided_at: string | null;
};

const SEED = `space, chain, index, seed_hash, rolls::float8 as rolls, active->>'activated_at' as activated_at,
  revealed, voided_at`;

export async function findSeed(pool: pg.Pool, seedHash: string): Promise<SeedRow | undefined> {
  const sql = `select ${SEED} from read.rng_seeds_v3 where seed_hash = $1`;
  return (await pool.query<SeedRow>(sql, [seedHash])).rows[0];
}

/** The seed that was revealed last. */
export async function lastRevealed(pool: pg.Pool, space: Space): Promise<SeedRow | undefined> {
  const sql = `select ${SEED} from read.rng_seeds_v3 where space = $1 and revealed is not null
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
  const sql = `select space, chain, head_hash, published, committed from read.rng_chains_v3 where ${where}`;
  return (await pool.query<ChainRow>(sql, values)).rows[0];
}

export type AbandonedRow = AbandonedChain & { rolls: number | null };

/** Chains that were given up, newest first; `rolls`: rolls and bets that are void with it. */
export async function abandonedChains(pool: pg.Pool): Promise<AbandonedRow[]> {
  const { rows } = await pool.query<{ abandoned: AbandonedChain; rolls: number | null }>(
    `select c.abandoned, s.rolls::float8 as rolls
       from read.rng_chains_v3 c left join read.rng_seeds_v3 s on s.seed_hash = c.abandoned->'void'->>'seed_hash'
      where c.abandoned is not null order by c.abandoned->>'abandoned_at' desc limit 100`,
  );
  return rows.map(({ abandoned, rolls }) => ({ ...abandoned, rolls }));
}

export type RefundRow = Pick<SeedRow, "space" | "chain" | "index" | "seed_hash"> & { tenant: string };

/** Accounts of the lounge that get the stakes of void bets back. */
export async function refundsDue(pool: pg.Pool, limit: number): Promise<RefundRow[]> {
  const sql = `select r.tenant, s.space, s.chain, s.index, s.seed_hash
    from read.rng_refunds_v3 r join read.rng_seeds_v3 s using (seed_hash) limit $1`;
  return (await pool.query<RefundRow>(sql, [limit])).rows;
}

/** Hashes that wait to be carried to the chain, the oldest first. */
export async function requestedCommitments(pool: pg.Pool, limit: number): Promise<string[]> {
  const sql =
    "select seed_hash from read.rng_commitments_v3 where committed is null order by position limit $1";
  return (await pool.query<{ seed_hash: string }>(sql, [limit])).rows.map(({ seed_hash }) => seed_hash);
}

export type CommitmentRow = {
  seed_hash: string;
  position: number;
  committed: Commitment | null;
};

/** Commitments, newest first, before a position. */
export async function listCommitments(
  pool: pg.Pool,
  page: { before: number | null; limit: number },
): Promise<CommitmentRow[]> {
  const sql = `select seed_hash, position::float8 as position, committed from read.rng_commitments_v3 c
    where $1::bigint is null or c.position < $1 order by c.position desc limit $2`;
  return (await pool.query<CommitmentRow>(sql, [page.before, page.limit])).rows;
}

/** The account that committed each of these hashes; uncommitted hashes are left out. */
export async function signersOf(pool: pg.Pool, hashes: readonly string[]): Promise<Map<string, Hex>> {
  const sql = `select seed_hash, committed->>'signer' as signer from read.rng_commitments_v3
    where seed_hash = any($1) and committed is not null`;
  const { rows } = await pool.query<{ seed_hash: string; signer: Hex }>(sql, [hashes]);
  return new Map(rows.map(({ seed_hash, signer }) => [seed_hash, signer]));
}

/** Commitments since a time, whose block a reorg may still remove. */
export async function commitmentsSince(pool: pg.Pool, since: Date): Promise<CommitmentRow[]> {
  const sql = `select seed_hash, position::float8 as position, committed from read.rng_commitments_v3
    where committed->>'committed_at' >= $1`;
  return (await pool.query<CommitmentRow>(sql, [since.toISOString()])).rows;
}
