/** The read models of the compute market and of tasks' trust, over memory: they answer the statements of src/projections. */
import type pg from "pg";
import { evolve, type Task, type TaskState } from "../../src/domain/compute/task.ts";
import { soulTenant } from "../../src/domain/identity/soul-tenant.ts";
import { canTake, type ReadyTask, type Taker } from "../../src/projections/compute/tasks.ts";
import { BEGIN_MS, type VirtualClock } from "./clock.ts";
import type { ModelLog } from "./model-store.ts";

type Row = { tenant: string; task_id: string; position: number; state: Task };

/** Tasks by the log up to a position, which lags behind the log. */
export class TaskList {
  position = 0;
  readonly rows = new Map<string, Row>();
  readonly leases = new Map<string, Row>();
  readonly #log: ModelLog;

  constructor(log: ModelLog) {
    this.#log = log;
  }

  fold(): void {
    for (const { tenant, stream_id, type, payload, position } of this.#log.events.slice(this.position)) {
      this.position = position;
      if (!stream_id.startsWith("task-")) continue;
      const task_id = stream_id.slice("task-".length);
      const before = this.rows.get(task_id);
      const state = evolve(before?.state as TaskState, { type, data: payload } as never) as Task;
      const row = { tenant, task_id, position: before?.position ?? position, state };
      this.rows.set(task_id, row);
      if (type === "TaskLeased") this.leases.set(String(payload.lease_sha256), row);
    }
  }

  ready(now: string): (ReadyTask & { position: number })[] {
    const queued = [...this.rows.values()].filter(({ state }) => state.status === "queued");
    const offer = ({ max_price_micro, limit_s }: ReadyTask) => max_price_micro / limit_s;
    return queued
      .filter(({ state }) => state.ready_at <= now && now < state.facts.terms.deadline_at)
      .map(({ tenant, task_id, position, state: { facts, failed_by } }) => {
        const { max_price_micro, limit_s, assign, min_trust } = facts.terms;
        const own = { max_price_micro, limit_s, assign, min_trust, failed_by: [...failed_by], done_by: [] };
        return { tenant, task_id, position, kind: facts.kind, ...own };
      })
      .sort((a, b) => offer(b) - offer(a) || a.position - b.position);
  }
}

/** A text array as src sends it: a header of 20 bytes, then each value after its length. */
function textsIn(bytes: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 20; at < bytes.length; ) {
    const length = bytes.readInt32BE(at);
    texts.push(bytes.toString("utf8", at + 4, at + 4 + length));
    at += 4 + length;
  }
  return texts;
}

const now = () => new Date(Date.now()).toISOString();

type Answer = (values: readonly unknown[], tasks: TaskList) => object[];

/** By the statement's name. */
export const TASK_ANSWERS: Readonly<Record<string, Answer>> = {
  compute_ready: ([takers, , but, limit], tasks) => {
    const left_out = textsIn(but as Buffer);
    const found = tasks
      .ready(now())
      .filter(({ task_id }) => !left_out.includes(task_id))
      .filter((task) => (JSON.parse(String(takers)) as Taker[]).some((taker) => canTake(taker, task)));
    return found.slice(0, Number(limit)).map(({ position: _, ...task }) => task);
  },
  compute_standing: ([numbers], tasks) =>
    (numbers as number[]).map((sx) => {
      const running = [...tasks.rows.values()].filter(
        ({ state }) => state.status === "leased" && state.lease?.sx === sx,
      );
      const none = { failures: 0, failed_at: null, trust: 0 };
      return { running: running.length, ...none, bound: [soulTenant(sx)] };
    }),
  compute_lent_under: ([lease_sha256], tasks) => {
    const row = tasks.leases.get(String(lease_sha256));
    return row ? [{ tenant: row.tenant, task_id: row.task_id }] : [];
  },
  compute_next_ready: (_, tasks) => {
    const times = [...tasks.rows.values()].flatMap(({ state }) =>
      state.status === "queued" && state.ready_at > now() ? [Date.parse(state.ready_at)] : [],
    );
    return [{ ms: times.length === 0 ? null : Math.min(...times) - Date.now() }];
  },
};

type TableRow = Record<string, unknown>;

/** The tables that the fold of tasks' trust writes. A statement's own list says which columns an upsert changes. */
export class TrustTables {
  readonly tables = new Map<string, TableRow[]>();

  copy(): TrustTables {
    const other = new TrustTables();
    for (const [name, rows] of this.tables)
      other.tables.set(
        name,
        rows.map((row) => structuredClone(row)),
      );
    return other;
  }

  #rows(table: string): TableRow[] {
    const rows = this.tables.get(table) ?? [];
    this.tables.set(table, rows);
    return rows;
  }

  #upsert(sql: string, given: readonly TableRow[]): void {
    const table = /insert into (read\.\w+)/.exec(sql)![1]!;
    const key = /on conflict \(([^)]*)\)/.exec(sql)![1]!.split(", ");
    const set = /do update set \(([^)]*)\)/.exec(sql)![1]!.split(", ");
    const adds = /row \(w\./.test(sql);
    const rows = this.#rows(table);
    for (const row of given) {
      const before = rows.find((one) => key.every((column) => one[column] === row[column]));
      if (!before) rows.push({ ...row });
      else
        for (const column of set)
          before[column] = adds ? Number(before[column]) + Number(row[column]) : row[column];
    }
  }

  query(sql: string, values: readonly unknown[]): TableRow[] {
    const [first, second] = values;
    const given = () => JSON.parse(String(first)) as TableRow[];
    if (sql.startsWith("select * from read.trust_tasks_v3"))
      return this.#rows("read.trust_tasks_v3")
        .filter(({ task_id }) => (first as string[]).includes(String(task_id)))
        .map((row) => structuredClone(row));
    if (sql.includes("select l.event_id from")) return [];
    if (sql.includes("from read.trust_requesters_v3"))
      return this.#rows("read.trust_requesters_v3").filter(
        ({ tenant, day }) => (first as string[]).includes(String(tenant)) && Number(day) >= Number(second),
      );
    if (sql.startsWith("select requester, sx, counted_day from read.trust_tasks_v3"))
      return this.#rows("read.trust_tasks_v3").filter(
        ({ requester, points, counted_day }) =>
          (first as string[]).includes(String(requester)) &&
          Number(points) > 0 &&
          Number(counted_day) > Number(second),
      );
    if (sql.includes("insert into read.trust_evidence_v3")) {
      this.#rows("read.trust_evidence_v3").push(...given());
      return [];
    }
    if (sql.includes("on conflict")) {
      this.#upsert(sql, given());
      return [];
    }
    throw new Error(`the model of trust's tables does not know: ${sql.slice(0, 80)}`);
  }

  /** A transaction, for a fold. */
  client(io: () => Promise<void>): pg.ClientBase {
    const query = async (asked: string | { text: string; values: unknown[] }, values: unknown[] = []) => {
      await io();
      const rows =
        typeof asked === "string" ? this.query(asked, values) : this.query(asked.text, asked.values);
      return { rows, rowCount: rows.length };
    };
    return { query } as unknown as pg.ClientBase;
  }

  /** The evidence of all scores, a line each. */
  evidence(): string[] {
    return this.#rows("read.trust_evidence_v3").map(
      ({ kind, sx, points, source }) => `${kind} of ${sx}: ${points} for ${source}`,
    );
  }
}

export const timeOf = (clock: VirtualClock): string => new Date(BEGIN_MS + clock.now).toISOString();
