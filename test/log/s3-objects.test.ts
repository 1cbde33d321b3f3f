/** Files of objects in a bucket: signed as AWS specifies, compared with their digest, and fetched with a timeout. */
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { objectFolder } from "../../src/adapters/object-folder.ts";
import { createObjects } from "../../src/adapters/objects.ts";
import { type S3Options, s3Objects } from "../../src/adapters/s3-objects.ts";
import { digestOf, objectName } from "../../src/core/model/objects.ts";
import { objectsReactor } from "../../src/reactors/log/delete-objects.ts";
import { BUCKET_REGION, type Bucket, startBucket } from "../support/s3-server.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";

const credentials = {
  access_key_id: "AKIDEXAMPLE",
  secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};
let service: Service;
let bucket: Bucket;
let folder: string;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  bucket = await startBucket({ credentials });
  folder = await mkdtemp(join(tmpdir(), "tallystick-s3-"));
});
afterEach(async () => {
  await bucket.close();
  await rm(folder, { recursive: true });
});

const placeAt = (url: string, more: Partial<S3Options> = {}) =>
  s3Objects({ url, ...credentials, region: BUCKET_REGION, pause_ms: 1, ...more });
const objectsAt = (url: string, more: Partial<S3Options> = {}) =>
  createObjects(service.app.pool, placeAt(url, more), join(folder, "local"));

let owners = 0;
/** A file of unique bytes, with its name. */
async function aFile(bytes = 3_000_000) {
  const owner = `o${++owners}`;
  const content = Buffer.alloc(bytes, `${owner} ${bytes} `);
  const path = join(folder, owner);
  await writeFile(path, content);
  return { path, content, name: objectName("file", owner, digestOf(content)) };
}
const rowsOf = async (name: string) =>
  (await service.app.pool.query("select bytes from objects.large where name = $1", [name])).rows;

describe.each(["path", "virtual"] as const)("a bucket in the %s", (style) => {
  test("stores files, returns them, and loses deleted ones; other keys have nothing", async () => {
    const own = await startBucket({ credentials, virtual: style === "virtual" });
    onTestFinished(() => own.close());
    const objects = objectsAt(`${own.url}/`);
    const [one, other] = [await aFile(), await aFile(0)];
    for (const { name, path } of [one, one, other]) await objects.putFile(name, path);
    expect([...own.objects.keys()]).toEqual([one.name, other.name]);
    expect(await rowsOf(one.name)).toEqual([{ bytes: one.content.length }]);
    for (const { name, content } of [one, other]) {
      expect(await objects.getFile(name, join(folder, "back"))).toBe(true);
      expect((await readFile(join(folder, "back"))).equals(content)).toBe(true);
      await rm(join(folder, "back"));
    }
    expect([await objects.has(one.name), await objects.list("file/")]).toEqual([
      true,
      expect.arrayContaining([one.name, other.name]),
    ]);
    expect(await objects.delete([one.name])).toBe(1);
    expect(await objects.getFile(one.name, join(folder, "gone"))).toBe(false);
    expect([...own.objects.keys()]).toEqual([other.name]);
  });
});

test("a session's token is signed too; a prefix precedes the names", async () => {
  const own = await startBucket({ credentials: { ...credentials, session_token: "token/+=" } });
  onTestFinished(() => own.close());
  await placeAt(`${own.url}/tally stick`, { session_token: "token/+=" }).check();
  expect(own.requests.map((one) => one.replace(/probe\/.*$/, "probe"))).toEqual(
    ["PUT", "GET", "DELETE"].map((method) => `${method} tally stick/probe`),
  );
  await expect(placeAt(own.url, { session_token: "another" }).check()).rejects.toThrow(
    /AWS_SESSION_TOKEN.*InvalidToken/,
  );
});

test("many processes may start at once", async () => {
  await Promise.all(Array.from({ length: 8 }, () => placeAt(bucket.url).check()));
  expect(bucket.objects.size).toBe(0);
});

test("an unusable location is reported at the start, with the setting to change", async () => {
  const [, port] = bucket.url.split(":").slice(1);
  const refused: [RegExp, string, Partial<S3Options>?][] = [
    [/^OBJECTS_URL: there is no bucket at .*NoSuchBucket/, `http://127.0.0.1:${port!.split("/")[0]}/another`],
    [
      /^AWS_ACCESS_KEY_ID, .*does not take these credentials.*InvalidAccessKeyId/,
      bucket.url,
      { access_key_id: "x" },
    ],
    [
      /^AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: .*SignatureDoesNotMatch/,
      bucket.url,
      { secret_access_key: "x" },
    ],
    [/^AWS_REGION: the bucket at .* is in another region/, bucket.url, { region: "us-east-1" }],
    [/^OBJECTS_URL: 127.0.0.1:1 cannot be reached: .*ECONNREFUSED/, "http://127.0.0.1:1/archive"],
  ];
  for (const [says, url, more] of refused) await expect(placeAt(url, more).check()).rejects.toThrow(says);
  bucket.misfortune = () => ({ status: 403, code: "AccessDenied" });
  await expect(placeAt(bucket.url).check()).rejects.toThrow(
    /may not use .*s3:PutObject, s3:GetObject and s3:DeleteObject/,
  );
  // A refusal is not retried.
  expect(bucket.requests.length).toBe(1);
});

test("the service starts only with a bucket that accepts its requests", async () => {
  const env = {
    OBJECTS_URL: bucket.url,
    AWS_ACCESS_KEY_ID: credentials.access_key_id,
    AWS_REGION: BUCKET_REGION,
  };
  await expect(
    startService({ reactors: true, env: { ...env, AWS_SECRET_ACCESS_KEY: "wrong" } }),
  ).rejects.toThrow("AWS_SECRET_ACCESS_KEY");
  await expect(startService({ env })).rejects.toThrow(
    "OBJECTS_URL needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  );
  await expect(startService({ env: { OBJECTS_URL: "https://u:p@host/bucket" } })).rejects.toThrow("no user");
  const own = await startService({
    reactors: true,
    env: { ...env, AWS_SECRET_ACCESS_KEY: credentials.secret_access_key },
  });
  const { name, path, content } = await aFile();
  await own.app.objects.putFile(name, path);
  expect(bucket.objects.get(name)?.equals(content)).toBe(true);
  await own.stop();
});

test("a fault of the store is retried once, and no more often", async () => {
  const objects = objectsAt(bucket.url);
  const { name, path, content } = await aFile();
  bucket.misfortune = (_, times) => (times === 1 ? { status: 503, code: "SlowDown" } : undefined);
  await objects.putFile(name, path);
  bucket.misfortune = (_, times) => (times === 1 ? "broken" : undefined);
  expect(await objects.getFile(name, join(folder, "back"))).toBe(true);
  expect(bucket.objects.get(name)?.equals(content)).toBe(true);
  expect(bucket.requests).toEqual([`PUT ${name}`, `PUT ${name}`, `GET ${name}`, `GET ${name}`]);

  bucket.misfortune = () => ({ status: 500, code: "InternalError" });
  const other = await aFile();
  await expect(objects.putFile(other.name, other.path)).rejects.toThrow(
    `OBJECTS_URL: ${bucket.url} refuses (500 InternalError`,
  );
  expect(bucket.requests.length).toBe(6);
});

test("a store that stops answering, at the beginning or within a body, is not awaited", async () => {
  const objects = objectsAt(bucket.url, { silence_ms: 100 });
  const { name, path } = await aFile();
  await objects.putFile(name, path);
  for (const misfortune of ["silent", "stalled"] as const) {
    bucket.misfortune = () => misfortune;
    await expect(objects.getFile(name, join(folder, "back"))).rejects.toThrow(
      /OBJECTS_URL: .* cannot be reached: it did not answer in time/,
    );
  }
  const other = await aFile();
  bucket.misfortune = () => "silent";
  await expect(objects.putFile(other.name, other.path)).rejects.toThrow("did not answer in time");
  expect(await readdir(folder)).not.toContain("back");
});

test("a store that sends one byte at a time without end is not awaited", async () => {
  const { name, path } = await aFile(64);
  await objectsAt(bucket.url).putFile(name, path);
  bucket.misfortune = () => "dripping";
  await expect(
    objectsAt(bucket.url, { deadline_ms: 300 }).getFile(name, join(folder, "back")),
  ).rejects.toThrow("did not answer in time");
});

test("a machine fetches a file once, and again where it has changed", async () => {
  const objects = objectsAt(bucket.url);
  const { name, path, content } = await aFile();
  await objects.putFile(name, path);
  const both = await Promise.all([objects.localFile(name), objects.localFile(name)]);
  expect(both[0]).toEqual({ path: expect.any(String), bytes: content.length });
  expect(both[1]).toEqual(both[0]);
  const gets = () => bucket.requests.filter((one) => one.startsWith("GET")).length;
  expect(gets()).toBe(1);
  // A later process finds it, and compares it with its name.
  expect(await objectsAt(bucket.url).localFile(name)).toEqual(both[0]);
  expect(gets()).toBe(1);
  await writeFile(both[0]!.path, "changed");
  expect((await readFile((await objects.localFile(name))!.path)).equals(content)).toBe(true);
  expect(gets()).toBe(2);
  // A file unused for a day is deleted when another is fetched.
  await utimes(both[0]!.path, 0, 0);
  const other = await aFile();
  await objects.putFile(other.name, other.path);
  await objects.localFile(other.name);
  expect(await readdir(join(folder, "local"))).toEqual([digestOf(other.content)]);
  expect(await objects.localFile(objectName("file", "nobody", digestOf("x")))).toBeUndefined();
});

test("a body that is cut or changed is not returned", async () => {
  const objects = objectsAt(bucket.url);
  const { name, path, content } = await aFile();
  await objects.putFile(name, path);
  bucket.misfortune = () => "cut";
  await expect(objects.getFile(name, join(folder, "back"))).rejects.toThrow("OBJECTS_URL");
  bucket.misfortune = () => undefined;
  for (const changed of [
    Buffer.concat([content, content]),
    content.subarray(1),
    Buffer.from(content).fill("x", 5, 6),
  ]) {
    bucket.objects.set(name, changed);
    await expect(objects.getFile(name, join(folder, "back"))).rejects.toThrow(
      `the bytes of ${name} are not those that it names`,
    );
  }
  expect(await readdir(folder)).not.toContain("back");
  bucket.objects.delete(name);
  expect(await objects.getFile(name, join(folder, "back"))).toBe(false);
});

test("a store that sends too much is cut off before it fills the disk", async () => {
  const objects = objectsAt(bucket.url);
  const { name, path, content } = await aFile(64);
  await objects.putFile(name, path);
  bucket.objects.set(name, Buffer.concat([content, Buffer.alloc(32_000_000)]));
  await expect(objects.getFile(name, join(folder, "back"))).rejects.toThrow("more than the 64 that were put");
  expect(await readdir(folder)).not.toContain("back");
});

test("bytes that do not match their name are not sent; an existing file is not overwritten", async () => {
  const objects = objectsAt(bucket.url);
  const [one, other] = [await aFile(), await aFile(7)];
  await expect(objects.putFile(one.name, other.path)).rejects.toThrow("are not those that it names");
  await expect(objects.putFile("../x", other.path)).rejects.toThrow("names no object");
  await objects.putFile(other.name, other.path);
  await expect(objects.getFile(other.name, one.path)).rejects.toThrow("EEXIST");
  expect((await readFile(one.path)).equals(one.content)).toBe(true);
  expect(bucket.requests).toEqual([`PUT ${other.name}`]);
});

test("a process that dies while it stores a file leaves nothing undeleted after an hour; stored files stay", async () => {
  const objects = objectsAt(bucket.url);
  const [dying, kept] = [await aFile(), await aFile()];
  await objects.putFile(kept.name, kept.path);
  bucket.misfortune = () => "broken";
  await expect(objects.putFile(dying.name, dying.path)).rejects.toThrow("OBJECTS_URL");
  bucket.misfortune = () => undefined;
  bucket.objects.set(dying.name, dying.content);
  const { pool } = service.app;
  await pool.query("update objects.large set keep_until = now() - interval '1 second' where name = $1", [
    dying.name,
  ]);
  expect(await turn({ ...service.app, objects }, objectsReactor)).toEqual({ status: "done" });
  expect([...bucket.objects.keys()]).toEqual([kept.name]);
  expect([await objects.has(dying.name), await objects.has(kept.name)]).toEqual([false, true]);
});

test("a store that does not delete leaves the row, so that the file is deleted later", async () => {
  const objects = objectsAt(bucket.url);
  const { name, path } = await aFile();
  await objects.putFile(name, path);
  bucket.misfortune = () => ({ status: 500, code: "InternalError" });
  await expect(objects.delete([name])).rejects.toThrow("500 InternalError");
  expect(await objects.has(name)).toBe(true);
  bucket.misfortune = () => undefined;
  expect(await objects.delete([name])).toBe(1);
});

test("without a bucket files are in a folder, with the same behaviour", async () => {
  const objects = createObjects(
    service.app.pool,
    objectFolder(join(folder, "objects")),
    join(folder, "local"),
  );
  const { name, path, content } = await aFile();
  await Promise.all([objects.putFile(name, path), objects.putFile(name, path)]);
  expect(await objects.getFile(name, join(folder, "back"))).toBe(true);
  expect((await readFile(join(folder, "back"))).equals(content)).toBe(true);
  await writeFile(join(folder, "objects", name), "changed");
  await expect(objects.getFile(name, join(folder, "again"))).rejects.toThrow("are not those that it names");
  expect(await objects.delete([name])).toBe(1);
  expect(await objects.getFile(name, join(folder, "again"))).toBe(false);
});
