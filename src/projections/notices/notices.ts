/** The notices of each tenant in log order, and the tenants that joined a subject. */
import type pg from "pg";
import { encodeCursor } from "../../../eventstore/cursor.ts";
import { MAIN_LOG } from "../../../eventstore/types.ts";
import { projection } from "../../core/read-models/projection.ts";
import { EVERYBODY, type KindName, kinds, shownFacts, sourceOf } from "../../domain/notices/kinds.ts";

type NoticeRow = {
  tenant: string;
  position: number;
  kind: KindName;
  subject_id: string;
  type: string;
  facts: Record<string, unknown>;
};
type PartyRow = { kind: KindName; subject_id: string; tenant: string };

export const noticesProjection = projection({
  name: "notices",
  version: 1,
  ddl: `
    create table if not exists read.notices_v1 (
      tenant     text not null,
      position   bigint not null,
      kind       text not null,
      subject_id text not null,
      type       text not null,
      facts      jsonb not null,
      primary key (tenant, position)
    );
    create index if not exists notices_v1_kind on read.notices_v1 (tenant, kind, position);
    create index if not exists notices_v1_position on read.notices_v1 (position);
    create table if not exists read.notice_parties_v1 (
      kind       text not null,
      subject_id text not null,
      tenant     text not null,
      primary key (kind, subject_id, tenant)
    );`,
  of: kinds.map(({ of }) => of),
  async fold(events, tx) {
    const told = events.flatMap((event) => {
      const source = sourceOf(event.type);
      return source ? [{ event, ...source }] : [];
    });
    const parties = new Parties(
      await joined(
        tx,
        told.map(({ kind, event }) => [kind.name, event.id]),
      ),
    );
    const notices: NoticeRow[] = [];
    for (const { event, kind, row } of told) {
      const { id: subject_id, position, tenant } = event;
      const data = event.data as Record<string, unknown>;
      const subject = { kind: kind.name, subject_id };
      const owners = kind.owners(tenant, subject_id);
      for (const one of row.joins?.(data as never) ?? [])
        if (!owners.includes(one)) parties.join(subject, one);
      if (row.type !== undefined) {
        const facts = shownFacts(row, data);
        for (const one of [...owners, ...parties.of(subject)])
          notices.push({ tenant: one, position, ...subject, type: row.type, facts });
      }
      if (row.ends) parties.leave(subject);
    }
    await insertNotices(tx, notices);
    await parties.save(tx);
  },
});

type Subject = { kind: KindName; subject_id: string };

/** Who joined the subjects of a batch, and how the batch changes that. */
class Parties {
  readonly #tenants = new Map<string, Set<string>>();
  readonly #changed = new Map<string, Subject>();

  constructor(rows: readonly PartyRow[]) {
    for (const row of rows) this.#set(row).add(row.tenant);
  }

  of(subject: Subject): Iterable<string> {
    return this.#set(subject);
  }

  join(subject: Subject, tenant: string): void {
    const tenants = this.#set(subject);
    if (tenants.has(tenant)) return;
    tenants.add(tenant);
    this.#changed.set(keyOf(subject), subject);
  }

  leave(subject: Subject): void {
    this.#set(subject).clear();
    this.#changed.set(keyOf(subject), subject);
  }

  async save(tx: pg.ClientBase): Promise<void> {
    const subjects = [...this.#changed.values()];
    if (subjects.length === 0) return;
    const sql = `delete from read.notice_parties_v1 p
      using jsonb_populate_recordset(null::read.notice_parties_v1, $1::jsonb) c
      where p.kind = c.kind and p.subject_id = c.subject_id`;
    await tx.query({ name: "notices_leave", text: sql, values: [JSON.stringify(subjects)] });
    const rows = subjects.flatMap((subject) =>
      [...this.#set(subject)].map((tenant) => ({ ...subject, tenant })),
    );
    const text = `insert into read.notice_parties_v1 (kind, subject_id, tenant)
      select kind, subject_id, tenant from jsonb_populate_recordset(null::read.notice_parties_v1, $1::jsonb)`;
    await tx.query({ name: "notices_join", text, values: [JSON.stringify(rows)] });
  }

  #set(subject: Subject): Set<string> {
    const key = keyOf(subject);
    const found = this.#tenants.get(key) ?? new Set();
    this.#tenants.set(key, found);
    return found;
  }
}

const keyOf = ({ kind, subject_id }: Subject) => `${kind}:${subject_id}`;

async function joined(
  tx: pg.ClientBase,
  subjects: readonly (readonly [KindName, string])[],
): Promise<PartyRow[]> {
  if (subjects.length === 0) return [];
  const text = `select p.* from read.notice_parties_v1 p
    where (p.kind, p.subject_id) in (select distinct * from unnest($1::text[], $2::text[]))`;
  const values = [subjects.map(([kind]) => kind), subjects.map(([, id]) => id)];
  return (await tx.query<PartyRow>({ name: "notices_parties", text, values })).rows;
}

async function insertNotices(tx: pg.ClientBase, notices: readonly NoticeRow[]): Promise<void> {
  if (notices.length === 0) return;
  const text = `insert into read.notices_v1 (tenant, position, kind, subject_id, type, facts)
    select tenant, position, kind, subject_id, type, facts
      from jsonb_populate_recordset(null::read.notices_v1, $1::jsonb)`;
  await tx.query({ name: "notices_insert", text, values: [JSON.stringify(notices)] });
}

/** A notice as its reader gets it: the same by webhook and in the stream. */
export type Notice = {
  position: number;
  /** Its place in the log: a cursor of the change feed. */
  cursor: string;
  kind: KindName;
  subject_id: string;
  event_id: string;
  type: string;
  /** When its event was recorded. */
  timestamp: string;
  facts: Record<string, unknown>;
};

export type NoticeFilter = { tenant: string; kinds: readonly string[]; products: readonly string[] };

/** A duty bears on what its code contains, and a product's duties are also those of its parts. */
const BEARS = `(n.kind <> 'duty' or cardinality($4::text[]) = 0 or exists (
    select from unnest($4::text[]) wanted(code), rtrim(n.facts->>'goods_code', '0') stem
     where stem like code || '%' or code like stem || '%' or n.facts->>'goods_code' like code || '%'))`;

/** The notices of a tenant after a position, its own and everybody's, oldest first. */
export async function noticesAfter(
  pool: pg.Pool,
  epoch: string,
  { tenant, kinds, products }: NoticeFilter,
  { after, limit }: { after: number; limit: number },
): Promise<Notice[]> {
  const text = `select n.position::float8 as position, n.kind, n.subject_id, n.type, n.facts, e.event_id, e.log_hash,
      to_char(timestamp 'epoch' + e.recorded_at_us * interval '1 microsecond', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as timestamp
    from read.notices_v1 n join eventstore.events e on e.log_id = ${MAIN_LOG} and e.position = n.position
    where n.tenant in ($1, '${EVERYBODY}') and n.position > $2 and n.kind = any($3) and ${BEARS}
    order by n.position limit $5`;
  const values = [tenant, after, kinds, products, limit];
  type Row = Omit<Notice, "cursor"> & { log_hash: Buffer };
  const { rows } = await pool.query<Row>({ name: "notices_after", text, values });
  return rows.map(({ log_hash, ...row }) => ({
    ...row,
    cursor: encodeCursor({ epoch, position: row.position, log_hash }),
  }));
}

/** The tenants that positions after `after` and up to `through` have notices for. */
export async function tenantsTold(
  pool: pg.Pool,
  { after, through }: { after: number; through: number },
): Promise<string[]> {
  const text = "select distinct tenant from read.notices_v1 where position > $1 and position <= $2";
  const { rows } = await pool.query<{ tenant: string }>({
    name: "notices_told",
    text,
    values: [after, through],
  });
  return rows.map(({ tenant }) => tenant);
}
