/**
 * Both verifiers answer for any pack; a changed byte fails unless no hash covers it; the cost is linear in the
 * length.
 */
import * as fc from "fast-check";
import { fromRlp, type Hex, toHex, toRlp } from "viem";
import { describe, expect, test } from "vitest";
import { cosignText, formatNote, parseNote } from "../../src/anchoring/note.ts";
import { commonLeaves } from "../../src/audit/common-leaves.ts";
import { chainView } from "../../src/audit/verify-pack.ts";
import { ORIGIN } from "../eventstore/tampering.ts";
import { scaled } from "../support/scale.ts";
import { first, red, second, textOfLines } from "./judges.ts";
import { type AnchorLine, keyOf, linesOf } from "./pack-builder.ts";
import { A_HASH, anchors, evidenceIn, KEY, note, type PartName, strip, truePack } from "./pack-tampering.ts";
import { trueWorld } from "./pack-tampering-anchors.ts";
import { answerOf } from "./scripted-chain.ts";
import { WITNESS } from "./vectors.ts";

const PARTS: PartName[] = ["whole", "part", "stream"];
const texts = Object.fromEntries(
  PARTS.map((part) => [part, Buffer.from(textOfLines(linesOf(truePack(part))))]),
) as Record<PartName, Buffer>;

/** A byte's line, the member before it, and its offset in the line. */
function placeOf(text: Buffer, at: number): { line: string; member: string | undefined; before: string } {
  const start = text.lastIndexOf(10, at - 1) + 1;
  const line = text.subarray(start, text.indexOf(10, at)).toString("latin1");
  const before = line.slice(0, at - start);
  return { line, member: [...before.matchAll(/"(\w+)":/g)].at(-1)?.[1], before };
}

/**
 * docs/event-log.md, "Not covered"; claims that only the chain can prove; and lines of keys that the auditor does
 * not know or need.
 */
function isUncovered(text: Buffer, at: number): boolean {
  const { line, member, before } = placeOf(text, at);
  if (line.startsWith('{"format"')) return member === "log_id" || member === "exported_at";
  if (line.startsWith('{"evidence":"key"')) return member === "key";
  if (line.startsWith('{"evidence":"anchor"')) return member === "header";
  return member === "note" && BEHIND_OWN_SIGNATURE.test(before);
}
const BEHIND_OWN_SIGNATURE = / log\S* \S+\\n/;

const change = fc.record({
  part: fc.constantFrom(...PARTS),
  at: fc.nat(),
  bits: fc.integer({ min: 1, max: 255 }),
});

test("a changed byte anywhere fails, unless no hash covers it", async () => {
  await fc.assert(
    fc.asyncProperty(change, async ({ part, at: any, bits }) => {
      const text = Buffer.from(texts[part]);
      const at = any % text.length;
      text[at]! ^= bits;
      const { ok } = await first(text, { key: KEY });
      if (isUncovered(texts[part], at)) return;
      expect(ok).toBe(false);
      expect((await second(text, { key: KEY })).ok).toBe(false);
    }),
    { numRuns: scaled(30, 10) },
  );
});

test("a pack with a removed, repeated or swapped event line fails", async () => {
  const lines = linesOf(truePack("whole"));
  const from = lines.findIndex((line) => line.startsWith('{"position"'));
  const place = fc.integer({ min: from, max: lines.length - 2 });
  await fc.assert(
    fc.asyncProperty(place, place, fc.constantFrom("take", "double", "swap"), async (one, other, how) => {
      fc.pre(how !== "swap" || one !== other);
      const bent =
        how === "take"
          ? lines.toSpliced(one, 1)
          : how === "double"
            ? lines.toSpliced(other, 0, lines[one]!)
            : lines.with(one, lines[other]!).with(other, lines[one]!);
      expect((await first(textOfLines(bent), { key: KEY })).ok).toBe(false);
      expect((await second(textOfLines(bent), { key: KEY })).ok).toBe(false);
    }),
    { numRuns: scaled(15, 10) },
  );
});

/** By definition: the most leaves with which a chain of links still leads from one size to the other. */
function mostInCommon(
  base: number,
  size: number,
  links: readonly { first: number; second: number }[],
): number {
  const reaches = (least: number) => {
    const reached = new Set([base]);
    for (let before = -1; before !== reached.size; ) {
      before = reached.size;
      for (const { first: one, second: other } of links)
        if (one >= least && (reached.has(one) || reached.has(other))) reached.add(one).add(other);
    }
    return reached.has(size);
  };
  return Math.max(-1, ...links.map(({ first: least }) => least).filter(reaches));
}

test("the common leaves of two trees are the most that any chain of links proves", () => {
  const size = fc.nat({ max: 12 });
  const link = fc.tuple(size, size).map(([a, b]) => ({ first: Math.min(a, b), second: Math.max(a, b) }));
  fc.assert(
    fc.property(size, fc.array(link, { maxLength: 14 }), (base, links) => {
      const common = commonLeaves(base, links);
      for (let one = 0; one <= 12; one++)
        if (one !== base) expect(common.get(one) ?? -1).toBe(mostInCommon(base, one, links));
    }),
  );
});

describe("hostile lines", () => {
  const lines = linesOf(truePack("whole"));
  const deep = "[".repeat(200_000) + "]".repeat(200_000);
  test.each<[string, string]>([
    ["a deep list", deep],
    ["a deep list for a kind", `{"evidence":${deep}}`],
    ["an object for a kind", '{"evidence":{"toString":1,"valueOf":1}}'],
    ["null for a kind", '{"evidence":null}'],
    ["a kind that every object has", '{"evidence":"__proto__"}'],
    ["a member that every object has", '{"evidence":"key","__proto__":{"key":"x"}}'],
    ["a deep proof", `{"evidence":"consistency","first":1,"second":2,"proof":${deep}}`],
    [
      "a proof of a hundred thousand hashes",
      `{"evidence":"consistency","first":1,"second":2,"proof":[${Array(100_000).fill(`"${A_HASH}"`)}]}`,
    ],
    ["a key of a megabyte", `{"evidence":"key","key":"${"x".repeat(1_000_000)}"}`],
    ["a size beyond 2^53", '{"evidence":"consistency","first":1,"second":9007199254740993,"proof":[]}'],
    ["a size below nothing", '{"evidence":"consistency","first":-1,"second":2,"proof":[]}'],
    ["a size that is not whole", '{"evidence":"consistency","first":1.5,"second":2,"proof":[]}'],
  ])("%s", async (_name, line) => {
    const text = textOfLines(lines.toSpliced(1, 0, line));
    expect(red(await first(text, { key: KEY }))).toHaveProperty("format");
    expect(red(await second(text, { key: KEY }))).toHaveProperty("format");
  });

  test.each(["x", "x+00000000+AA==", "", "\\u0000"])("the key line %j next to a given key", async (key) => {
    const pack = truePack("whole");
    evidenceIn(pack, "key").key = key;
    expect((await first(textOfLines(linesOf(pack)), { key: KEY })).ok).toBe(true);
  });

  test("deep RLP in an anchor fails the anchor check", async () => {
    for (const name of ["transaction", "header"] as const) {
      const pack = truePack("whole");
      evidenceIn(pack, "anchor")[name] = `0x02${"c1".repeat(500_000)}`;
      const report = await first(textOfLines(linesOf(pack)), { key: KEY });
      expect(red(report)).toEqual({ anchor: 4 });
    }
  });

  test("a cosignature with a time outside the calendar is reported in seconds", async () => {
    const pack = truePack("whole");
    const { text, signatures } = parseNote(note(4));
    const late = cosignText(text, WITNESS.name, WITNESS.signer, Number.MAX_SAFE_INTEGER);
    strip(pack, "checkpoint");
    pack.evidence.splice(1, 0, {
      evidence: "checkpoint",
      note: formatNote({ text, signatures: [...signatures, late] }),
    });
    const report = await first(textOfLines(linesOf(pack)), { key: KEY, witnesses: [keyOf(WITNESS)] });
    expect(red(report)).toEqual({});
    expect(report.verdicts.find(({ name }) => name === "signature")!.detail).toContain("9007199254740991 s");
  });
});

/** A hundred thousand of each: quadratic work would exceed the test's time. */
describe("many lines", () => {
  const MANY = 100_000;
  const numbers = Array.from({ length: MANY }, (_, n) => n + 1);
  /** Replaces the valid pack's evidence. */
  const amid = (evidence: object[], part: PartName = "whole") => {
    const { header, events, end } = truePack(part);
    return textOfLines([
      header,
      ...evidence.map((line) => JSON.stringify(line)),
      ...events.map(({ line }) => line),
      end,
    ]);
  };
  const unsigned = (size: number) => ({
    evidence: "checkpoint",
    note: note(4).replace("\n4\n", `\n${size}\n`),
  });
  const noteOfFour = note(4);

  test("useless consistency lines in the worst order fail the tree check", async () => {
    const links = numbers.map((n) => ({
      evidence: "consistency",
      first: MANY - n,
      second: MANY - n + 1,
      proof: [],
    }));
    expect(red(await first(amid(links)))).toEqual({ tree: expect.any(Number) });
    expect(red(await second(amid(links)))).toEqual({ tree: expect.any(Number) });
  });

  test.each(["whole", "stream"] as const)(
    "linked tree heads of distinct sizes fail the signature and tree checks: %s",
    async (part) => {
      const sizes = numbers.slice(0, MANY / 10).map((n) => n + 100);
      const heads = sizes.map(unsigned);
      const links = sizes.slice(1).map((size) => ({
        ...{ evidence: "consistency", first: size - 1, second: size },
        proof: [A_HASH],
      }));
      const text = amid([...heads, ...links.toReversed()], part);
      expect(red(await first(text))).toEqual({ signature: 101, tree: 101 });
      expect(red(await second(text))).toEqual({ signature: 101, tree: 101 });
    },
  );

  test("exceeding the line limit is a format fault; the limit itself is not", async () => {
    const line = { evidence: "consistency", first: 4, second: 4, proof: [] };
    for (const judge of [first, second])
      expect(red(await judge(amid(Array(MANY + 1).fill(line))))).toHaveProperty("format");
    expect(red(await first(amid(Array(MANY).fill(line))))).not.toHaveProperty("format");
  });

  test("more than 64 MiB of evidence is a format fault", async () => {
    const heavy = { evidence: "checkpoint", note: "x".repeat(99_000) };
    for (const judge of [first, second])
      expect(red(await judge(amid(Array(680).fill(heavy))))).toHaveProperty("format");
  });

  test("tree heads of one size with different roots fail the signature and tree checks", async () => {
    const heads = numbers.slice(0, MANY / 10).map((n) => ({
      evidence: "checkpoint",
      note: noteOfFour.replace(/\n4\n.{8}/, `\n4\n${n.toString(36).padStart(8, "0")}`),
    }));
    expect(red(await first(amid(heads)))).toEqual({ signature: 4, tree: 4 });
  });

  test("links from one size to many, and from many to one, give the common leaves", () => {
    const star = numbers.map((n) => ({ first: n, second: MANY + 1 }));
    const chain = numbers.map((n) => ({ first: n, second: n + 1 }));
    expect(commonLeaves(MANY + 1, star).get(7)).toBe(7);
    expect(commonLeaves(MANY + 1, chain).get(7)).toBe(7);
    expect(commonLeaves(1, chain).get(MANY)).toBe(1);
  });

  test("a pack whose head arrives in small chunks passes with the chain queried", async () => {
    const pack = truePack("whole");
    const more = { evidence: "consistency" as const, first: 4, second: 4, proof: [] };
    pack.evidence.push(...numbers.slice(0, MANY / 10).map(() => more));
    const held = { key: KEY, world: trueWorld };
    expect(red(await first(textOfLines(linesOf(pack)), held, {}, 16))).toEqual({});
  });

  test("anchors in many blocks are queried a few at a time", async () => {
    let open = 0;
    let most = 0;
    let requests = 0;
    const ask = async (method: string, params: readonly unknown[]) => {
      requests++;
      most = Math.max(most, ++open);
      await new Promise((done) => setImmediate(done));
      open--;
      return answerOf(trueWorld, method, params) as never;
    };
    const [anchor] = anchors as [AnchorLine];
    const items = fromRlp(anchor.header, "hex") as Hex[];
    const many = numbers.slice(0, 500).map((n) => ({ ...anchor, header: toRlp(items.with(8, toHex(n))) }));
    await chainView(ask, ORIGIN, many, {});
    expect(requests).toBeGreaterThan(500);
    expect(most).toBeLessThanOrEqual(20);
  });
});
