/**
 * Stores all objects: up to a megabyte in Postgres, larger ones in a file store. Postgres records which files
 * exist, and until when.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import { checkDigest, ObjectDamaged, UNNAMED_S } from "../core/model/objects.ts";
import type { FileStore, Objects } from "../core/model/ports/objects.ts";
import { localFiles } from "./local-files.ts";
import { objectFolder } from "./object-folder.ts";
import { s3Objects } from "./s3-objects.ts";
import { smallObjects } from "./small-objects.ts";

/** The settings that choose the object store. */
export type ObjectSettings = {
  DATA_DIR: string;
  OBJECTS_URL?: string | undefined;
  AWS_ACCESS_KEY_ID?: string | undefined;
  AWS_SECRET_ACCESS_KEY?: string | undefined;
  AWS_SESSION_TOKEN?: string | undefined;
  AWS_REGION?: string | undefined;
};

/** The configured bucket, otherwise a folder in DATA_DIR. */
export function objectStoreOf({ DATA_DIR, OBJECTS_URL: url, ...aws }: ObjectSettings): FileStore {
  if (url === undefined) return objectFolder(join(DATA_DIR, "objects"));
  return s3Objects({
    url,
    access_key_id: aws.AWS_ACCESS_KEY_ID!,
    secret_access_key: aws.AWS_SECRET_ACCESS_KEY!,
    session_token: aws.AWS_SESSION_TOKEN,
    region: aws.AWS_REGION,
  });
}

/** `folder`: where this machine creates files and caches downloads. */
export function createObjects(pool: pg.Pool, place: FileStore, folder: string): Objects {
  const small = smallObjects(pool);
  const local = localFiles(folder);
  const objects: Objects = {
    ...small,
    check: () => place.check(),
    aside: local.aside,
    localFile: (name) => local.keep(name, (path) => objects.getFile(name, path)),
    async putFile(name, path) {
      const file = await digestOfFile(path);
      checkDigest(name, file.sha256);
      // Recorded first: a process that dies in between must not leave a file that nobody deletes.
      await keep(pool, name, file.bytes);
      await place.put(name, { path, ...file });
      await keep(pool, name, file.bytes);
    },
    async getFile(name, path) {
      const size = await sizeOf(pool, name);
      return size !== undefined && fetchFile(place, name, size, path);
    },
    has: async (name) => (await small.has(name)) || (await sizeOf(pool, name)) !== undefined,
    async list(beginning) {
      const sql = `select name from objects.small where starts_with(name, $1)
        union select name from objects.large where starts_with(name, $1) order by name`;
      return (await pool.query<{ name: string }>(sql, [beginning])).rows.map(({ name }) => name);
    },
    delete: async (names) =>
      (await small.delete(names)) + (await deleteFiles(pool, place, "name = any($1)", names)),
    deletePast: async (most) =>
      (await small.deletePast(most)) +
      (await deleteFiles(
        pool,
        place,
        "keep_until < clock_timestamp() order by keep_until limit $1 for update skip locked",
        most,
      )),
  };
  return objects;
}

/** Its size; undefined if the name is unknown. */
async function sizeOf(pool: pg.Pool, name: string): Promise<number | undefined> {
  const text = "select bytes from objects.large where name = $1";
  const { rows } = await pool.query<{ bytes: number | string }>({
    name: "objects_size",
    text,
    values: [name],
  });
  return rows[0] && Number(rows[0].bytes);
}

const keep = (pool: pg.Pool, name: string, bytes: number) =>
  pool.query(
    `insert into objects.large values ($1, $2, clock_timestamp() + make_interval(secs => ${UNNAMED_S}))
     on conflict (name) do update set keep_until = greatest(large.keep_until, excluded.keep_until)`,
    [name, bytes],
  );

/** The delete locks its rows: a process that puts one of them again waits, and then stores it anew. */
async function deleteFiles(
  pool: pg.Pool,
  place: FileStore,
  condition: string,
  value: unknown,
): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const { rows } = await client.query<{ name: string }>(
      `delete from objects.large where name in (select name from objects.large where ${condition}) returning name`,
      [value],
    );
    for (const { name } of rows) await place.delete(name);
    await client.query("commit");
    client.release();
    return rows.length;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Leaves nothing at `path` unless the file is complete. */
async function fetchFile(place: FileStore, name: string, size: number, path: string): Promise<boolean> {
  const file = await open(path, "wx");
  let isWhole = false;
  try {
    const chunks = await place.get(name);
    if (!chunks) return false;
    const hash = createHash("sha256");
    let received = 0;
    for await (const chunk of chunks) {
      received += chunk.length;
      // Without this, a store that sends too much would fill the disk before the digest is checked.
      if (received > size) throw new ObjectDamaged(name, `: more than the ${size} that were put`);
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    checkDigest(name, hash.digest("hex"));
    isWhole = true;
    return true;
  } finally {
    await file.close();
    if (!isWhole) await rm(path, { force: true });
  }
}

/** SHA-256 in hex, and the size. */
async function digestOfFile(path: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { sha256: hash.digest("hex"), bytes };
}
