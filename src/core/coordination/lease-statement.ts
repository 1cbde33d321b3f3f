/**
 * One statement takes and renews leases in several tables, and reads the head of the log and the database's time. So
 * a process with seventy leases sends one statement for all of them.
 */
import type pg from "pg";
import { batched } from "../../../eventstore/query-batch.ts";
import { MAIN_LOG } from "../../../eventstore/types.ts";

export type LeaseTable = { table: string; name: string };

type LeaseRequest = { at: LeaseTable; seconds: number; name: string };
type TakeRequest = LeaseRequest & { verb: "take"; holder: string };
type RenewRequest = LeaseRequest & { verb: "renew"; token: number };
type LookRequest = { verb: "look" };

/** `token`: the lease was taken. `held_ms`: another process has it this much longer; undefined if its row is locked. */
export type TakeResult = { token: number } | { token: undefined; held_ms: number | undefined };
/** Undefined if the row is locked. */
export type RenewResult = boolean | undefined;
/** The log's head and the database's Unix time, which was true between two moments of this process's steady clock. */
export type LookResult = { position: number; now_ms: number; sent_at: number; received_at: number };

type Request = TakeRequest | RenewRequest | LookRequest;
type Result = TakeResult | RenewResult | LookResult;

const requested = batched<Request, Result>(request);

/** Simultaneous requests share a statement. */
export const takeLease = (pool: pg.Pool, request: Omit<TakeRequest, "verb">) =>
  requested(pool, { ...request, verb: "take" }) as Promise<TakeResult>;

export const renewLease = (pool: pg.Pool, request: Omit<RenewRequest, "verb">) =>
  requested(pool, { ...request, verb: "renew" }) as Promise<RenewResult>;

export const lookAtLog = (pool: pg.Pool) => requested(pool, { verb: "look" }) as Promise<LookResult>;

/** The requests of one verb for one table. */
type Section = Pick<LeaseRequest, "at" | "seconds"> & {
  verb: "take" | "renew";
  entries: { request: TakeRequest | RenewRequest; place: number }[];
};

type Row = { section: number; n: number; token: number | null; renewed: boolean | null; ms: number | null };

async function request(pool: pg.Pool, requests: readonly Request[]): Promise<Result[]> {
  const sections = sectionsOf(requests);
  const looks = requests.some(({ verb }) => verb === "look");
  const steps = sections.map((section, i) => stepsOf(section, i));
  const text = `${steps.length > 0 ? `with ${steps.map(({ ctes }) => ctes).join(",\n")}\n` : ""}${[
    ...steps.map(({ rows }) => rows),
    ...(looks ? [LOOK] : []),
  ].join("\nunion all\n")}`;
  const values = sections.flatMap(({ seconds, entries }) => [
    entries.map(({ request: { name } }) => name),
    entries.map(({ request }) => (request.verb === "take" ? request.holder : request.token)),
    seconds,
  ]);
  const sent_at = performance.now();
  const { rows } = await pool.query<Row>(text, values);
  const received_at = performance.now();
  const results: Result[] = [];
  for (const [i, { verb, entries }] of sections.entries()) {
    const found = new Map(rows.filter(({ section }) => section === i).map((row) => [row.n, row]));
    for (const [n, { place }] of entries.entries())
      results[place] = verb === "take" ? takenBy(found.get(n + 1)) : (found.get(n + 1)?.renewed ?? undefined);
  }
  const look = rows.find(({ section }) => section === LOOK_SECTION);
  for (const [place, { verb }] of requests.entries())
    if (verb === "look") results[place] = { position: look!.token!, now_ms: look!.ms!, sent_at, received_at };
  return requests.map((_, place) => results[place]);
}

const takenBy = (row: Row | undefined): TakeResult =>
  row && row.token !== null ? { token: row.token } : { token: undefined, held_ms: row?.ms ?? undefined };

/** In one order of tables, so that two such statements never deadlock. */
function sectionsOf(requests: readonly Request[]): Section[] {
  const sections = new Map<string, Section>();
  for (const [place, request] of requests.entries()) {
    if (request.verb === "look") continue;
    const { at, seconds, verb } = request;
    const key = `${at.table} ${verb} ${seconds}`;
    const section = sections.get(key) ?? { at, seconds, verb, entries: [] };
    section.entries.push({ request, place });
    sections.set(key, section);
  }
  return [...sections].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, section]) => section);
}

const LOOK_SECTION = -1;
const LOOK = `select ${LOOK_SECTION} as section, 0 as n,
  coalesce((select position from eventstore.events where log_id = ${MAIN_LOG} order by position desc limit 1), 0) as token,
  null::bool as renewed, (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;

const stepsOf = ({ at, verb }: Section, i: number): { ctes: string; rows: string } =>
  verb === "take" ? takeSteps(at, i) : renewSteps(at, i);

/** Skips locked rows and inserts names in one order, so that two such statements never deadlock. */
const takeSteps = ({ table, name }: LeaseTable, i: number) => ({
  ctes: `take${i} as (
    select * from unnest($${3 * i + 1}::text[], $${3 * i + 2}::uuid[]) with ordinality as one (name, holder, n)),
  free${i} as (select t.${name} as name, take${i}.holder from ${table} t join take${i} on t.${name} = take${i}.name
    where t.held_until < clock_timestamp() or t.holder = take${i}.holder for no key update of t skip locked),
  taken${i} as (update ${table} t
    set holder = free${i}.holder, token = token + 1, held_until = clock_timestamp() + make_interval(secs => $${3 * i + 3})
    from free${i} where t.${name} = free${i}.name returning t.${name} as name, t.holder, t.token),
  made${i} as (insert into ${table} (${name}, holder, token, held_until)
    select distinct on (name) name, holder, 1, clock_timestamp() + make_interval(secs => $${3 * i + 3})
      from take${i} where not exists (select from ${table} t where t.${name} = take${i}.name) order by name
    on conflict do nothing returning ${name} as name, holder, token)`,
  rows: `select ${i} as section, take${i}.n::int as n, coalesce(taken${i}.token, made${i}.token) as token, null::bool as renewed,
      case when isfinite(t.held_until) then (extract(epoch from t.held_until - clock_timestamp()) * 1000)::float8 end as ms
    from take${i} left join taken${i} using (name, holder) left join made${i} using (name, holder)
      left join ${table} t on t.${name} = take${i}.name`,
});

/** Skips locked rows, so that two such statements never deadlock. Their requests get no row in the answer. */
const renewSteps = ({ table, name }: LeaseTable, i: number) => ({
  ctes: `renew${i} as (
    select * from unnest($${3 * i + 1}::text[], $${3 * i + 2}::bigint[]) with ordinality as one (name, token, n)),
  free${i} as (select t.${name} as name from ${table} t join renew${i} on t.${name} = renew${i}.name and t.token = renew${i}.token
    for no key update of t skip locked),
  renewed${i} as (update ${table} t set held_until = clock_timestamp() + make_interval(secs => $${3 * i + 3})
    from free${i} where t.${name} = free${i}.name returning t.${name} as name, t.token)`,
  rows: `select ${i} as section, renew${i}.n::int as n, null::bigint as token, renewed${i}.name is not null as renewed, null::float8 as ms
    from renew${i} left join renewed${i} using (name, token)
      left join ${table} t on t.${name} = renew${i}.name and t.token = renew${i}.token
    where renewed${i}.name is not null or t.token is null`,
});
