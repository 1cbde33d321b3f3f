/**
 * Counts the draws from each seed in Postgres, exact across processes. During a query, further requests are batched
 * into the next. `rng.take_uses` counts them.
 */
import type pg from "pg";
import type { SeedUses } from "../core/model/ports/seeds.ts";

type SeedRequest = Parameters<SeedUses["take"]>[1];
type PendingUse = SeedRequest & { done: (granted: boolean) => void; fail: (error: unknown) => void };

export function createSeedUses(pool: pg.Pool, onError: (error: Error) => void = () => {}): SeedUses {
  let gathered = new Map<string, PendingUse[]>();
  let inFlight = false;

  async function flush(): Promise<void> {
    inFlight = true;
    while (gathered.size > 0) {
      const batch = gathered;
      gathered = new Map();
      for (const [seed_hash, waiting] of batch) {
        await takeAll(pool, seed_hash, waiting).then(
          (granted) => waiting.forEach(({ done }, at) => void done(granted[at]!)),
          (error) => waiting.forEach(({ fail }) => void fail(error)),
        );
      }
    }
    inFlight = false;
  }

  return {
    take: (seed_hash, wanted) =>
      new Promise((done, fail) => {
        const group = gathered.get(seed_hash) ?? [];
        gathered.set(seed_hash, group);
        group.push({ ...wanted, done, fail });
        if (!inFlight) void flush();
      }),
    release: async (seed_hash, count) => {
      const sql = "update rng.seed_uses set taken = taken - $2 where seed_hash = $1";
      // A failed release is retried until the seed is used up, and then dropped.
      await pool.query(sql, [seed_hash, count]).catch(onError);
    },
    find: async (seed_hash) => {
      const sql = `select taken::float8 as taken, extract(epoch from clock_timestamp() - closed_at)::float8 as closed_s
        from rng.seed_uses where seed_hash = $1`;
      return (await pool.query<{ taken: number; closed_s: number | null }>(sql, [seed_hash])).rows[0];
    },
  };
}

/** Grants or refuses each waiting request. The first request for a seed starts its count. */
async function takeAll(pool: pg.Pool, seed_hash: string, waiting: PendingUse[]): Promise<boolean[]> {
  const [{ most, before }] = waiting as [PendingUse];
  const values = [seed_hash, waiting.map(({ count }) => count), most];
  const take = () =>
    pool.query<{ granted: boolean }>({
      name: "take_uses",
      text: "select * from rng.take_uses($1, $2, $3)",
      values,
    });
  let { rows } = await take();
  if (rows.length === 0) {
    const sql = "insert into rng.seed_uses (seed_hash, taken) values ($1, $2) on conflict do nothing";
    await pool.query(sql, [seed_hash, await before()]);
    ({ rows } = await take());
  }
  return rows.map(({ granted }) => granted);
}
