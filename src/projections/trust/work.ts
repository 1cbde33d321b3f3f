/** Evidence and measurements of tasks, and each requester's purse by day. */
import type pg from "pg";
import { batched } from "../../../eventstore/query-batch.ts";
import { readRows, saveRows } from "../../core/read-models/rows.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import type * as node from "../../domain/compute/node.ts";
import * as task from "../../domain/compute/task.ts";
import type * as account from "../../domain/payments/account.ts";
import { nothingOn, speedPpm, type WorkDay } from "../../domain/trust/factors.ts";
import { PENALTY_MICRO, TASKS_1 } from "../../domain/trust/rules.ts";
import { countTask, emptyPurse, type Purse } from "../../domain/trust/tasks.ts";
import { begun, evolve, faultOf, isPaid, taskOfEvent, type Work } from "../../domain/trust/work.ts";
import { dayOf } from "./days.ts";

/**
 * `points` is null until settlement; `counted_*` belong to it. `punished`: a penalty was recorded. `trust_requesters`:
 * a tenant's spent micro-USDC and given micro-points by day. `trust_work`: a node's work by day.
 */
export const workDdl = `
    create table if not exists read.trust_tasks_v3 (
      task_id          text primary key,
      requester        text not null,
      work             jsonb not null,
      sx               bigint,
      points           bigint,
      fee_micro        bigint,
      counted_day      bigint,
      counted_position bigint,
      reversed         boolean not null default false,
      punished         boolean not null default false
    );
    create index if not exists trust_tasks_v3_counted on read.trust_tasks_v3 (requester, counted_position) where counted_position is not null;
    create index if not exists trust_tasks_v3_day on read.trust_tasks_v3 (requester, counted_day, sx) where points > 0;
    create table if not exists read.trust_requesters_v3 (
      tenant       text not null,
      day          bigint not null,
      kept_micro   bigint not null default 0,
      given_micro  bigint not null default 0,
      primary key (tenant, day)
    );
    create table if not exists read.trust_delegations_v3 (
      delegation_id text primary key,
      from_sx       bigint not null,
      to_sx         bigint not null,
      expires_at    text not null,
      valid_to      bigint
    );
    create index if not exists trust_delegations_v3_from on read.trust_delegations_v3 (from_sx, to_sx) where valid_to is null;
    create index if not exists trust_delegations_v3_to on read.trust_delegations_v3 (to_sx) where valid_to is null;
    create table if not exists read.trust_work_v3 (
      sx        bigint not null,
      day       bigint not null,
      kept      bigint not null default 0,
      lost      bigint not null default 0,
      agreed    bigint not null default 0,
      differed  bigint not null default 0,
      speed_ppm bigint not null default 0,
      primary key (sx, day)
    );`;

export type WorkLogEvent = PositionedEvent<typeof task | typeof node | typeof account>;

type Row = {
  task_id: string;
  requester: string;
  work: Work;
  sx: number | null;
  points: number | null;
  fee_micro: number | null;
  counted_day: number | null;
  counted_position: number | null;
  reversed: boolean;
  punished: boolean;
};

type NewEvidence = {
  kind: "task" | "penalty";
  sx: number;
  points: number;
  event_id: string;
  day: number;
  position: number;
  source: string;
};

/** Returns the newest position with new evidence; 0 = none. */
export async function foldWork(tx: pg.ClientBase, events: readonly WorkLogEvent[]): Promise<number> {
  const about = events.flatMap((event) => {
    const task_id = isOfTask(event) ? event.id : taskOfEvent(event);
    return task_id === undefined ? [] : [{ event, task_id }];
  });
  if (about.length === 0) return 0;
  const rows = await readRows<Row, "task_id">(
    tx,
    "read.trust_tasks_v3",
    "task_id",
    about.map(({ task_id }) => task_id),
  );
  const requesters = new Map([...rows].map(([task_id, { requester }]) => [task_id, requester]));
  for (const { event, task_id } of about)
    if (event.type === "TaskSubmitted") requesters.set(task_id, event.tenant);
  const linked = await linkedLeases(tx, about, requesters);
  const purses = await pursesOf(tx, about, { rows, requesters });
  const measured = new Map<string, NodeDay>();
  const evidence: NewEvidence[] = [];
  for (const { event, task_id } of about) {
    if (event.type === "TaskSubmitted") rows.set(task_id, newRow(task_id, event));
    const row = rows.get(task_id);
    if (!row || event.type === "TaskSubmitted") continue;
    const { position } = event;
    row.work = evolve(row.work, { ...event, day: dayOf(event) }, task_id, linked.has(event.event_id));
    measure(measured, row.work, event);
    if (row.points === null && isPaid(row.work)) evidence.push(...countedTask(row, purses, position));
    const fault = row.punished ? undefined : faultOf(row.work);
    if (!fault) continue;
    row.punished = true;
    const sx = fault.of === "worker" ? row.work.sx : await agentOf(tx, row.requester);
    const { event_id, day } = fault;
    const source = `fault:${task_id}`;
    if (sx !== null)
      evidence.push({ kind: "penalty", sx, points: PENALTY_MICRO, event_id, day, position, source });
  }
  await saveTasks(tx, [...rows.values()]);
  await savePurses(tx, purses);
  await saveMeasured(tx, [...measured.values()]);
  await insertEvidence(tx, evidence);
  return evidence.at(-1)?.position ?? 0;
}

type TaskEventPair = { event: WorkLogEvent; task_id: string };

const isOfTask = (event: WorkLogEvent): event is PositionedEvent<typeof task> =>
  Object.hasOwn(task.events, event.type);

const newRow = (task_id: string, { tenant, data }: SubmittedEvent): Row => ({
  ...{ task_id, requester: tenant, work: begun(tenant, data.terms.limit_s), sx: null, points: null },
  ...{ fee_micro: null, counted_day: null, counted_position: null, reversed: false, punished: false },
});

type SubmittedEvent = PositionedEvent<typeof task> & { type: "TaskSubmitted" };

/** The agent of a tenant: the tenant itself, or the owner of the tenant's wallet. */
const AGENT_OF = `case when r.requester ~ '^soul:[0-9]+$' then substr(r.requester, 6)::bigint
  when r.requester like 'wallet:%'
    then (select w.sx from read.trust_wallets_v3 w where w.wallet = substr(r.requester, 8) and w.valid_to is null) end`;

async function agentOf(tx: pg.ClientBase, requester: string): Promise<number | null> {
  const sql = `select ${AGENT_OF} as sx from (values ($1::text)) r (requester)`;
  return (await tx.query<{ sx: number | null }>(sql, [requester])).rows[0]!.sx;
}

/**
 * Returns leases (event ids) with bound sides: the same agent, a delegation between them, or a node's wallet that paid
 * for the requester.
 */
async function linkedLeases(
  tx: pg.ClientBase,
  about: readonly TaskEventPair[],
  requesters: ReadonlyMap<string, string>,
): Promise<Set<string>> {
  const leases = about.flatMap(({ event, task_id }) => {
    const requester = requesters.get(task_id);
    if (event.type !== "TaskLeased" || requester === undefined) return [];
    const { sx, leased_at } = event.data;
    return { event_id: event.event_id, requester, sx, leased_at };
  });
  if (leases.length === 0) return new Set();
  // PostgreSQL would answer an `exists` by hashing all payments ever made.
  const sql = `select l.event_id from (
      select r.*, ${AGENT_OF} as agent from jsonb_to_recordset($1::jsonb)
        as r (event_id text, requester text, sx bigint, leased_at text)) l
    where l.agent = l.sx
      or exists (select from read.trust_delegations_v3 d where d.valid_to is null and d.expires_at > l.leased_at
        and ((d.from_sx = l.agent and d.to_sx = l.sx) or (d.from_sx = l.sx and d.to_sx = l.agent)))
      or (select true from read.trust_wallets_v3 w join read.trust_payments_v3 p on p.payer = w.wallet
        where w.sx = l.sx and w.valid_to is null and p.tenant = l.requester limit 1)`;
  const { rows: linked } = await tx.query<{ event_id: string }>(sql, [JSON.stringify(leases)]);
  return new Set(linked.map(({ event_id }) => event_id));
}

type Purses = Map<string, Purse & { changed: Set<number> }>;

/** Purses of requesters whose tasks these events may settle. */
async function pursesOf(
  tx: pg.ClientBase,
  about: readonly TaskEventPair[],
  { rows, requesters }: { rows: ReadonlyMap<string, Row>; requesters: ReadonlyMap<string, string> },
): Promise<Purses> {
  const settling = about.filter(({ event }) => !isOfTask(event) || event.type === "TaskSettled");
  const tenants = new Set(settling.flatMap(({ task_id }) => requesters.get(task_id) ?? []));
  const purses: Purses = new Map();
  for (const tenant of tenants) purses.set(tenant, { ...emptyPurse(), changed: new Set() });
  if (tenants.size === 0) return purses;
  // A task counts on its settlement day, which may lie in an earlier batch.
  const day = Math.min(
    ...settling.map(({ event, task_id }) =>
      Math.min(dayOf(event), rows.get(task_id)?.work.settled?.day ?? Number.POSITIVE_INFINITY),
    ),
  );
  const days = await tx.query<{ tenant: string; day: number; kept_micro: number; given_micro: number }>(
    "select tenant, day, kept_micro, given_micro from read.trust_requesters_v3 where tenant = any($1) and day >= $2",
    [[...tenants], day - TASKS_1.days],
  );
  for (const one of days.rows) {
    const purse = purses.get(one.tenant)!;
    purse.kept.set(one.day, one.kept_micro);
    purse.given.set(one.day, one.given_micro);
  }
  const before = await tx.query<{ requester: string; sx: number; counted_day: number }>(
    "select requester, sx, counted_day from read.trust_tasks_v3 where requester = any($1) and points > 0 and counted_day > $2",
    [[...tenants], day - TASKS_1.window_days],
  );
  for (const { requester, sx, counted_day } of before.rows)
    purses.get(requester)!.counted.push({ day: counted_day, provider: sx });
  return purses;
}

/** The points of a paid task are fixed now, from the log before it. */
function countedTask(row: Row, purses: Purses, position: number): NewEvidence[] {
  const { task_id, work, requester } = row;
  const { event_id, day, fee_micro } = work.settled!;
  const purse = purses.get(requester)!;
  const sx = work.sx!;
  const points = countTask(purse, { day, provider: sx, fee_micro, linked: work.linked });
  purse.changed.add(day);
  Object.assign(row, { sx, points, fee_micro, counted_day: day, counted_position: position });
  return points === 0
    ? []
    : [{ kind: "task", sx, points, event_id, day, position, source: `task:${task_id}` }];
}

type NodeDay = WorkDay & { sx: number };

/** Work for oneself is not measured. */
function measure(
  measured: Map<string, NodeDay>,
  { sx, linked, leased_at, limit_ms }: Work,
  event: WorkLogEvent,
) {
  if (sx === null || linked || !MEASURED.includes(event.type)) return;
  const day = dayOf(event);
  const of = measured.get(`${sx} ${day}`) ?? { sx, ...nothingOn(day) };
  measured.set(`${sx} ${day}`, of);
  switch (event.type) {
    case "TaskResultSubmitted":
      of.kept++;
      of.speed_ppm += speedPpm(limit_ms, Date.parse(event.data.submitted_at) - Date.parse(leased_at!));
      return;
    case "TaskLeaseExpired":
      of.lost++;
      return;
    case "TaskAudited":
      if (event.data.verdict === "valid") of.agreed++;
      if (event.data.verdict === "mismatch") of.differed++;
      return;
    case "TaskCompared":
      if (event.data.verdict === "agreed") of.agreed++;
      else of.differed++;
      return;
  }
}

const MEASURED = ["TaskResultSubmitted", "TaskLeaseExpired", "TaskAudited", "TaskCompared"];

async function saveTasks(tx: pg.ClientBase, rows: Row[]): Promise<void> {
  await tx.query(
    `insert into read.trust_tasks_v3 select * from jsonb_populate_recordset(null::read.trust_tasks_v3, $1::jsonb)
     on conflict (task_id) do update set (work, sx, points, fee_micro, counted_day, counted_position, punished) =
       row (excluded.work, excluded.sx, excluded.points, excluded.fee_micro, excluded.counted_day, excluded.counted_position, excluded.punished)`,
    [JSON.stringify(rows)],
  );
}

async function savePurses(tx: pg.ClientBase, purses: Purses): Promise<void> {
  const days = [...purses].flatMap(([tenant, { kept, given, changed }]) =>
    [...changed].map((day) => ({
      ...{ tenant, day, kept_micro: kept.get(day) ?? 0, given_micro: given.get(day) ?? 0 },
    })),
  );
  await saveRows(tx, "read.trust_requesters_v3", ["tenant", "day"], days);
}

async function saveMeasured(tx: pg.ClientBase, days: NodeDay[]): Promise<void> {
  if (days.length === 0) return;
  const counts = ["kept", "lost", "agreed", "differed", "speed_ppm"];
  await tx.query(
    `insert into read.trust_work_v3 as w select * from jsonb_populate_recordset(null::read.trust_work_v3, $1::jsonb)
     on conflict (sx, day) do update set (${counts.join(", ")}) = row (${counts.map((c) => `w.${c} + excluded.${c}`).join(", ")})`,
    [JSON.stringify(days)],
  );
}

async function insertEvidence(tx: pg.ClientBase, evidence: NewEvidence[]): Promise<void> {
  if (evidence.length === 0) return;
  await tx.query(
    `insert into read.trust_evidence_v3 (kind, sx, points, event_id, day, position, source, valid_from)
     select kind, sx, points, event_id, day, position, source, position
     from jsonb_populate_recordset(null::read.trust_evidence_v3, $1::jsonb)`,
    [JSON.stringify(evidence)],
  );
}

export type ReversalEvent = PositionedEvent<typeof account> & { type: "AccountCreditReversed" };

/**
 * The chain reverted a payment that was already spent: its account's tasks since the claim were paid with nothing, so
 * neither they nor their fees count. Returns whether scores change.
 */
export async function foldReversal(tx: pg.ClientBase, event: ReversalEvent): Promise<boolean> {
  const { source, debt_micro } = event.data;
  if (debt_micro === 0) return false;
  const tasks = await tx.query<{ task_id: string; fee_micro: number; counted_day: number }>(
    `update read.trust_tasks_v3 t set reversed = true from read.trust_payments_v3 p
     where p.id = substr($1, 9) and t.requester = $2 and not t.reversed and t.counted_position > p.claimed_position
     returning t.task_id, t.fee_micro, t.counted_day`,
    [source, event.tenant],
  );
  if (tasks.rowCount === 0) return false;
  const fees = tasks.rows.map(({ fee_micro, counted_day }) => ({
    ...{ tenant: event.tenant, day: counted_day, micro: -fee_micro },
  }));
  await addSpent(tx, fees);
  const closed = await tx.query(
    "update read.trust_evidence_v3 set valid_to = $2 where valid_to is null and source = any($1)",
    [tasks.rows.map(({ task_id }) => `task:${task_id}`), event.position],
  );
  return closed.rowCount! > 0;
}

/** Adds to a tenant's spent money by day; negative amounts undo it. */
export async function addSpent(
  tx: pg.ClientBase,
  changes: readonly { tenant: string; day: number; micro: number }[],
): Promise<void> {
  if (changes.length === 0) return;
  await tx.query(
    `insert into read.trust_requesters_v3 as r (tenant, day, kept_micro)
     select tenant, day, sum(micro) from jsonb_to_recordset($1::jsonb) as c (tenant text, day bigint, micro bigint)
     group by tenant, day
     on conflict (tenant, day) do update set kept_micro = r.kept_micro + excluded.kept_micro`,
    [JSON.stringify(changes)],
  );
}

/** The days with work of each node in a range; concurrent queries are batched. */
export const workDays = batched(
  async (pool, queries: readonly { sx: number; from: number; to: number }[]): Promise<WorkDay[][]> => {
    const text = `select a.place::int - 1 as place, day, kept, lost, agreed, differed, speed_ppm
      from unnest($1::bigint[], $2::bigint[], $3::bigint[]) with ordinality a (sx, from_day, to_day, place)
        join read.trust_work_v3 w on w.sx = a.sx and w.day between a.from_day and a.to_day order by day`;
    const values = (["sx", "from", "to"] as const).map((name) => queries.map((one) => one[name]));
    const { rows } = await pool.query<WorkDay & { place: number }>({ name: "trust_work_days", text, values });
    const days = queries.map((): WorkDay[] => []);
    for (const { place, ...day } of rows) days[place]!.push(day);
    return days;
  },
);
