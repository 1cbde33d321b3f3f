/** The notices of each tenant in log order, the tenants that joined a subject, and how far each webhook has taken them. */
import type pg from "pg";
import { encodeCursor } from "../../../eventstore/cursor.ts";
import { MAIN_LOG } from "../../../eventstore/types.ts";
import { projection } from "../../core/read-models/projection.ts";
import { readRows, saveRows } from "../../core/read-models/rows.ts";
import type { EventPosition } from "../../core/read-models/typed-events.ts";
import { EVERYBODY, type KindName, kinds, shownFacts, sourceOf } from "../../domain/notices/kinds.ts";
import * as subscription from "../../domain/notices/subscription.ts";

type NoticeRow = {
  tenant: string;
  position: number;
  recorded_at_us: number;
  kind: KindName;
  subject_id: string;
  type: string;
  facts: Record<string, unknown>;
};
type PartyRow = { kind: KindName; subject_id: string; tenant: string };

export const noticesProjection = projection({
  name: "notices",
  version: 2,
  ddl: `
    create table if not exists read.notices_v2 (
      tenant         text not null,
      position       bigint not null,
      recorded_at_us bigint not null,
      kind           text not null,
      subject_id     text not null,
      type           text not null,
      facts          jsonb not null,
      primary key (tenant, position)
    );
    create index if not exists notices_v2_kind on read.notices_v2 (tenant, kind, position);
    create index if not exists notices_v2_position on read.notices_v2 (position);
    create table if not exists read.notice_parties_v2 (
      kind       text not null,
      subject_id text not null,
      tenant     text not null,
      primary key (kind, subject_id, tenant)
    );
    create index if not exists notices_v2_recorded on read.notices_v2 (recorded_at_us);
    create table if not exists read.notice_readers_v2 (
      subscription_id text primary key,
      tenant          text not null,
      kinds           text[] not null,
      products        text[] not null,
      through         bigint not null,
      since_us        bigint not null,
      ended           boolean not null
    );`,
  of: [...kinds.map(({ of }) => of), subscription],
  async fold(events, tx) {
    const noticed = events.flatMap((event) => {
      const source = sourceOf(event.type);
      return source ? [{ event, ...source }] : [];
    });
    const parties = new Parties(
      await joined(
        tx,
        noticed.map(({ kind, event }) => [kind.name, event.id]),
      ),
    );
    const notices: NoticeRow[] = [];
    for (const { event, kind, row } of noticed) {
      const { id: subject_id, position, recorded_at_us, tenant } = event;
      const data = event.data as Record<string, unknown>;
      const subject = { kind: kind.name, subject_id };
      const owners = kind.owners(tenant, subject_id);
      for (const one of row.joins?.(data as never) ?? [])
        if (!owners.includes(one)) parties.join(subject, one);
      if (row.type !== undefined) {
        const facts = shownFacts(row, data);
        for (const one of [...owners, ...parties.of(subject)])
          notices.push({ tenant: one, position, recorded_at_us, ...subject, type: row.type, facts });
      }
      if (row.ends) parties.leave(subject);
    }
    await insertNotices(tx, notices);
    await parties.save(tx);
    await saveReaders(tx, events as readonly ReaderEvent[]);
    await deleteOld(tx, events.at(-1)!.recorded_at_us);
  },
});

type ReaderRow = {
  subscription_id: string;
  tenant: string;
  kinds: string[];
  products: string[];
  /** The webhook took every notice up to this position. */
  through: number;
  since_us: number;
  ended: boolean;
};
type ReaderEvent = subscription.SubscriptionEvent & Pick<EventPosition, "id" | "tenant" | "recorded_at_us">;

const READERS = "read.notice_readers_v2";

async function saveReaders(tx: pg.ClientBase, events: readonly ReaderEvent[]): Promise<void> {
  const changes = events.filter(({ type }) => Object.hasOwn(subscription.events, type));
  if (changes.length === 0) return;
  const ids = changes.map(({ id }) => id);
  const rows = await readRows<ReaderRow, "subscription_id">(tx, READERS, "subscription_id", ids);
  for (const event of changes) {
    const { id, tenant, recorded_at_us: since_us } = event;
    const row = rows.get(id);
    if (event.type === "NoticesSubscribed") {
      const { kinds, products, after } = event.data;
      rows.set(id, { subscription_id: id, tenant, kinds, products, through: after, since_us, ended: false });
    } else if (row && event.type === "NoticesDelivered")
      row.through = Math.max(row.through, event.data.through);
    else if (row && event.type === "NoticesUnsubscribed") row.ended = true;
  }
  await saveRows(tx, READERS, ["subscription_id"], rows.values());
}

const KEEP_US = subscription.KEEP_DAYS * 86_400_000_000;

/** Deletes notices that are old by the log's own time, so that a rebuild gives the same, and that no webhook waits for. */
async function deleteOld(tx: pg.ClientBase, now_us: number): Promise<void> {
  const text = `delete from read.notices_v2 n where n.recorded_at_us < $1 and not exists (
      select from ${READERS} r
       where not r.ended and r.through < n.position and n.recorded_at_us >= r.since_us - ${KEEP_US}
         and (r.tenant = n.tenant or n.tenant = '${EVERYBODY}') and n.kind = any(r.kinds) and ${bears("r.products")})`;
  await tx.query({ name: "notices_delete_old", text, values: [now_us - KEEP_US] });
}

type Subject = { kind: KindName; subject_id: string };

/** The tenants that joined a batch's subjects, and the batch's changes to them. */
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
    const sql = `delete from read.notice_parties_v2 p
      using jsonb_populate_recordset(null::read.notice_parties_v2, $1::jsonb) c
      where p.kind = c.kind and p.subject_id = c.subject_id`;
    await tx.query({ name: "notices_leave", text: sql, values: [JSON.stringify(subjects)] });
    const rows = subjects.flatMap((subject) =>
      [...this.#set(subject)].map((tenant) => ({ ...subject, tenant })),
    );
    const text = `insert into read.notice_parties_v2 (kind, subject_id, tenant)
      select kind, subject_id, tenant from jsonb_populate_recordset(null::read.notice_parties_v2, $1::jsonb)`;
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
  const text = `select p.* from read.notice_parties_v2 p
    where (p.kind, p.subject_id) in (select distinct * from unnest($1::text[], $2::text[]))`;
  const values = [subjects.map(([kind]) => kind), subjects.map(([, id]) => id)];
  return (await tx.query<PartyRow>({ name: "notices_parties", text, values })).rows;
}

async function insertNotices(tx: pg.ClientBase, notices: readonly NoticeRow[]): Promise<void> {
  if (notices.length === 0) return;
  const text = `insert into read.notices_v2 (tenant, position, recorded_at_us, kind, subject_id, type, facts)
    select tenant, position, recorded_at_us, kind, subject_id, type, facts
      from jsonb_populate_recordset(null::read.notices_v2, $1::jsonb)`;
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

/** A duty applies to all codes below its own, and a product has the duties of the codes below it. */
const bears = (products: string) => `(n.kind <> 'duty' or cardinality(${products}) = 0 or exists (
    select from unnest(${products}) wanted(code), rtrim(n.facts->>'goods_code', '0') stem
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
    from read.notices_v2 n join eventstore.events e on e.log_id = ${MAIN_LOG} and e.position = n.position
    where n.tenant in ($1, '${EVERYBODY}') and n.position > $2 and n.kind = any($3) and ${bears("$4::text[]")}
    order by n.position limit $5`;
  const values = [tenant, after, kinds, products, limit];
  type Row = Omit<Notice, "cursor"> & { log_hash: Buffer };
  const { rows } = await pool.query<Row>({ name: "notices_after", text, values });
  return rows.map(({ log_hash, ...row }) => ({
    ...row,
    cursor: encodeCursor({ epoch, position: row.position, log_hash }),
  }));
}

/** Tenants with notices above `after` and up to `through`. */
export async function tenantsNoticed(
  pool: pg.Pool,
  { after, through }: { after: number; through: number },
): Promise<string[]> {
  const text = "select distinct tenant from read.notices_v2 where position > $1 and position <= $2";
  const { rows } = await pool.query<{ tenant: string }>({
    name: "notices_told",
    text,
    values: [after, through],
  });
  return rows.map(({ tenant }) => tenant);
}
