/**
 * Quota counters in Postgres, exact across processes. During a call, further requests are batched into the next.
 * `access.take_quota` counts them.
 */
import type pg from "pg";
import type { Clock } from "../core/model/ports/clock.ts";
import type { QuotaKey, QuotaResult, Quotas } from "../core/model/ports/quotas.ts";
import { Refusal } from "../core/model/refusal.ts";
import { windowsOf } from "../domain/access/quota.ts";

type PendingTake = { done: (taken: QuotaResult) => void; fail: (error: unknown) => void };
type QuotaBatch = { key: QuotaKey; waiting: PendingTake[] };

export function createQuotas(
  pool: pg.Pool,
  clock: Clock,
  onError: (error: Error) => void = () => {},
): Quotas {
  let gathered = new Map<string, QuotaBatch>();
  let inFlight = false;

  async function flush(): Promise<void> {
    inFlight = true;
    while (gathered.size > 0) {
      const batch = [...gathered.values()].sort((a, b) => (a.key.key_id < b.key.key_id ? -1 : 1));
      gathered = new Map();
      await takeBatch(pool, clock, batch).catch((error: Error) => {
        onError(error);
        turnAway(batch, error);
      });
    }
    inFlight = false;
  }

  return {
    take(key) {
      return new Promise((done, fail) => {
        const group = gathered.get(key.key_id);
        if (group) group.waiting.push({ done, fail });
        else gathered.set(key.key_id, { key, waiting: [{ done, fail }] });
        if (!inFlight) void flush();
      });
    },
  };
}

type UsageRow = { key_id: string; granted: number; day_used: number; month_used: number };

async function takeBatch(pool: pg.Pool, clock: Clock, batch: QuotaBatch[]): Promise<void> {
  const { day, month } = windowsOf(clock.now());
  const answer = await pool.query<UsageRow>({
    name: "take_quota",
    text: "select * from access.take_quota($1, $2, $3, $4, $5, $6)",
    values: [
      batch.map((g) => g.key.key_id),
      batch.map((g) => g.waiting.length),
      batch.map((g) => g.key.daily),
      batch.map((g) => g.key.monthly),
      day,
      month,
    ],
  });
  const rows = new Map(answer.rows.map((row) => [row.key_id, row]));
  for (const group of batch) hand(group, rows.get(group.key.key_id)!);
}

function turnAway(batch: QuotaBatch[], cause: unknown): void {
  const away = new Refusal("unavailable", "quotas cannot be counted right now; try again", {
    retry_after_s: 1,
    cause,
  });
  for (const { fail } of batch.flatMap((group) => group.waiting)) fail(away);
}

/** The first `granted` waiters get their call; each receives the count after its own. */
function hand({ waiting }: QuotaBatch, row: UsageRow): void {
  waiting.forEach(({ done }, index) => {
    const granted = index < row.granted;
    const after = granted ? row.granted - index - 1 : 0;
    done({ granted, usage: { day_used: row.day_used - after, month_used: row.month_used - after } });
  });
}
