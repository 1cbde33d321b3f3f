/**
 * The commands' reader of packs: it reports files that are not an export, returns verified events, and closes its
 * files.
 */
import { mkdir, mkdtemp, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { NoExport, readPack } from "../../src/cli/pack.ts";
import { verifyCommand } from "../../src/cli/verify.ts";
import { recoverKey } from "../../src/runtime/assemble-audit.ts";
import { exportLines } from "../eventstore/log-builder.ts";
import { log, ORIGIN } from "../eventstore/tampering.ts";
import { textOfLines } from "./judges.ts";
import { readPack as vector } from "./vectors.ts";

const HELD = { recover: recoverKey };
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-packs-"));
});
afterAll(() => rm(dir, { recursive: true }));

const file = async (name: string, text: string | Uint8Array) => {
  await writeFile(join(dir, name), text);
  return join(dir, name);
};

/** `tallystick verify` within this process. */
async function run(...args: string[]) {
  const answer: Record<"stdout" | "stderr", string> = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      answer[name] += String(text);
      return true;
    }),
  );
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    const settings = () => {
      throw new Error("no settings are asked for");
    };
    const command = verifyCommand({ settings, logger: () => pino({ enabled: false }) });
    await command.parseAsync(args, { from: "user" });
    return { code: process.exitCode ?? 0, ...answer };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
}

test("the report begins with the log and the file", async () => {
  const pack = await file("pack.ndjson", vector("pack.ndjson"));
  const { code, stdout } = await run(pack);
  expect([code, stdout.split("\n")[0]]).toEqual([0, `log ${ORIGIN}, in ${pack}`]);
  expect(JSON.parse((await run(pack, "--json")).stdout)).toMatchObject({
    origin: ORIGIN,
    place: pack,
    proven: 9,
  });
});

describe("a file that is not an export ends with 2 and without a verdict", () => {
  test.each<[string, string | Uint8Array | undefined]>([
    ["missing.ndjson", undefined],
    ["missing.ndjson.gz", undefined],
    ["missing.parquet", undefined],
    ["empty.ndjson", ""],
    ["text.ndjson", "a text\n"],
    ["bytes.ndjson.gz", "not packed"],
    ["other.ndjson.gz", gzipSync("{}\n")],
    ["other.parquet", "PAR1"],
  ])("%s", async (name, content) => {
    const path = content === undefined ? join(dir, name) : await file(name, content);
    const { code, stdout, stderr } = await run(path);
    const reason = content === undefined ? "there is no such file" : "not an export of a log: ";
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(`${path}: ${reason}`)]);
  });

  test("a folder", async () => {
    await mkdir(join(dir, "folder"));
    expect(await run(join(dir, "folder"))).toMatchObject({ code: 2, stdout: "" });
  });
});

test("a stream's events are collected, also under an escaped name", async () => {
  const lines = exportLines(ORIGIN, log());
  const stream = JSON.parse(lines[1]!).stream_id as string;
  const escaped = `"\\u${stream.charCodeAt(0).toString(16).padStart(4, "0")}${stream.slice(1)}"`;
  const text = textOfLines(
    lines.map((line) => line.replace(`"stream_id":"${stream}"`, `"stream_id":${escaped}`)),
  );
  expect(text).toContain(escaped);
  const wanted = lines.filter((line) => line.includes(`"stream_id":"${stream}"`)).length;
  for (const content of [textOfLines(lines), text]) {
    const path = await file("escaped.ndjson", content);
    const { events, report } = await readPack({ files: [path], stream_id: stream }, HELD);
    expect([report.ok, events.length]).toEqual([true, wanted]);
  }
});

test("a refused pack leaves no file open", async () => {
  const pack = await file("whole.ndjson", vector("pack.ndjson"));
  const refused = [
    await file("open.ndjson", "no header\n"),
    await file("open.ndjson.gz", gzipSync(Buffer.alloc(4_000_000, "no header\n"))),
    await file("open2.ndjson", Buffer.alloc(4_000_000, "no header\n")),
  ];
  const ask = () => Promise.reject(new Error("nobody there"));
  for (const held of [HELD, { ...HELD, ask }])
    for (const path of refused) await expect(readPack({ files: [path] }, held)).rejects.toThrow(NoExport);
  await readPack({ files: [pack] }, { ...HELD, ask });
  const links = await Promise.all(
    (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
  );
  expect(links.filter((path) => path.startsWith(dir))).toEqual([]);
});
