import { describe, expect, test } from "vitest";
import { type Check, checks } from "../../eventstore/verify/checks.ts";
import { formatVerdicts } from "../../eventstore/verify/report.ts";
import { exportLines, rehash, streamExportLines } from "./log-builder.ts";
import { at, cases, held, log, ORIGIN } from "./tampering.ts";
import { failures, verifyBytes, verifyLines } from "./verify-support.ts";

test("the log itself verifies", async () => {
  const report = await verifyLines(exportLines(ORIGIN, log()), held(9));
  expect(failures(report)).toEqual({});
  expect(report).toMatchObject({
    ok: true,
    events: 9,
    streams: 4,
    head: { position: 9, hash: at(log(), 9).log_hash },
  });
});

describe("tampering is caught, with its own verdict and position", () => {
  test.each(cases)("$name", async ({ lines, options, fails, says }) => {
    const report = await verifyLines(lines, options);
    expect(failures(report)).toEqual(fails);
    expect(report.verdicts.some((verdict) => verdict.reason !== undefined && says.test(verdict.reason))).toBe(
      true,
    );
    expect(formatVerdicts(report)).toContain("NOT verified");
  });
});

test("a log rewritten completely passes without a known head, and the verdict names the unproven part", async () => {
  const rows = log();
  at(rows, 2).payload = "{}";
  const report = await verifyLines(exportLines(ORIGIN, rehash(ORIGIN, rows)));
  expect(report.ok).toBe(true);
  expect(report.verdicts.at(-1)!.detail).toContain("unproven beyond 0");
});

/** A check is useless if no tampering passes without it. */
describe("each check is needed", () => {
  test.each(checks)("$name", async (check: Check) => {
    const others = checks.filter((other) => other !== check);
    let passes = false;
    for (const { lines, options } of cases) {
      passes = (await verifyLines(lines, { ...options, checks: others })).ok;
      if (passes) break;
    }
    expect(passes).toBe(true);
  });
});

test("without any check, every readable line passes", async () => {
  for (const { lines, options, fails } of cases) {
    const report = await verifyLines(lines, { ...options, checks: [] });
    expect(report.ok).toBe(!("format" in fails));
  }
});

test("a part of the log verifies, and the verdict names the part before it", async () => {
  const report = await verifyLines(exportLines(ORIGIN, log().slice(5), at(log(), 5).log_hash), held(5));
  expect(failures(report)).toEqual({});
  const details = Object.fromEntries(report.verdicts.map(({ name, detail }) => [name, detail]));
  expect(details.chain).toContain("3 streams begin earlier");
  expect(details.completeness).toContain("begins at 6");
  expect(details.completeness).toContain("proven up to the held head 5, unproven beyond 5");
});

test("one stream verifies by itself", async () => {
  const rows = log();
  const lines = streamExportLines(ORIGIN, rows, "acme", "order");
  const last = at(rows, 7);
  const report = await verifyLines(lines, {
    heads: [{ position: 3, hash_prefix: last.event_hash }],
    stream: { tenant: "acme", stream_id: "order" },
  });
  expect(failures(report)).toEqual({});
  expect(report).toMatchObject({
    ok: true,
    events: 3,
    streams: 1,
    head: { position: 3, hash: last.event_hash },
  });
  expect(failures(await verifyLines(lines.toSpliced(2, 1)))).toEqual({ chain: 2, completeness: 3 });
});

test("the size of the chunks makes no difference", async () => {
  const text = `${exportLines(ORIGIN, log()).join("\n")}\n`;
  for (const size of [1, 7, 64, 1000]) expect((await verifyBytes(text, {}, size)).ok).toBe(true);
});
