/**
 * Snapshots of long streams only save time; deleting them is safe. A snapshot is used only if the log has its event
 * and hash, its fold version is the code's, and its HMAC is valid. So neither a reset log nor somebody who can write
 * to the table can change a decision.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { deserialize, serialize } from "node:v8";
import type pg from "pg";
import { batched } from "../../../eventstore/query-batch.ts";
import { MAIN_LOG, type StreamHead } from "../../../eventstore/types.ts";
import type { DomainEvent, Entity } from "../model/entity.ts";

/** An index of the log depends on this number. */
export const SNAPSHOT_EVERY = 500;

type AnyEntity = Entity<unknown, DomainEvent>;
type SnapshotEntity = Pick<AnyEntity, "prefix" | "fold_version">;

export type StreamName = { tenant: string; stream_id: string };

export type Snapshot = { state: unknown; version: number; position: number };

export type DueSnapshot = StreamName & { entity: AnyEntity; position: number };

type Row = { version: number; position: number; event_hash: Buffer; state: Buffer; seal: Buffer };

type SnapshotName = StreamName & { prefix: string; fold_version: number };

const storedSnapshot = batched<SnapshotName, Row | undefined>(async (pool, names) => {
  const { rows } = await pool.query<Row & { ordinal: number }>({
    name: "read.stream_snapshots_of",
    text: `select ordinal::int4 as ordinal, s.version, s.position, s.event_hash, s.state, s.seal
        from unnest($2::text[], $3::text[], $4::text[], $5::int4[])
          with ordinality as requested (tenant, stream_id, entity, fold_version, ordinal)
        cross join lateral (
          select s.version, e.position, s.event_hash, s.state, s.seal
            from read.stream_snapshots s
            join eventstore.events e using (log_id, tenant, stream_id, version, event_hash)
           where log_id = $1 and tenant = requested.tenant and stream_id = requested.stream_id
             and s.entity = requested.entity and s.fold_version = requested.fold_version limit 1) as s`,
    values: [
      MAIN_LOG,
      names.map(({ tenant }) => tenant),
      names.map(({ stream_id }) => stream_id),
      names.map(({ prefix }) => prefix),
      names.map(({ fold_version }) => fold_version),
    ],
  });
  const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]));
  return names.map((_, at) => byOrdinal.get(at + 1));
});

export class StreamSnapshots {
  readonly #pool: pg.Pool;
  readonly #key: Uint8Array;
  readonly #entities: readonly AnyEntity[];

  constructor(pool: pg.Pool, key: Uint8Array, entities: readonly AnyEntity[]) {
    this.#pool = pool;
    this.#key = key;
    this.#entities = entities.filter(({ fold_version }) => fold_version !== undefined);
  }

  /**
   * The stored snapshot, if it is valid and not beyond the position `last`. If undefined, fold from the first event.
   */
  async find(
    { prefix, fold_version }: SnapshotEntity,
    { tenant, stream_id }: StreamName,
    last = Number.POSITIVE_INFINITY,
  ): Promise<Snapshot | undefined> {
    if (fold_version === undefined) return undefined;
    const row = await storedSnapshot(this.#pool, { tenant, stream_id, prefix, fold_version });
    if (!row || row.position > last) return undefined;
    const { version, position, event_hash, state, seal } = row;
    const right = this.#seal({ prefix, fold_version }, event_hash, state);
    if (seal.length === right.length && timingSafeEqual(seal, right))
      return { state: deserialize(state), version, position };
    // An invalid snapshot is deleted, so that a valid one can replace it.
    await this.#pool.query(
      "delete from read.stream_snapshots where log_id = $1 and tenant = $2 and stream_id = $3 and seal = $4",
      [MAIN_LOG, tenant, stream_id, seal],
    );
    return undefined;
  }

  async due(after: number): Promise<DueSnapshot[]> {
    const { rows } = await this.#pool.query<StreamName & { position: number; ordinal: number }>({
      name: "read.stream_snapshots_due",
      text: `select tenant, stream_id, position, ordinal from (
          select distinct on (e.tenant, e.stream_id) e.tenant, e.stream_id, e.position, entity.ordinal
            from eventstore.events e
            join unnest($3::text[], $4::int4[]) with ordinality entity (prefix, fold_version, ordinal)
              on starts_with(e.stream_id, prefix)
           where e.log_id = $1 and e.version % ${SNAPSHOT_EVERY} = 0 and e.position > $2
             and not exists (
               select from read.stream_snapshots s
                where s.log_id = e.log_id and s.tenant = e.tenant and s.stream_id = e.stream_id
                  and s.version >= e.version and s.fold_version >= entity.fold_version)
           order by e.tenant, e.stream_id, e.version desc) due
         order by position limit 100`,
      values: [
        MAIN_LOG,
        after,
        this.#entities.map(({ prefix }) => prefix),
        this.#entities.map(({ fold_version }) => fold_version),
      ],
    });
    return rows.map(({ ordinal, ...due }) => ({ ...due, entity: this.#entities[ordinal - 1]! }));
  }

  async keep(
    tx: Pick<pg.ClientBase, "query">,
    { prefix, fold_version }: SnapshotEntity,
    { tenant, stream_id }: StreamName,
    { state, version, event_hash }: StreamHead & { state: unknown },
  ): Promise<void> {
    if (fold_version === undefined) throw new Error(`${prefix} declares no fold_version`);
    const bytes = serialize(state);
    const seal = this.#seal({ prefix, fold_version }, event_hash, bytes);
    // A process with older code must not replace a snapshot that newer code stored.
    await tx.query(
      `insert into read.stream_snapshots values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       on conflict (log_id, tenant, stream_id) do update
         set version = excluded.version, event_hash = excluded.event_hash, entity = excluded.entity,
             fold_version = excluded.fold_version, state = excluded.state, seal = excluded.seal
       where stream_snapshots.fold_version <= excluded.fold_version`,
      [MAIN_LOG, tenant, stream_id, version, event_hash, prefix, fold_version, bytes, seal],
    );
  }

  /** The HMAC covers the stream's name and, by the hash, all its earlier events. */
  #seal(
    { prefix, fold_version }: Required<SnapshotEntity>,
    event_hash: Uint8Array,
    state: Uint8Array,
  ): Buffer {
    const header = `tallystick/stream-snapshot/1\n${prefix}\n${fold_version}\n`;
    return createHmac("sha256", this.#key).update(header).update(event_hash).update(state).digest();
  }
}
