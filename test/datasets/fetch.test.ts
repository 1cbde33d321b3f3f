/** Downloads bulk files from a server that breaks off, changes, refuses and lies. */
import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ComextRequest, fetchComext, lastLikelyMonth } from "../../src/datasets/fetch.ts";
import { comextMirror } from "./mirror-of-comext.ts";
import { packed7z, refusalOf, tempDir } from "./workshop.ts";

const NAME = "full_v2_202402.7z";
const now = new Date("2026-04-20T00:00:00Z");

/** An archive of noise, so that it does not compress. */
async function archive(dir: string, length = 40_000): Promise<Buffer> {
  const file = join(dir, "full_v2_202402.dat");
  await writeFile(file, randomBytes(length));
  return readFile(await packed7z(dir, file));
}

async function mirror() {
  const bytes = await archive(await tempDir());
  const dir = await tempDir();
  const path = join(dir, NAME);
  const served = await comextMirror(bytes, `${path}.part`);
  const pauses: number[] = [];
  const pause = async (ms: number) => pauses.push(ms);
  const ask = (options: Partial<ComextRequest> = {}) =>
    fetchComext({ from: 202402, to: 202402, dir, url: served.url, now, pause, ...options });
  return { ...served, bytes, dir, path, ask, pauses };
}

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

async function expectWhole({ dir, path, bytes }: { dir: string; path: string; bytes: Buffer }) {
  expect((await readFile(path)).equals(bytes)).toBe(true);
  expect(await readFile(`${path}.sha256`, "utf8")).toBe(`${sha256(bytes)}  ${NAME}\n`);
  expect((await readdir(dir)).toSorted()).toEqual([NAME, `${NAME}.sha256`]);
}

describe("a month", () => {
  test("is downloaded once; a file with its digest is not downloaded again, unless requested", async () => {
    const setup = await mirror();
    const seen: number[] = [];
    const [file] = await setup.ask({ progress: (done) => seen.push(done) });
    expect(file).toMatchObject({ path: setup.path, sha256: sha256(setup.bytes), fetched: true });
    expect(seen.at(-1)).toBe(setup.bytes.length);
    await expectWhole(setup);
    expect((await setup.ask())[0]).toMatchObject({ sha256: sha256(setup.bytes), fetched: false });
    expect(setup.requests).toHaveLength(1);
    expect(setup.requests[0]!.url).toBe(`/files?file=${NAME}`);
    await setup.ask({ again: true });
    expect(setup.requests).toHaveLength(2);
  });

  test("is downloaded again after its file was changed", async () => {
    const setup = await mirror();
    await setup.ask();
    await writeFile(setup.path, "something else");
    expect((await setup.ask())[0]).toMatchObject({ fetched: true });
    await expectWhole(setup);
  });

  test("continues after each interruption, naming its file state", async () => {
    const setup = await mirror();
    setup.whims.push({ cut_after: 0 }, { cut_after: 1 }, { cut_after: 30_000 }, { cut_after: 5_000 });
    await setup.ask();
    await expectWhole(setup);
    expect(setup.requests.map(({ status }) => status)).toEqual([200, 200, 206, 206, 206]);
    expect(setup.requests.slice(2).map(({ range }) => range)).toEqual([
      "bytes=1-",
      "bytes=30001-",
      "bytes=35001-",
    ]);
    expect(setup.requests.slice(2).every(({ ifRange }) => ifRange === '"one"')).toBe(true);
  });

  test("without an ETag continues by its date", async () => {
    const setup = await mirror();
    setup.file.etag = undefined;
    setup.whims.push({ cut_after: 9_000 });
    await setup.ask();
    await expectWhole(setup);
    expect(setup.requests[1]).toMatchObject({ status: 206, ifRange: setup.file.modified });
  });

  test("changed on the server in between starts over", async () => {
    const setup = await mirror();
    setup.whims.push({ cut_after: 9_000 }, { cut_after: 0 }, ...Array(5).fill({ status: 500 }));
    await refusalOf(setup.ask());
    setup.whims.length = 0;
    setup.file.bytes = await archive(await tempDir(), 30_000);
    setup.file.etag = '"two"';
    await setup.ask();
    await expectWhole({ ...setup, bytes: setup.file.bytes });
    expect(setup.requests.at(-1)).toMatchObject({ range: "bytes=9000-", ifRange: '"one"', status: 200 });
  });

  test("starts over when the server sends the rest of another state", async () => {
    const setup = await mirror();
    setup.whims.push({ cut_after: 9_000 }, { headers: { etag: '"other"' } });
    await setup.ask();
    await expectWhole(setup);
    expect(setup.requests.map(({ status }) => status)).toEqual([200, 206, 200]);
  });

  test("starts over when the server supports no ranges", async () => {
    const setup = await mirror();
    setup.whims.push({ cut_after: 9_000 }, { ignore_range: true });
    await setup.ask();
    await expectWhole(setup);
    expect(setup.requests.map(({ status }) => status)).toEqual([200, 200]);
  });

  test("is retried when the server is busy, after its Retry-After", async () => {
    const setup = await mirror();
    setup.whims.push({ status: 503, headers: { "retry-after": "70" } }, { status: 429 }, { status: 500 });
    await setup.ask();
    expect(setup.pauses).toEqual([70_000, 2_000, 4_000]);
    expect(setup.requests.map(({ status }) => status)).toEqual([503, 429, 500, 200]);
    setup.whims.push({
      status: 503,
      headers: { "retry-after": new Date(Date.now() + 300_000).toUTCString() },
    });
    await setup.ask({ again: true });
    expect(Math.round(setup.pauses[3]! / 60_000)).toBe(5);
  });
});

describe("a download is refused with its reason", () => {
  test("for a missing month, naming the last likely one", async () => {
    const setup = await mirror();
    setup.whims.push({ status: 404 });
    const refusal = await refusalOf(setup.ask());
    expect(refusal).toMatchObject({ code: "not_found", message: expect.stringMatching(/404.* 2026-01$/) });
    expect(await readdir(setup.dir)).toEqual([]);
  });

  test("for an unfinished month, before any request", async () => {
    const setup = await mirror();
    expect((await refusalOf(setup.ask({ to: 202604 }))).message).toMatch(/2026-04 is not over/);
    expect(setup.requests).toEqual([]);
  });

  test("for an unavailable server, preserving received bytes", async () => {
    const setup = await mirror();
    setup.whims.push({ cut_after: 9_000 }, ...Array(6).fill({ status: 502 }));
    expect((await refusalOf(setup.ask())).message).toMatch(/answered 502.*what arrived is in .*\.part/);
    expect(await readFile(`${setup.path}.part`)).toHaveLength(9_000);
  });

  test("for a server whose Retry-After is hours", async () => {
    const setup = await mirror();
    setup.whims.push({ status: 429, headers: { "retry-after": "7200" } });
    expect((await refusalOf(setup.ask())).message).toMatch(/wait for 120 minutes/);
  });

  test("for a file shorter than the server stated", async () => {
    const setup = await mirror();
    const lie = { "content-length": String(setup.bytes.length + 10) };
    setup.whims.push(...Array(20).fill({ headers: lie, cut_after: setup.bytes.length }));
    expect((await refusalOf(setup.ask())).message).toMatch(/could not be fetched/);
  });

  const damage = (at: number) => (bytes: Buffer) => {
    const damaged = Buffer.from(bytes);
    damaged[at]! ^= 0xff;
    return damaged;
  };
  test.each<[string, (bytes: Buffer) => Buffer, RegExp]>([
    [
      "a page instead of an archive",
      () => Buffer.from(`<!DOCTYPE html>${" ".repeat(99)}`),
      /not a 7z archive: it begins with "<!DOC/,
    ],
    ["an empty file", () => Buffer.from("7z"), /not a 7z archive/],
    ["a damaged start header", damage(15), /damaged \(the checksum of its start header\)/],
    [
      "an archive without its end",
      (bytes) => bytes.subarray(0, 20_000),
      /it has 20000 bytes and should have/,
    ],
    ["damaged contents", damage(5_000), /7z: .*ERROR/],
  ])("for %s, which is deleted", async (_, spoil, says) => {
    const setup = await mirror();
    setup.whims.push({ body: spoil(setup.bytes) });
    const refusal = await refusalOf(setup.ask());
    expect(refusal).toMatchObject({ code: "invalid", message: expect.stringMatching(says) });
    expect(await readdir(setup.dir)).toEqual([]);
    await setup.ask();
    await expectWhole(setup);
  });

  test("for a full disk", async () => {
    const setup = await mirror();
    await symlink("/dev/full", `${setup.path}.part.json.new`);
    expect(await refusalOf(setup.ask())).toMatchObject({ code: "unavailable", type: { slug: "disk-full" } });
  });
});

test("the last likely month ended ten weeks ago", () => {
  expect(lastLikelyMonth(new Date("2026-03-12T00:00:00Z"))).toBe(202512);
  expect(lastLikelyMonth(new Date("2026-03-11T23:00:00Z"))).toBe(202511);
});
