/** `tallystick fetch comext` as a separate process: killed, interrupted, repeated, and followed by an import. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reporterCodes } from "../../src/domain/trade/reporters.ts";
import { comextMirror } from "../datasets/mirror-of-comext.ts";
import { bulkFixture, fileOf, packed7z, tempDir } from "../datasets/workshop.ts";
import { until } from "../support/until.ts";
import { runHere } from "./in-process.ts";

const bin = new URL("../../bin/tallystick", import.meta.url).pathname;
const NAME = "full_v2_202402.7z";

/** Lines for a thousand products, with values that hardly compress. */
const manyOf = (row: string): string[] =>
  Array.from({ length: 1_000 }, (_, at) => {
    const cells = row.split(",");
    cells[3] = `3920${String(1_000 + at)}`;
    cells[14] = String(randomInt(1_000_000_000));
    return cells.join(",");
  });

type Running = { child: ChildProcess; ended: Promise<{ code: number | null; output: string }> };

const environment = (dir: string) => ({
  PATH: process.env.PATH,
  HOME: dir,
  DATA_DIR: join(dir, "data"),
  SANDBOX: "0",
  LOG_LEVEL: "warn",
});
const command = (args: string[]) => {
  const months = args.includes("--from") ? [] : ["--period", "202402"];
  return ["fetch", "comext", ...months, ...args];
};

function start(dir: string, args: string[]): Running {
  const child = spawn(process.execPath, [bin, ...command(args)], { env: environment(dir) });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  return { child, ended: new Promise((done) => child.once("close", (code) => done({ code, output }))) };
}

/** For uninterrupted runs. */
async function run(dir: string, args: string[]): Promise<{ code: number; output: string }> {
  const { code, stdout, stderr } = await runHere(environment(dir), ...command(args));
  return { code, output: stdout + stderr };
}

test("after a kill and an interruption, the next run continues", async () => {
  const dir = await tempDir();
  const file = join(dir, "noise");
  await writeFile(file, randomBytes(60_000));
  const bytes = await readFile(await packed7z(dir, file));
  const out = join(dir, "out");
  const part = join(out, `${NAME}.part`);
  const { url, requests, whims } = await comextMirror(bytes, part);
  const has = (length: number) => until(async () => expect((await stat(part)).size).toBeGreaterThan(length));

  whims.push({ slowly: true }, { slowly: true });
  const killed = start(dir, ["--url", url, "--out", out]);
  await has(2_000);
  killed.child.kill("SIGKILL");
  await killed.ended;
  const left = (await stat(part)).size;

  const interrupted = start(dir, ["--url", url, "--out", out]);
  await has(left + 2_000);
  interrupted.child.kill("SIGINT");
  const answer = await interrupted.ended;
  expect(answer).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^interrupted: fetched files are kept/),
  });

  const { code, output } = await start(dir, ["--url", url, "--out", out]).ended;
  expect({ code, output }).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^fetched: .*sha256 [0-9a-f]{64}/s),
  });
  expect((await readFile(join(out, NAME))).equals(bytes)).toBe(true);
  expect((await readdir(out)).toSorted()).toEqual([NAME, `${NAME}.sha256`]);
  expect(requests.map(({ status }) => status)).toEqual([200, 206, 206]);
  expect(requests[1]!.range).toBe(`bytes=${left}-`);

  const again = await run(dir, ["--url", url, "--out", out]);
  expect(again).toMatchObject({ code: 0, output: expect.stringMatching(/^already there/) });
  expect(requests).toHaveLength(3);
});

test.each([
  [
    ["--discard", "--stop", "--reporters", "DE"],
    /^--reporters, --stop, --discard needs --import: add --import, or omit/,
  ],
  [["--from", "202401"], /^--from starts a range: name the last month by --to, or .* --period 202401$/m],
  [
    ["--from", "202401", "--period", "202402"],
    /^name the month by --period, or the first of several by --from/,
  ],
])("%j is refused before any request", async (args, says) => {
  const dir = await tempDir();
  const { url, requests } = await comextMirror(Buffer.from("no archive"), join(dir, "part"));
  const { code, output } = await run(dir, [...args, "--url", url, "--out", join(dir, "out")]);
  expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(says) });
  expect(requests).toEqual([]);
});

test("an interrupted --import prints one message, reports no month as missing, and the next run continues", async () => {
  const dir = await tempDir();
  await chmod(dir, 0o755);
  const [header, row] = (await readFile(bulkFixture, "utf8")).split("\n") as [string, string];
  const rows = reporterCodes.flatMap((code) => manyOf(row.replace(/^[A-Z]{2}/, code)));
  const bytes = await readFile(await packed7z(dir, await fileOf(dir, "month.dat", [header, ...rows])));
  const part = join(dir, "data/downloads", `${NAME}.part`);
  const { url, requests, whims } = await comextMirror(bytes, part);
  whims.push({ slowly: true });
  const interrupted = start(dir, ["--import", "--url", url]);
  await until(async () => expect((await stat(part)).size).toBeGreaterThan(2_000));
  interrupted.child.kill("SIGINT");
  expect(await interrupted.ended).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^(Starting Postgres in .* …\n)?interrupted: fetched files are kept, and the same command resumes\n$/,
    ),
  });
  expect(await run(dir, ["--import", "--url", url])).toMatchObject({
    code: 0,
    output: expect.stringMatching(/1 months requested: 0 existed, 1 added, 0 missing/),
  });
  expect(requests.map(({ status }) => status)).toEqual([200, 206]);
});

test("--import releases the downloads; a wrong month is refused before any request", async () => {
  const dir = await tempDir();
  await chmod(dir, 0o755);
  const [header, row] = (await readFile(bulkFixture, "utf8")).split("\n") as [string, string];
  const rows = reporterCodes.map((code) => row.replace(/^[A-Z]{2}/, code));
  const bytes = await readFile(await packed7z(dir, await fileOf(dir, "month.dat", [header, ...rows])));
  const { url, requests } = await comextMirror(bytes, join(dir, "data/downloads", `${NAME}.part`));
  const wrong = await run(dir, ["--to", "202452", "--url", url]);
  expect(wrong).toMatchObject({ code: 1, output: expect.stringMatching(/52 means a whole year/) });
  expect(requests).toEqual([]);
  const { code, output } = await run(dir, ["--import", "--url", url]);
  expect(output).toMatch(/^fetched: .*comext-bulk released: .* 27 rows, 202402 to 202402/s);
  expect(code).toBe(0);
});
