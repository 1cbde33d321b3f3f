/**
 * The Subjects port: one key per subject in a separate database, wrapped by the master key. Keys are never cached
 * beyond a query, so that an erasure by one process holds for all.
 */
import type pg from "pg";
import { batched } from "../../eventstore/query-batch.ts";
import {
  type IssuedKey,
  type OpenedValue,
  type Subjects,
  SubjectsUnavailable,
} from "../core/model/ports/subjects.ts";
import type { SubjectName } from "../core/model/sealed.ts";
import {
  lookupOf,
  masterKeyId,
  newSubject,
  openValue,
  sealValue,
  unwrapKey,
  wrapKey,
} from "./subject-keys.ts";

export type VaultParts = {
  /** The vault's database, as the owner of its tables. */
  pool: pg.Pool;
  /** The log's origin. */
  origin: string;
  pepper: Uint8Array;
  /** `current` wraps new keys; keys wrapped by `older` still open. */
  masters: { current: Uint8Array; older?: Uint8Array };
  backup_days: number;
};

type Row = { subject_id: string; lookup: Buffer; master_key_id: string; wrapped_key: Buffer };
type SubjectKeyRow = { subject_id: string; key: Buffer };

const REWRAP_AT_ONCE = 1_000;
/** Vacuuming reads the whole table; only erasures wait for it. */
const VACUUM_MS = 3_600_000;

/** Without a vault: nothing is sealed, and nothing opens. */
export function absentSubjects(): Subjects {
  const refuse = async () => {
    throw new SubjectsUnavailable("there is no vault of personal data: set SUBJECT_KEYS_URL");
  };
  const none = async () => [];
  return {
    ...{
      seal: refuse,
      open: refuse,
      find: refuse,
      erase: refuse,
      used: refuse,
      recall: refuse,
      rewrap: refuse,
    },
    // It has nothing to maintain.
    given: none,
    backup_days: 0,
  };
}

/** The vault's subject keys, and the master keys that wrap them. */
class KeyRing {
  readonly pool: pg.Pool;
  readonly current_id: string;
  readonly #current: Uint8Array;
  readonly #masters: ReadonlyMap<string, Uint8Array>;

  constructor({ pool, masters: { current, older } }: VaultParts) {
    this.pool = pool;
    this.current_id = masterKeyId(current);
    this.#current = current;
    this.#masters = new Map([
      [this.current_id, current],
      ...(older ? ([[masterKeyId(older), older]] as const) : []),
    ]);
  }

  keyOf({ subject_id, master_key_id, wrapped_key }: Omit<Row, "lookup">): Buffer {
    const master = this.#masters.get(master_key_id);
    if (!master)
      throw new SubjectsUnavailable(
        `keys are wrapped by the master key ${master_key_id}, which this process was not given`,
      );
    return unwrapKey(master, subject_id, wrapped_key);
  }

  wrap(subject_id: string, key: Buffer): Buffer {
    return wrapKey(this.#current, subject_id, key);
  }

  /**
   * Finds the subjects of these lookups and creates missing ones. Presumed new ones are created before any is
   * searched.
   */
  async known(lookups: readonly Buffer[], presumed: readonly Buffer[]): Promise<Map<string, SubjectKeyRow>> {
    const found = new Map<string, SubjectKeyRow>();
    const note = (rows: readonly Row[]) => {
      for (const row of rows)
        found.set(nameOf(row.lookup), { subject_id: row.subject_id, key: this.keyOf(row) });
    };
    if (presumed.length > 0) note(await this.#make(presumed));
    for (;;) {
      const missing = lookups.filter((lookup) => !found.has(nameOf(lookup)));
      if (missing.length === 0) return found;
      note(await given(this.pool, missing));
      const unknown = missing.filter((lookup) => !found.has(nameOf(lookup)));
      // A subject that another process creates meanwhile is found in the next round.
      if (unknown.length > 0) note(await this.#make(unknown));
    }
  }

  async #make(lookups: readonly Buffer[]): Promise<Row[]> {
    const made = lookups.map((lookup): Row => {
      const { subject_id, key } = newSubject();
      return { subject_id, lookup, master_key_id: this.current_id, wrapped_key: this.wrap(subject_id, key) };
    });
    // Sorted, so that two creators of the same subjects cannot deadlock.
    made.sort((a, b) => Buffer.compare(a.lookup, b.lookup));
    const { rows } = await ask<Row>(this.pool, MAKE, [
      made.map(({ subject_id }) => subject_id),
      made.map(({ lookup }) => lookup),
      this.current_id,
      made.map(({ wrapped_key }) => wrapped_key),
    ]);
    return rows;
  }
}

export function createSubjectVault(parts: VaultParts): Subjects {
  const ring = new KeyRing(parts);
  return { backup_days: parts.backup_days, ...valuesOf(parts, ring), ...keysOf(ring) };
}

/** The callers' part: sealing and opening. */
function valuesOf({ origin, pepper }: VaultParts, ring: KeyRing): Pick<Subjects, "seal" | "open" | "find"> {
  return {
    async seal(page) {
      const lookups = page.map(({ subject }) => lookupOf(pepper, subject));
      const presumed = lookups.filter((_, at) => page[at]!.is_new);
      const subjects = await ring.known(distinct(lookups), distinct(presumed));
      return page.map(({ place, value }, at) =>
        sealValue({ origin, place }, subjects.get(nameOf(lookups[at]!))!, value),
      );
    },

    async open(page) {
      if (page.length === 0) return [];
      const ids = [...new Set(page.map(({ sealed }) => sealed.subject_id))];
      const { rows } = await ask<Omit<Row, "lookup">>(ring.pool, KEYS, [ids]);
      const keys = new Map(rows.map((row) => [row.subject_id, ring.keyOf(row)]));
      return page.map(({ sealed, place }): OpenedValue => {
        const { subject_id } = sealed;
        const key = keys.get(subject_id);
        return key
          ? { erased: false, subject_id, value: openValue({ origin, place }, key, sealed) }
          : { erased: true, subject_id };
      });
    },

    async find(subject: SubjectName) {
      const { rows } = await ask<Row>(ring.pool, FIND, [[lookupOf(pepper, subject)]]);
      return rows[0]?.subject_id;
    },
  };
}

/** The operator's part: keys are erased, marked, recalled and rewrapped. */
function keysOf(ring: KeyRing): Omit<Subjects, "seal" | "open" | "find" | "backup_days"> {
  const { pool, current_id } = ring;
  const vacuum = together(() => vacuumKeys(pool));
  return {
    async erase(subject_ids) {
      if (subject_ids.length === 0) return 0;
      const { rowCount } = await ask(pool, ERASE, [[...subject_ids].sort()]);
      // A process may have died after a delete and before the vacuum.
      await vacuum().catch((cause: Error) => {
        throw new SubjectsUnavailable(`the vault cannot be vacuumed: ${cause.message}`, { cause });
      });
      return rowCount ?? 0;
    },

    async given(limit) {
      return (await ask<IssuedKey>(pool, GIVEN, [limit])).rows;
    },

    async used(subject_ids) {
      if (subject_ids.length > 0) await ask(pool, USED, [subject_ids]);
    },

    async recall(keys) {
      const values = [keys.map(({ subject_id }) => subject_id), keys.map(({ given_at }) => given_at)];
      return keys.length === 0 ? 0 : ((await ask(pool, RECALL, values)).rowCount ?? 0);
    },

    async rewrap() {
      let count = 0;
      for (;;) {
        const rewrapped = await rewrapSome(pool, current_id, (row) =>
          ring.wrap(row.subject_id, ring.keyOf(row)),
        );
        count += rewrapped;
        if (rewrapped < REWRAP_AT_ONCE) break;
      }
      await ask(pool, FORGET_MASTERS, [current_id]);
      await vacuum();
      return count;
    },
  };
}

async function vacuumKeys(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("set statement_timeout = 0");
    // A deleted row remains in its page and index until it is vacuumed.
    await client.query({
      text: "vacuum (index_cleanup on) subject_keys.subjects",
      query_timeout: VACUUM_MS,
    } as pg.QueryConfig);
  } finally {
    client.release(true);
  }
}

/** Rewraps some keys in one transaction; returns how many. */
async function rewrapSome(
  pool: pg.Pool,
  current_id: string,
  wrap: (row: Omit<Row, "lookup">) => Buffer,
): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const { rows } = await client.query<Row>(WRAPPED_BY_OTHERS, [current_id, REWRAP_AT_ONCE]);
    const ids = rows.map(({ subject_id }) => subject_id);
    await client.query(REWRAP, [ids, rows.map(wrap), current_id]);
    await client.query("commit");
    return rows.length;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

const COLUMNS = "subject_id, lookup, master_key_id, wrapped_key";
const FIND = {
  name: "subjects_find",
  text: `select ${COLUMNS} from subject_keys.subjects where lookup = any($1::bytea[])`,
};
/**
 * Finds keys for sealing, and records when for subjects without events. A time from the last minutes stays, because
 * a recall needs an hour. Sorted, so that two cannot deadlock.
 */
const GIVE = {
  name: "subjects_give",
  text: `with old as (
      select subject_id from subject_keys.subjects
      where lookup = any($1::bytea[]) and given_at < statement_timestamp() - interval '10 minutes' order by lookup for update),
    given as (
      update subject_keys.subjects s set given_at = clock_timestamp() from old where s.subject_id = old.subject_id
      returning s.subject_id, s.lookup, s.master_key_id, s.wrapped_key)
    select ${COLUMNS} from given union all
    select ${COLUMNS} from subject_keys.subjects
    where lookup = any($1::bytea[]) and (given_at is null or given_at >= statement_timestamp() - interval '10 minutes')`,
};
/** Simultaneous calls share a statement, because every sealed value needs a key. */
const given = batched<readonly Buffer[], Row[]>(async (pool, pages) => {
  const { rows } = await ask<Row>(pool, GIVE, [distinct(pages.flat())]);
  const byName = new Map(rows.map((row) => [nameOf(row.lookup), row]));
  return pages.map((page) => page.flatMap((lookup) => byName.get(nameOf(lookup)) ?? []));
});
const GIVEN = {
  name: "subjects_given",
  text: `select subject_id, given_at::text as given_at, extract(epoch from clock_timestamp() - given_at)::float8 as age_s
    from subject_keys.subjects where given_at is not null order by given_at limit $1`,
};
const USED = {
  name: "subjects_used",
  text: "update subject_keys.subjects set given_at = null where subject_id = any($1::text[])",
};
/** Skips subjects that were given a key since. */
const RECALL = {
  name: "subjects_recall",
  text: `delete from subject_keys.subjects s using unnest($1::text[], $2::timestamptz[]) as seen (subject_id, given_at)
    where s.subject_id = seen.subject_id and s.given_at = seen.given_at`,
};
const MAKE = {
  name: "subjects_make",
  text: `insert into subject_keys.subjects (${COLUMNS})
    select subject_id, lookup, $3, wrapped_key from unnest($1::text[], $2::bytea[], $4::bytea[]) as made (subject_id, lookup, wrapped_key)
    on conflict (lookup) do nothing returning ${COLUMNS}`,
};
const KEYS = {
  name: "subjects_keys",
  text: "select subject_id, master_key_id, wrapped_key from subject_keys.subjects where subject_id = any($1::text[])",
};
const ERASE = {
  name: "subjects_erase",
  text: "delete from subject_keys.subjects where subject_id = any($1::text[])",
};
const FORGET_MASTERS = {
  name: "subjects_forget_masters",
  text: `delete from subject_keys.master_keys m where master_key_id <> $1
    and not exists (select 1 from subject_keys.subjects s where s.master_key_id = m.master_key_id)`,
};
const WRAPPED_BY_OTHERS = `select subject_id, master_key_id, wrapped_key from subject_keys.subjects
  where master_key_id <> $1 order by subject_id limit $2 for update`;
const REWRAP = `update subject_keys.subjects s set wrapped_key = made.wrapped_key, master_key_id = $3
  from unnest($1::text[], $2::bytea[]) as made (subject_id, wrapped_key) where s.subject_id = made.subject_id`;

const nameOf = (lookup: Buffer) => lookup.toString("base64");
const distinct = (lookups: readonly Buffer[]) => [
  ...new Map(lookups.map((lookup) => [nameOf(lookup), lookup])).values(),
];

/** A failure of the vault's database is the vault's. */
async function ask<R extends pg.QueryResultRow>(
  pool: pg.Pool,
  { name, text }: { name: string; text: string },
  values: unknown[],
): Promise<pg.QueryResult<R>> {
  return pool.query<R>({ name, text, values }).catch((cause: Error) => {
    throw new SubjectsUnavailable(`the vault of personal data does not answer: ${cause.message}`, { cause });
  });
}

/** Callers during a run share the next run, which begins after each of their calls. */
function together(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  return () => {
    if (!running) {
      running = work().finally(() => {
        running = undefined;
      });
      return running;
    }
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        running = work().finally(() => {
          running = undefined;
        });
        return running;
      });
    return next;
  };
}
