/** Queries over the stack: items by words and price, warm items, and buyers' votes. */
import type pg from "pg";
import { utc } from "../../core/read-models/times.ts";
import type { AgentStatus } from "../../domain/identity/agent.ts";
import { D24, LEAST_COUNTED_MICRO, POINTS_PER_UNIT, SALE_UNITS } from "../../domain/marketplace/heat.ts";
import type { ItemText } from "./stack.ts";

/** `score`: the author's, in micro-points. */
export type ListedItem = ItemText & {
  item_id: string;
  position: number;
  sx: number;
  kind: string;
  content_sha256: string;
  price_micro: number;
  sales: number;
  works: number;
  broken: number;
  published_at: string;
  score: number;
  author_status: AgentStatus;
};

const COLUMNS = `i.item_id, i.position, i.sx, i.kind, i.title, i.summary, i.content_sha256, i.price_micro, i.sales, i.works, i.broken,
  ${utc("i.published_at")} as published_at, coalesce(r.score, 0)::bigint as score,
  coalesce(a.status, 'registered') as author_status`;
const FROM = `read.stack_v1 i left join read.trust_ranks_v3 r on r.sx = i.sx and r.valid_to is null
  left join read.agents_v2 a on a.sx_number = i.sx`;

export const sorts = ["newest", "trust", "price"] as const;
export type Sort = (typeof sorts)[number];

/** The last row before a page; `value`: the price or the score there. */
export type After = { value: number; position: number };

export type StackSearch = {
  q: string | null;
  kind: string | null;
  sx: number | null;
  max_price_micro: number | null;
  min_score: number;
  sort: Sort;
  limit: number;
  after: After | null;
};

/** Orders only this many of the newest matches by trust: scores change with each computation, so no index has them. */
const MOST_BY_TRUST = 1_000;

const FOUND = `i.listed and i.title is not null and ($1::text is null or i.words @@ websearch_to_tsquery('simple', $1))
  and ($2::text is null or i.kind = $2) and ($3::bigint is null or i.sx = $3) and ($4::bigint is null or i.price_micro <= $4)
  and ($5::bigint = 0 or coalesce(r.score, 0) >= $5)`;

const ordered: Record<Sort, string> = {
  newest: `select ${COLUMNS} from ${FROM} where ${FOUND} and ($6::bigint is null or i.position < $7) order by i.position desc limit $8`,
  price: `select ${COLUMNS} from ${FROM} where ${FOUND}
    and ($6::bigint is null or i.price_micro > $6 or (i.price_micro = $6 and i.position < $7)) order by i.price_micro, i.position desc limit $8`,
  trust: `select * from (select ${COLUMNS} from ${FROM} where ${FOUND} order by i.position desc limit ${MOST_BY_TRUST}) found
    where $6::bigint is null or score < $6 or (score = $6 and position < $7) order by score desc, position desc limit $8`,
};

/** Items on offer. `q` is typed text and never becomes query syntax. */
export async function listItems(pool: pg.Pool, search: StackSearch): Promise<ListedItem[]> {
  const { q, kind, sx, max_price_micro, min_score, sort, limit, after } = search;
  const place = [after?.value ?? null, after?.position ?? null];
  const values = [q, kind, sx, max_price_micro, min_score, ...place, limit];
  return (await pool.query<ListedItem>(ordered[sort], values)).rows;
}

/** `events`: the newest of the `counted` events in the heat. */
export type WarmItem = ListedItem & { heat: number; counted: number; events: string[] };

/** The most events that are listed of an item. */
const MOST_NAMED = 100;

/** The warmest items by the events of this many days before `now`; domain/marketplace/heat.ts has the formula. */
export async function warmItems(
  pool: pg.Pool,
  { now, days, limit }: { now: string; days: number; limit: number },
): Promise<WarmItem[]> {
  const text = `with warm as (
      select item_id, event_id, sold_at as at, ${SALE_UNITS}::bigint as units from read.stack_sales_v1
        where sold_at > $1::timestamptz - make_interval(days => $2) and price_micro >= ${LEAST_COUNTED_MICRO}
      union all
      select v.item_id, v.event_id, v.validated_at, r.score / ${POINTS_PER_UNIT} from read.stack_verdicts_v1 v
        join read.trust_ranks_v3 r on r.sx = v.sx and r.valid_to is null
        where v.validated_at > $1::timestamptz - make_interval(days => $2) and v.verdict = 'works' and r.score >= ${POINTS_PER_UNIT}
    ), heats as (
      select item_id, sum(units * ($3::int[])[1 + greatest(0, floor(extract(epoch from $1::timestamptz - at) / 86400))::int])::bigint as heat,
        count(*) as counted, (array_agg(event_id order by at desc, event_id))[1:${MOST_NAMED}] as events
      from warm group by item_id
    )
    select ${COLUMNS}, h.heat, h.counted, to_json(h.events) as events from heats h join ${FROM} on h.item_id = i.item_id
    where i.listed and i.title is not null order by h.heat desc, i.position desc limit $4`;
  const values = [now, days, D24, limit];
  return (await pool.query<WarmItem>({ name: "stack_warm", text, values })).rows;
}

export type Vote = { tenant: string; verdict: "works" | "broken"; note_sha256: string | null; at: string };

const MOST_VOTES = 20;

/** Buyers' votes on an item, the newest first. */
export async function votesOn(pool: pg.Pool, item_id: string): Promise<Vote[]> {
  const text = `select tenant, verdict, note_sha256, ${utc("validated_at")} as at from read.stack_verdicts_v1
    where item_id = $1 order by position desc limit ${MOST_VOTES}`;
  return (await pool.query<Vote>({ name: "stack_words", text, values: [item_id] })).rows;
}
