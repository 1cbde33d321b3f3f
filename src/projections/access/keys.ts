/** Current API keys: looked up at admission by the digest of a presented secret, and listed by the operator. */

import type pg from "pg";
import { batched } from "../../../eventstore/query-batch.ts";
import { projection } from "../../core/read-models/projection.ts";
import * as key from "../../domain/access/key.ts";
import { SOUL } from "../../domain/identity/soul-tenant.ts";

export type KeyRow = {
  key_id: string;
  tenant: string;
  space: key.KeySpace;
  label: string | null;
  scopes: key.Scope[];
  daily: number | null;
  monthly: number | null;
  issued_at: string;
  revoked_at: string | null;
};

export const keysProjection = projection({
  name: "access_keys",
  version: 1,
  ddl: `
    create table if not exists read.access_keys_v1 (
      key_id        text primary key,
      secret_sha256 bytea not null unique,
      tenant        text not null,
      space         text not null,
      label         text,
      scopes        text[] not null,
      daily         int,
      monthly       int,
      issued_at     text not null,
      revoked_at    text
    );`,
  of: [key],
  async fold(events, tx) {
    const issued = new Map<string, key.KeyFacts & { revoked_at: string | null }>();
    const revoked = new Map<string, string>();
    for (const { type, data } of events) {
      if (type === "KeyIssued")
        issued.set(data.key_id, {
          ...data,
          tenant: key.tenantOf(data.tenant, data.space),
          secret_sha256: `\\x${data.secret_sha256}`,
          revoked_at: null,
        });
      else {
        const own = issued.get(data.key_id);
        if (own) own.revoked_at = data.revoked_at;
        else revoked.set(data.key_id, data.revoked_at);
      }
    }
    if (revoked.size > 0)
      await tx.query(
        `update read.access_keys_v1 k set revoked_at = r.revoked_at
           from unnest($1::text[], $2::text[]) r (key_id, revoked_at) where k.key_id = r.key_id`,
        [[...revoked.keys()], [...revoked.values()]],
      );
    if (issued.size > 0)
      await tx.query(
        "insert into read.access_keys_v1 select * from jsonb_populate_recordset(null::read.access_keys_v1, $1::jsonb)",
        [JSON.stringify([...issued.values()])],
      );
  },
});

const COLUMNS =
  "key_id, tenant, space, label, to_json(scopes) as scopes, daily, monthly, issued_at, revoked_at";

export type KeyWithDigest = KeyRow & { secret_sha256: Buffer };

/** The key whose secret has this SHA-256, revoked or not. */
export const keyByDigest = batched<Buffer, KeyWithDigest | undefined>(async (pool, digests) => {
  const text = `select ${COLUMNS}, secret_sha256 from read.access_keys_v1 where secret_sha256 = any($1::bytea[])`;
  const { rows } = await pool.query<KeyWithDigest>({ name: "keys_by_digest", text, values: [digests] });
  return digests.map((digest) => rows.find(({ secret_sha256 }) => secret_sha256.equals(digest)));
});

/** An agent's own key, in the form of subjects' keys at admission. */
export async function agentKeyByDigest(pool: pg.Pool, digest: Buffer) {
  const found = await keyByDigest(pool, digest);
  return found?.space === "soul" ? { ...found, subject: found.tenant.slice(SOUL.length) } : undefined;
}

export async function keyById(pool: pg.Pool, keyId: string): Promise<KeyRow | undefined> {
  const sql = `select ${COLUMNS} from read.access_keys_v1 where key_id = $1`;
  return (await pool.query<KeyRow>(sql, [keyId])).rows[0];
}

/** Keys in the order of their ids; a page of at most `limit` after `after` (a key_id). */
export async function listKeys(
  pool: pg.Pool,
  page: { tenant?: string; after?: string; limit: number },
): Promise<KeyRow[]> {
  const sql = `select ${COLUMNS} from read.access_keys_v1
    where ($1::text is null or tenant = $1) and ($2::text is null or key_id > $2) order by key_id limit $3`;
  return (await pool.query<KeyRow>(sql, [page.tenant ?? null, page.after ?? null, page.limit])).rows;
}

/**
 * A pattern, for Postgres and JavaScript alike, of the actors whose meta a tenant reads: its own keys and wallet, the
 * operator and the service itself. Another caller's key, wallet and request ids stay private.
 */
export async function shownActors(pool: pg.Pool, tenant: string): Promise<string> {
  const sql = "select key_id from read.access_keys_v1 where tenant = $1 order by key_id";
  const { rows } = await pool.query<{ key_id: string }>(sql, [tenant]);
  const own = [tenant, ...rows.map(({ key_id }) => `key:${key_id}`)];
  const plain = own.map((actor) => actor.replaceAll(/[^\w:-]/g, "\\$&"));
  return `^(?!(key|wallet):|anonymous$)|^(${plain.join("|")})$`;
}
