/** A witness signs one history of each log, for any requests and any crash. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { openSignedHeads } from "../../src/adapters/signed-heads.ts";
import { openCheckpoint, withCosignatures } from "../../src/anchoring/checkpoint.ts";
import { formatNote, parseNote, signText } from "../../src/anchoring/note.ts";
import { formatAddCheckpoint, originHash } from "../../src/anchoring/tlog-proof.ts";
import { type Fork, openWitness, type Witness } from "../../src/witness/witness.ts";
import { signerOf } from "../anchoring/signers.ts";
import { scaled } from "../support/scale.ts";
import { smallLog } from "./small-log.ts";

const log = smallLog("log.example/main/5f1d0c3ab2e94f77", { common: 20 });
const forked = smallLog(log.origin, { history: "other", common: 20 });
const other = smallLog("other.example/log");

let dir: string;
let witness: Witness;
let forks: Fork[];
const open = (from = dir) =>
  openWitness({
    dir: from,
    name: "w.example",
    logs: [log.key, other.key],
    now: () => new Date("2026-01-02T03:04:05.678Z"),
    onFork: (fork) => forks.push(fork),
  });
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-witness-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  forks = [];
  witness = await open();
});

const add = (body: string, by = witness) => by.addCheckpoint(body);
const cosigned = (note: string, line: string, by = witness) =>
  openCheckpoint(withCosignatures(note, line, [by.key]), { log: log.key, witnesses: [by.key] });
const conflict = (size: number) => ({ status: 409, type: "text/x.tlog.size", body: `${size}\n` });

test("a checkpoint that continues the last one is cosigned, also without growth", async () => {
  for (const [first, second] of [
    [0, 1],
    [1, 7],
    [7, 7],
    [7, 300],
  ] as const) {
    const { status, body } = await add(log.growth(first, second));
    expect(status).toBe(200);
    expect(cosigned(log.note(second), body)).toMatchObject({
      size: second,
      cosignatures: [{ witness: "w.example", timestamp: Date.parse("2026-01-02T03:04:05Z") / 1_000 }],
    });
  }
  expect((await add(other.growth(0, 5))).status).toBe(200);
  expect(await witness.follows()).toEqual([
    ...[log, other].map(({ origin, root }, n) => {
      const size = [300, 5][n]!;
      return { origin, size, root: root(size).toString("base64"), cosigned_at: "2026-01-02T03:04:05.678Z" };
    }),
  ]);
});

describe("a witness refuses", () => {
  beforeEach(async () => {
    expect((await add(log.growth(0, 30))).status).toBe(200);
  });
  const unchanged = async () => expect((await witness.follows())[0]!.size).toBe(30);

  test("an old size other than the cosigned one, and names the cosigned one", async () => {
    expect(await add(log.growth(0, 40))).toEqual(conflict(30));
    expect(await add(log.growth(20, 40))).toEqual(conflict(30));
    expect(await add(log.growth(40, 50))).toEqual(conflict(30));
    // A smaller one than was cosigned, also with a valid proof.
    expect(await add(log.growth(10, 20))).toEqual(conflict(30));
    expect(await add(other.growth(3, 5))).toEqual(conflict(0));
    await unchanged();
  });

  test("a fork, by its size or its proof; two roots of one size are reported as proof", async () => {
    expect(await add(forked.growth(30, 30))).toMatchObject({ status: 422 });
    expect(forks).toEqual([
      { origin: log.origin, size: 30, cosigned: log.note(30), refused: forked.note(30) },
    ]);
    expect(await add(forked.growth(30, 40))).toMatchObject({ status: 422 });
    expect(await add(forked.growth(0, 40))).toEqual(conflict(30));
    await unchanged();
  });

  test("a changed, overlong or short proof", async () => {
    const [old, ...lines] = log.growth(30, 40).split("\n");
    const blank = lines.indexOf("");
    const proof = lines.slice(0, blank);
    expect(proof.length).toBeGreaterThan(2);
    const body = (hashes: string[]) => [old, ...hashes, ...lines.slice(blank)].join("\n");
    const bent = proof.with(1, Buffer.alloc(32, 7).toString("base64"));
    for (const hashes of [bent, proof.slice(1), proof.slice(0, -1), [...proof, proof[0]!], []])
      expect(await add(body(hashes))).toMatchObject({ status: 422 });
    expect(await add(log.growth(30, 30).replace("old 30\n", `old 30\n${proof[0]}\n`))).toMatchObject({
      status: 422,
    });
    expect(await add(body(proof))).toMatchObject({ status: 200 });
  });

  test("an unknown log, another log's key, an old size above the new one, and a malformed checkpoint", async () => {
    const stranger = smallLog("stranger.example/log");
    expect(await add(stranger.growth(0, 5))).toMatchObject({ status: 404 });
    const forger = smallLog(log.origin, { common: 20, signed_by: "forger" });
    expect(await add(forger.growth(30, 40))).toMatchObject({ status: 403 });
    // The right key's id over a signature of another text.
    const line = log.note(40).split("\n").at(-2)!;
    const swapped = log.growth(30, 41).replace(/^— .*$/m, line);
    expect(await add(swapped)).toMatchObject({ status: 403 });
    expect(await add(log.growth(50, 40))).toMatchObject({ status: 400 });
    for (const body of [
      "",
      "old",
      "old 30\n\n",
      "old 030\n\nx",
      log.growth(30, 40).slice(0, -1),
      "old 1\nx\n\n",
    ])
      expect(await add(body)).toMatchObject({ status: 400 });
    await unchanged();
  });
});

test("a checkpoint of size 0 with another root than the empty tree's is answered 422", async () => {
  const text = `${log.origin}\n0\n${Buffer.alloc(32, 1).toString("base64")}\n`;
  const checkpoint = formatNote({ text, signatures: [signText(text, log.origin, signerOf(log.origin))] });
  const body = formatAddCheckpoint({ old_size: 0, proof: [], checkpoint });
  expect(await add(body)).toMatchObject({ status: 422 });
  await add(log.growth(0, 30));
  expect(await add(body)).toEqual(conflict(30));
});

test("more than 63 hashes are answered 400", async () => {
  await add(log.growth(0, 30));
  const proof = Array.from({ length: 64 }, () => Buffer.alloc(32));
  const body = formatAddCheckpoint({ old_size: 30, proof, checkpoint: log.note(40) });
  expect(await add(body)).toMatchObject({ status: 400 });
});

test("a witness's monitoring address serves the newest checkpoint with the log's signature and its cosignature", async () => {
  const hash = originHash(log.origin);
  expect(await witness.checkpoint(hash)).toMatchObject({ status: 404 });
  expect(await witness.checkpoint(originHash("stranger.example/log"))).toMatchObject({ status: 404 });
  await add(log.growth(0, 30));
  const { text, signatures } = parseNote(log.note(40));
  const stranger = { name: "s.example", key_id: "01020304", bytes: Buffer.alloc(64, 1) };
  const checkpoint = formatNote({ text, signatures: [stranger, ...signatures] });
  const [head] = log.growth(30, 40).split("\n\n");
  const { body: line } = await add(`${head}\n\n${checkpoint}`);
  expect(await witness.checkpoint(hash)).toMatchObject({ status: 200, body: log.note(40) + line });
  expect(await (await open()).checkpoint(hash)).toMatchObject({ body: log.note(40) + line });
});

test("a log named like a member of every JavaScript object is remembered like any other", async () => {
  const [one, two] = ["one", "two"].map((history) => smallLog("__proto__", { history }));
  witness = await openWitness({ dir, name: "w.example", logs: [one!.key] });
  expect(await add(one!.growth(0, 5))).toMatchObject({ status: 200 });
  expect(await add(two!.growth(0, 7))).toEqual(conflict(5));
  expect(await witness.follows()).toMatchObject([{ origin: "__proto__", size: 5 }]);
});

test("simultaneous requests for one log lead to one signed history", async () => {
  await add(log.growth(0, 20));
  const bodies = Array.from({ length: 20 }, (_, n) => (n % 2 ? log : forked).growth(20, 21 + n));
  const answers = await Promise.all(bodies.map((body) => add(body)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers[0]!.status).toBe(200);
  for (const answer of answers.slice(1)) expect(answer).toEqual(conflict(21));
});

test("two witnesses over one folder act as one", async () => {
  const twin = await open();
  expect(twin.key).toEqual(witness.key);
  const at_once = await Promise.all([add(log.growth(0, 30)), add(forked.growth(0, 30), twin)]);
  expect(at_once.map(({ status }) => status).sort()).toEqual([200, 409]);
  const signed = at_once[0].status === 200 ? log : forked;
  expect(await add(signed.growth(30, 40), twin)).toMatchObject({ status: 200 });
  expect(await add(signed.growth(30, 41))).toEqual(conflict(40));
});

test("many processes over one folder act as one witness, even while one of them is paused", async () => {
  const others = await Promise.all(Array.from({ length: 5 }, () => open()));
  for (let size = 20; size < 40; size++) {
    const before = size === 20 ? 0 : size - 1;
    const answers = await Promise.all(
      others.map((by, n) => add((n % 2 ? log : forked).growth(before, size), by)),
    );
    const taken = answers.filter(({ status }) => status === 200);
    expect(taken.length).toBeGreaterThan(0);
    const rejected = answers.filter(({ status }) => status !== 200);
    for (const { status } of rejected) expect([409, 422]).toContain(status);
    if (size > 20)
      expect(new Set(answers.flatMap(({ status }, n) => (status === 200 ? n % 2 : []))).size).toBe(1);
  }
  expect((await readdir(dir)).filter((name) => name.startsWith("state."))).toHaveLength(1);

  // A process that read the state long ago and only writes now: its number is free again.
  const state = await openSignedHeads(dir);
  const [before] = await witness.follows();
  const newest = Number((await readdir(dir)).flatMap((name) => /^state\.(\d+)/.exec(name)?.[1] ?? [])[0]);
  let looks = 0;
  await state.update((memory) => {
    looks++;
    if (looks === 1) {
      const text = readFileSync(join(dir, `state.${newest}.json`), "utf8");
      writeFileSync(join(dir, `state.${newest + 5}.json`), text);
      rmSync(join(dir, `state.${newest}.json`));
    }
    return { isChanged: true, answer: memory };
  });
  expect(looks).toBe(2);
  expect((await witness.follows())[0]).toEqual(before);
  expect(await readdir(dir)).toContain(`state.${newest + 6}.json`);
});

test("any requests in any order lead to one signed history", async () => {
  const size = fc.integer({ min: 0, max: 60 });
  const question = fc.record({ history: fc.boolean(), first: size, second: size, again: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(question, { maxLength: 30 }), async (questions) => {
      const here = await mkdtemp(join(tmpdir(), "tallystick-witness-"));
      try {
        let by = await open(here);
        let newest = 0;
        const signed = new Set<boolean>();
        for (const { history, first, second, again } of questions) {
          if (again) by = await open(here);
          const from = first % 2 ? newest : first;
          const { status } = await add((history ? log : forked).growth(from, second), by);
          if (status !== 200) continue;
          expect(from).toBe(newest);
          expect(second).toBeGreaterThanOrEqual(newest);
          newest = second;
          if (second > 20) signed.add(history);
          expect(signed.size).toBeLessThanOrEqual(1);
        }
      } finally {
        await rm(here, { recursive: true, force: true });
      }
    }),
    { numRuns: scaled(25, 10) },
  );
});

describe("a witness's folder", () => {
  test("has a key that nobody else can read, and a readable state", async () => {
    await add(log.growth(0, 30));
    expect((await stat(join(dir, "witness.key"))).mode & 0o777).toBe(0o600);
    expect((await readdir(dir)).sort()).toEqual(["state.1.json", "witness.key"]);
    expect(JSON.parse(await readFile(join(dir, "state.1.json"), "utf8"))).toEqual({
      [log.origin]: {
        size: 30,
        root: log.root(30).toString("base64"),
        note: log.note(30),
        signed_at: "2026-01-02T03:04:05.678Z",
      },
    });
  });

  test("is refused without its state, or with an unreadable one", async () => {
    await writeFile(join(dir, "state.0.json"), '{"x": {"size": -1}}');
    await expect(open()).rejects.toThrow(/state.0.json cannot be read/);
    await expect(add(log.growth(0, 30))).rejects.toThrow(/state.0.json cannot be read/);
    await rm(join(dir, "state.0.json"));
    await expect(open()).rejects.toThrow(/state in .* is gone/);
    await expect(add(log.growth(0, 30))).rejects.toThrow(/has no state/);
  });
});
