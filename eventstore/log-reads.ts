import type pg from "pg";
import { logGenesis } from "./hash.ts";
import { batched } from "./query-batch.ts";
import { type RecordedCommit, readEvents } from "./read.ts";
import { commitGathered, readGathered } from "./stream-reader.ts";
import { type LogHead, type LogIdentity, MAIN_LOG, type RecordedEvent, type StreamHead } from "./types.ts";

const PAGE = 1_000;

/** Errors are the driver's. */
export type LogReads = {
  findCommit(key: { log_id?: number; idem_key: string }): Promise<RecordedCommit | undefined>;
  /** `after_version` is exclusive and defaults to 0; `limit` defaults to 1,000. */
  readStream(stream: {
    log_id?: number;
    tenant: string;
    stream_id: string;
    after_version?: number;
    limit?: number;
  }): Promise<RecordedEvent[]>;
  streamHead(stream: { log_id?: number; tenant: string; stream_id: string }): Promise<StreamHead | undefined>;
  /** `after` is exclusive. */
  readLog(page: {
    log_id?: number;
    after: number;
    limit?: number;
    tenant?: string;
  }): Promise<RecordedEvent[]>;
  /** Position 0 for an empty log. */
  head(log_id?: number): Promise<LogHead>;
  /** Undefined beyond the head. */
  headAt(position: number, log_id?: number): Promise<LogHead | undefined>;
  /** One past the head if no event is that late. */
  positionAt(when: { log_id?: number; tenant?: string; since_us: number }): Promise<number>;
  /** Throws when there is no such log. */
  identity(log_id?: number): Promise<LogIdentity>;
};

export function logReads(pool: pg.Pool): LogReads {
  const identity = identities(pool);
  const genesis = async (log_id: number): Promise<LogHead> => ({
    log_id,
    position: 0,
    log_hash: logGenesis((await identity(log_id)).origin),
  });
  return {
    ...eventReads(pool),
    head: async (log_id = MAIN_LOG) => (await headGathered(pool, log_id)) ?? genesis(log_id),
    headAt: (position, log_id = MAIN_LOG) =>
      position === 0 ? genesis(log_id) : headAt(pool, position, log_id),
    identity: (log_id = MAIN_LOG) => identity(log_id),
  };
}

const eventReads = (pool: pg.Pool): Omit<LogReads, "head" | "headAt" | "identity"> => ({
  findCommit: ({ log_id = MAIN_LOG, idem_key }) => commitGathered(pool, { log_id, idem_key }),

  async readStream({ log_id = MAIN_LOG, tenant, stream_id, after_version = 0, limit = PAGE }) {
    return readGathered(pool, { log_id, tenant, stream_id, after_version, limit });
  },

  async streamHead({ log_id = MAIN_LOG, tenant, stream_id }) {
    const answer = await pool.query<StreamHead>({
      name: "eventstore.stream_head",
      text: "select version, event_hash from eventstore.stream_head($1, $2, $3)",
      values: [log_id, tenant, stream_id],
    });
    return answer.rows[0];
  },

  async readLog({ log_id = MAIN_LOG, after, limit = PAGE, tenant }) {
    if (tenant === undefined) return readEvents(pool, "log", [log_id, after, limit]);
    return readEvents(pool, "tenant", [log_id, after, limit, tenant]);
  },

  async positionAt({ log_id = MAIN_LOG, tenant, since_us }) {
    const answer = await pool.query<{ position: number }>(
      tenant === undefined
        ? { text: "select eventstore.position_at($1, $2) as position", values: [log_id, since_us] }
        : { text: POSITION_OF_TENANT, values: [log_id, since_us, tenant] },
    );
    return answer.rows[0]!.position;
  },
});

const POSITION_OF_TENANT = `select coalesce(
  (select position from eventstore.events
    where log_id = $1 and tenant = $3 and position >= eventstore.position_at($1, $2)
    order by tenant, position limit 1),
  (select max(position) + 1 from eventstore.events where log_id = $1), 1) as position`;

/** An identity never changes, so it is cached. */
function identities(pool: pg.Pool): (log_id: number) => Promise<LogIdentity> {
  const cached = new Map<number, LogIdentity>();
  return async (log_id) => {
    const known = cached.get(log_id);
    if (known) return known;
    const sql = "select log_id, origin, epoch from eventstore.logs where log_id = $1";
    const { rows } = await pool.query<LogIdentity>(sql, [log_id]);
    const [identity] = rows;
    if (!identity) throw new Error(`there is no log ${log_id}`);
    cached.set(log_id, identity);
    return identity;
  };
}

async function headAt(pool: pg.Pool, position: number, log_id: number): Promise<LogHead | undefined> {
  const answer = await pool.query<LogHead>({
    name: "eventstore.head_at",
    text: "select log_id, position, log_hash from eventstore.events where log_id = $1 and position = $2",
    values: [log_id, position],
  });
  return answer.rows[0];
}

/** Simultaneous calls share one query, which is sent after the last of them. */
const headGathered = batched<number, LogHead | undefined>(async (pool, log_ids) => {
  const heads = new Map<number, LogHead | undefined>();
  for (const log_id of new Set(log_ids)) {
    const answer = await pool.query<LogHead>({
      name: "eventstore.head",
      text: "select log_id, position, log_hash from eventstore.events where log_id = $1 order by position desc limit 1",
      values: [log_id],
    });
    heads.set(log_id, answer.rows[0]);
  }
  return log_ids.map((log_id) => heads.get(log_id));
});
