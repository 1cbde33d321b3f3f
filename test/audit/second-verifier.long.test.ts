/** The second verifier accepts valid packs as far as they claim, refuses tampered exports, and never throws. */
import { execFile, spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { keccak256 as viemKeccak } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { H, keccak256, verifyPack } from "../../src/explorer/verifier.js";
import { exportLines, sha256 } from "../eventstore/log-builder.ts";
import { cases, log, ORIGIN } from "../eventstore/tampering.ts";
import { keyOf, linesOf, noteOf, packOf, textOf, treeOf } from "./pack-builder.ts";
import { type Options, reasons, red, type Verdicts } from "./second-verdicts.ts";
import { LOG, PACKS, packText, packVerdicts, planOf, readPack, recordedAnchors } from "./vectors.ts";

const anchors = recordedAnchors();
const vectors = packVerdicts(anchors);
const HASH = sha256("another").toString("hex");
const SCRIPT = fileURLToPath(new URL("../../src/explorer/verifier.js", import.meta.url));

const detail = (verdicts: Verdicts, name: string) => verdicts.find((one) => one.name === name)!.detail;
const judged = (lines: string[], options?: Options) =>
  verifyPack(lines.map((line) => `${line}\n`).join(""), options);

test("the second verifier has at most 400 lines, so that an auditor can read it in one session", async () => {
  expect((await readFile(SCRIPT, "utf8")).trimEnd().split("\n").length).toBeLessThanOrEqual(400);
});

test("the second verifier imports only Node's modules for files and arguments", async () => {
  const text = await readFile(SCRIPT, "utf8");
  expect(text).not.toMatch(/^(import|export .* from)\b/m);
  expect([...text.matchAll(/import\("([^"]+)"\)/g)].map(([, name]) => name)).toEqual([
    "node:fs",
    "node:url",
    "node:zlib",
  ]);
});

describe("the second verifier's hashes equal Node's and viem's", () => {
  test.each([0, 1, 55, 56, 63, 64, 65, 135, 136, 137, 271, 272, 1000])("of %i bytes", async (length) => {
    const bytes = randomBytes(length);
    expect(await H(bytes)).toBe(createHash("sha256").update(bytes).digest("hex"));
    expect(`0x${keccak256(bytes)}`).toBe(viemKeccak(bytes));
  });
});

describe("valid packs", () => {
  test.each(Object.keys(PACKS))(
    "%s equals the builder's, and passes as far as its evidence goes",
    async (name) => {
      const text = readPack(name);
      expect(text).toBe(packText(name, anchors));
      const { events, anchored, signed } = vectors.reach[name]!;
      const { witness: _, ...options } = vectors.options;
      for (const one of [options, {}]) {
        const report = await verifyPack(text, one);
        expect(red(report.verdicts)).toEqual({});
        expect(report).toMatchObject({ ok: true, events });
        const begun = name === "part-pack.ndjson" ? "begins at 7, what lies before is unproven, " : "";
        const reach = `${begun}anchored up to ${anchored}, signed up to ${signed}, unproven beyond ${signed}`;
        expect(detail(report.verdicts, "completeness")).toBe(reach);
      }
      expect(JSON.parse(readPack("packs.json"))).toEqual(vectors);
    },
  );

  test("a pack's own key is reported as trusted, and its block as assumed", async () => {
    const { verdicts } = await verifyPack(readPack("pack.ndjson"));
    expect(detail(verdicts, "signature")).toMatch(/trusted/);
    expect(detail(verdicts, "anchor")).toMatch(/believed that block \d+ 0x[0-9a-f]{64} is of eip155:8453/);
  });

  test("missing evidence proves nothing, and is not a failure", async () => {
    const report = await judged(exportLines(ORIGIN, log()));
    expect(red(report.verdicts)).toEqual({});
    expect(detail(report.verdicts, "completeness")).toMatch(/^unproven beyond 0: without a head/);
    expect(report.head).toEqual({ position: 9, hash: log()[8]!.log_hash });
  });

  test("bytes and chunks of any size give the same result", async () => {
    const text = readPack("pack.ndjson");
    async function* chunks(bytes: Uint8Array, size: number) {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    for (const source of [Buffer.from(text), chunks(Buffer.from(text), 97), chunks(Buffer.from(text), 1)])
      expect((await verifyPack(source)).ok).toBe(true);
  });
});

describe("tampered exports", () => {
  const options = (one: (typeof cases)[number]["options"]): Options => ({
    origin: one?.origin,
    heads: one?.heads?.map(({ position, hash_prefix }) => ({ position, hash: hash_prefix })),
  });
  const shared = cases.filter(
    ({ fails, options: own }) =>
      !("canonical" in fails) && !own?.stream && !own?.max_streams && !own?.heads?.[0]?.epoch,
  );
  test.each(shared)("$name", async ({ lines, fails, options: own }) => {
    const report = await judged(lines, options(own));
    expect(red(report.verdicts)).toEqual(fails);
    expect(report.ok).toBe(false);
  });
});

describe("hostile input gives a verdict", () => {
  const pack = packOf(planOf(anchors));
  const text = textOf(pack);
  const lines = linesOf(pack);
  test.each<[string, string | Uint8Array]>([
    ["nothing", ""],
    ["a byte", "x"],
    ["random bytes", randomBytes(100_000)],
    ["random bytes after a header", Buffer.concat([Buffer.from(`${lines[0]}\n`), randomBytes(100_000)])],
    ["gzip, which is for the reader to unpack", gzipSync(text)],
    ["huge numbers", text.replaceAll('"size":4', '"size":9007199254740993')],
    ["a thousand digits", text.replaceAll('"size":4', `"size":${"9".repeat(1000)}`)],
    ["deep JSON", `${lines[0]}\n${"[".repeat(1_000_000)}\n`],
    ["deep JSON for a header", "[".repeat(1_000_000)],
    ["deep RLP", text.replace(/"header":"[^"]*"/, `"header":"0x${"c1".repeat(500_000)}"`)],
    ["a beginning at 0", text.replace('"first_position":1', '"first_position":0')],
    ["an empty node in a state proof", text.replace('"root_proof":[', '"root_proof":["",')],
    [
      "a frontier that is not hex",
      textOf(packOf({ ...planOf(anchors), first: 7 }))
        .replace(/"hashes":\["/, "$&Z")
        .replace(/(Z\w{63})\w/, "$1"),
    ],
    ["null for a line", `${lines[0]}\nnull\n`],
    ["a kind of evidence that every object has", `${lines[0]}\n{"evidence":"constructor"}\n`],
    ["no line feed at the end", text.slice(0, -1)],
    ["carriage returns", text.replaceAll("\n", "\r\n")],
  ])("%s", async (_, source) => {
    const report = await verifyPack(source);
    expect(report.ok).toBe(false);
    for (const { ok, judged, reason } of report.verdicts)
      if (!ok && judged !== false) expect(reason).toBeTruthy();
  });

  test("from a source that breaks", async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${lines[0]}\n`);
      throw new Error("the disk is gone");
    }
    const { verdicts } = await verifyPack(broken());
    expect(reasons(verdicts)).toMatch(/the disk is gone/);
  });

  test("with a byte changed anywhere, unless no hash covers it", async () => {
    for (let at = 0; at < text.length; at += 151) {
      const changed = Buffer.from(text);
      changed[at]! ^= 1;
      const { verdicts } = await verifyPack(changed);
      expect(verdicts.length).toBe(8);
    }
  });
});

describe("the command line", () => {
  const rows = log();
  const note = noteOf(ORIGIN, { size: 9, root: treeOf(rows).root(9) }, [LOG]);
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "tallystick-verifier-"));
  });
  afterAll(() => rm(dir, { recursive: true }));
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, ["--no-warnings", SCRIPT, ...args]).catch(
      (error: { code: number; stdout: string; stderr: string }) => error,
    );

  test("prints a line per verdict, then the result, and exits with 1 on a failure", async () => {
    const file = join(dir, "pack.ndjson.gz");
    await writeFile(file, gzipSync(readPack("pack.ndjson")));
    await writeFile(join(dir, "note"), note);
    const { stdout } = await run(
      ...[file, "--key", keyOf(LOG), "--head", `9:${rows[8]!.log_hash}`],
      ...["--checkpoint", join(dir, "note")],
    );
    expect(stdout.trimEnd().split("\n")).toHaveLength(9);
    expect(stdout).toMatch(/^9 events: verified$/m);
    expect(stdout).not.toMatch(/FAIL/);
    expect(stdout).toMatch(/anchored up to 8, signed up to 9, held up to 9, unproven beyond 9/);
    const failed = await run(file, "--head", `9:${HASH}`);
    expect(failed).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/FAIL completeness +at 9: [\s\S]*9 events: NOT verified/),
    });
    const other = `0x${"1".repeat(40)}`;
    for (const flag of ["--contract", "--signer"])
      expect(await run(file, flag, other)).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/FAIL anchor/),
      });
    await writeFile(file, gzipSync(readPack("pack.ndjson")).subarray(0, 900));
    expect(await run(file)).toMatchObject({ code: 1, stdout: expect.stringMatching(/FAIL format/) });
  });

  test("prints its usage", async () => {
    expect((await run("--help")).stdout).toMatch(/PACK \[--key/);
    for (const args of [[], ["pack", "--wrong", "x"], ["pack", "--key"], ["pack", "--head", "1"]])
      expect(await run(...args)).toMatchObject({ code: 2, stdout: expect.stringMatching(/PACK \[--key/) });
  });

  test.each(["missing", "missing.gz", "folder", "other.json", "missing-note"])(
    "exits with 2 if nothing was checked: %s",
    async (name) => {
      await mkdir(join(dir, "folder"), { recursive: true });
      await writeFile(join(dir, "other.json"), "{}\n");
      await writeFile(join(dir, "pack.ndjson"), readPack("pack.ndjson"));
      const args =
        name === "missing-note"
          ? [join(dir, "pack.ndjson"), "--checkpoint", join(dir, name)]
          : [join(dir, name)];
      const { code, stdout } = (await run(...args)) as { code: number; stdout: string };
      expect([code, stdout]).toEqual([2, expect.stringMatching(/no export of a log: |cannot be read/)]);
      expect(stdout.trim().split("\n")).toHaveLength(1);
    },
  );

  test("runs under any name, by a link, without an extension, and from standard input", async () => {
    const cut = join(dir, "cut.ndjson");
    await writeFile(cut, readPack("pack.ndjson").split("\n").slice(0, -2).join("\n").concat("\n"));
    const saved = join(dir, "check a log.mjs");
    await writeFile(saved, await readFile(SCRIPT));
    await symlink(saved, join(dir, "linked.mjs"));
    for (const args of [[saved], [join(dir, "linked.mjs")]]) {
      const ran = await promisify(execFile)(process.execPath, [...args, cut]).catch((error) => error);
      expect(ran).toMatchObject({ code: 1, stdout: expect.stringMatching(/FAIL completeness/) });
    }
    const piped = spawnSync(process.execPath, ["--input-type=module", "-", cut], {
      input: await readFile(SCRIPT),
    });
    expect([piped.status, piped.stdout.toString()]).toEqual([1, expect.stringMatching(/FAIL completeness/)]);
  });
});
