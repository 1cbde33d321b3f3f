/**
 * The tamper matrix over packs, for both verifiers: each case fails where it should, valid packs pass, and each
 * check has a case.
 */
import { describe, expect, test } from "vitest";
import { checks } from "../../eventstore/verify/checks.ts";
import { auditChecks } from "../../src/audit/checks.ts";
import { judgedByFirst, judgedBySecond, red } from "./judges.ts";
import { eventCases, type PackTampering } from "./pack-tampering.ts";
import { anchorCases, chainVariations } from "./pack-tampering-anchors.ts";
import { exactCases, exactVariations } from "./pack-tampering-exact.ts";
import { heldCases } from "./pack-tampering-held.ts";
import { keyCases, noteCases, orderCases } from "./pack-tampering-notes.ts";
import { timeCases, timeVariations } from "./pack-tampering-times.ts";
import { frontierCases, inclusionCases, linkCases, rewriteCases } from "./pack-tampering-tree.ts";
import { variations } from "./pack-variations.ts";

const groups: Record<string, PackTampering[]> = {
  events: eventCases,
  keys: keyCases,
  notes: noteCases,
  "the order of evidence": orderCases,
  frontiers: frontierCases,
  "consistency lines": linkCases,
  "inclusion lines": inclusionCases,
  "histories rewritten under true evidence": rewriteCases,
  anchors: anchorCases,
  "dates and blocks": timeCases,
  "what the auditor holds": heldCases,
  "what the text makes exact": exactCases,
};
const cases = Object.values(groups).flat();

test("no two cases share a name", () => {
  const names = cases.map(({ name }) => name);
  expect(names.filter((name, n) => names.indexOf(name) !== n)).toEqual([]);
});

describe.each(Object.entries(groups))("%s", (_, group) => {
  test.each(group)("$name", async (one) => {
    const report = await judgedByFirst(one);
    expect(red(report)).toEqual(one.fails);
    expect(report.ok).toBe(false);
    if (one.says) expect(report.verdicts.map(({ reason }) => reason ?? "").join("\n")).toMatch(one.says);
  });

  test.each(group)("by the second verifier: $name", async (one) => {
    const report = await judgedBySecond(one);
    expect(red(report)).toEqual(one.second?.fails ?? one.fails);
  });
});

describe("valid packs pass, as far as they claim", () => {
  test.each([...variations, ...exactVariations])("$name", async (one) => {
    const report = await judgedByFirst(one);
    expect(red(report)).toEqual({});
    expect(report.verdicts.find(({ name }) => name === "completeness")!.detail).toMatch(one.reach);
    expect(red(await judgedBySecond(one))).toEqual({});
  });

  test.each([...chainVariations, ...timeVariations])("$name", async (one) => {
    expect(red(await judgedByFirst(one))).toEqual({});
    expect(red(await judgedBySecond(one))).toEqual(one.second?.fails ?? {});
  });
});

/** A check is useless if no tampering passes without it. */
describe("every check is necessary", () => {
  const passesWithout = async (verdict: string, left: Parameters<typeof judgedByFirst>[1]) => {
    // The many changes of columns come first, and cover the same few checks.
    for (const one of cases.toReversed()) {
      if (Object.keys(one.fails).join() !== verdict) continue;
      const isGreen = await judgedByFirst(one, left).then(
        ({ ok }) => ok,
        // Input that a check would have refused may be unreadable for later code.
        () => false,
      );
      if (isGreen) return one.name;
    }
    return undefined;
  };

  test.each(checks)("$name", async (check) => {
    expect(
      await passesWithout(check.verdict, { checks: checks.filter((one) => one !== check) }),
    ).toBeDefined();
  });

  test.each(auditChecks)("$name", async (check) => {
    const left = { auditChecks: auditChecks.filter((one) => one !== check) };
    expect(await passesWithout(check.verdict, left)).toBeDefined();
  });
});
