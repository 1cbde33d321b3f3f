/**
 * `report verify --url` refuses a report that a forger made anew, digests and all, unless its words are those of the
 * log.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { canonical } from "../../src/api/serve/nested-calls.ts";
import { reportCommand } from "../../src/cli/report.ts";
import { digestOf } from "../../src/core/model/objects.ts";
import { reportFaults } from "../../src/domain/reports/check.ts";
import { detached, factsDigest, type Report, reportId } from "../../src/domain/reports/report.ts";
import { askReport, BRIEF } from "../support/reported.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let secret: string;
let folder: string;
let answer: { data: Report; meta: object };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tallystick-forged-"));
  service = await startService();
  const issued = await service.issue();
  secret = issued.secret;
  await openSandbox(service);
  answer = (await (
    await askReport(service, issued.headers, BRIEF.path, BRIEF.input)
  ).json()) as typeof answer;
  expect(await signTick(service.app, { checkpoint_every_events: 0 })).toBe("done");
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

type VerifyResult = {
  ok: boolean;
  verified: string | null;
  log: string | null;
  figures: { asked: number; verified: number };
  faults: { at: string; says: string }[];
};

async function verify(given: object, ...more: string[]) {
  const path = join(folder, "given.json");
  await writeFile(path, JSON.stringify(given));
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    const settings = () => {
      throw new Error("no settings are asked for");
    };
    const args = ["verify", path, "--url", service.url, "--json", ...more];
    await reportCommand({ settings }).parseAsync(args, { from: "user" });
    const verdict = JSON.parse(write.mock.calls.map(([text]) => String(text)).join("")) as VerifyResult;
    return { code: process.exitCode ?? 0, result: verdict };
  } finally {
    process.exitCode = before;
    write.mockRestore();
  }
}

/** Computes names and digests anew, as a forger would. */
function sealed(report: Report): Report {
  const report_id = reportId(report, canonical);
  const named = { ...report, report_id };
  const { sha256: _, ...rest } = { ...named, facts_sha256: factsDigest(named, canonical) };
  return { ...rest, sha256: digestOf(canonical(rest)) };
}

const changed = (change: (report: Report) => void): Report => {
  const report = structuredClone(answer.data);
  change(report);
  return sealed(report);
};
const findings = (report: Report) => report.sections.flatMap((section) => section.findings);
const tables = (report: Report) => report.sections.flatMap((section) => section.tables);
const charts = (report: Report) => report.sections.flatMap((section) => section.charts);
const swap = <T>(list: T[]) => void ([list[0], list[1]] = [list[1]!, list[0]!]);

const FORGERIES: [string, (report: Report) => void][] = [
  ["another title", (report) => void (report.title = "A brief that was bought")],
  ["another title of a section", (report) => void (report.sections[0]!.title = "What is certain")],
  ["another text of a section", (report) => void (report.sections[0]!.text = "All of this is certain.")],
  [
    "a claim turned round",
    (report) => void (findings(report)[0]!.text = `It is false that ${findings(report)[0]!.text}`),
  ],
  ["a claim put behind", (report) => void (findings(report)[0]!.text += " Buy now.")],
  [
    "a number written as words",
    (report) => void (findings(report)[0]!.text += " It will rise by ninety percent."),
  ],
  [
    "a claim left out",
    (report) => void report.sections.find((one) => one.findings.length > 0)!.findings.shift(),
  ],
  [
    "a claim that is new",
    (report) =>
      void report.sections[0]!.findings.push({ ...findings(report)[0]!, text: "War is near.", facts: [] }),
  ],
  [
    "a signal called reported",
    (report) =>
      void (findings(report).at(-1)!.confidence =
        findings(report).at(-1)!.confidence === "reported" ? "signal" : "reported"),
  ],
  [
    "claims in another order",
    (report) => swap(report.sections.find((one) => one.findings.length > 1)!.findings),
  ],
  ["sections in another order", (report) => swap(report.sections)],
  ["rows swapped", (report) => swap(tables(report).find((one) => one.rows.length > 1)!.rows)],
  [
    "cells swapped",
    (report) => {
      const { rows } = tables(report).find((one) => one.rows.length > 1)!;
      [rows[0]![0], rows[1]![0]] = [rows[1]![0]!, rows[0]![0]!];
    },
  ],
  [
    "a row left out",
    (report) =>
      void tables(report)
        .find((one) => one.rows.length > 1)!
        .rows.pop(),
  ],
  ["a column by another name", (report) => void (tables(report)[0]!.columns[0] = "Enemy")],
  ["a table by another name", (report) => void (tables(report)[0]!.title = "Enemies")],
  ["a chart by another name", (report) => void (charts(report)[0]!.title = "Collapse")],
  ["a chart in another unit", (report) => void (charts(report)[0]!.unit = "billions")],
  ["a limit removed", (report) => void report.limits.pop()],
  ["all limits removed", (report) => void (report.limits = [])],
  ["a fact by another name", (report) => void (report.facts[0]!.label = "imports from an enemy")],
  [
    "a source by other words",
    (report) => void (report.sources[0]!.text = report.sources[0]!.text.replace(/^\S+/, "Audited")),
  ],
  [
    "a layer called available",
    (report) =>
      void (report.layers = (report.layers ?? []).map((one) => ({ ...one, available: true, why: null }))),
  ],
];

test("a report and its facts are verified by the digest in the log, with each figure repeated", async () => {
  for (const [given, verified] of [
    [answer, "report"],
    [answer.data, "report"],
    [detached(answer.data), "facts"],
  ] as const) {
    const { code, result: verdict } = await verify(given, "--key", secret);
    expect(verdict.faults).toEqual([]);
    expect([code, verdict.ok, verdict.verified]).toEqual([0, true, verified]);
    expect(verdict.figures.verified).toBe(verdict.figures.asked);
    expect(verdict.log).toContain("compare it with one you trust");
  }
});

test.each(FORGERIES)("a forged report is refused: %s", async (_, change) => {
  const report = changed(change);
  expect(canonical(report)).not.toBe(canonical(answer.data));
  const { code, result: verdict } = await verify({ ...answer, data: report }, "--key", secret);
  expect([code, verdict.ok, verdict.verified]).toEqual([1, false, null]);
  // The log's digest alone refuses it, whatever other faults are found.
  expect(verdict.faults.map(({ at }) => at)).toContain("report");
});

test("most forgeries have no wrong figure: without the log's digest they would pass", () => {
  const unseen = FORGERIES.filter(([, change]) => reportFaults(changed(change), canonical).length === 0);
  expect(unseen.length).toBeGreaterThan(12);
});

test("a report with changed words or unknown members is refused", async () => {
  const meta = { ...answer.meta, source: "Audited by nobody" };
  const around = await verify({ ...answer, meta }, "--key", secret);
  expect([around.code, around.result.faults.map(({ at }) => at)]).toEqual([1, ["meta"]]);
  const more = await verify({ ...answer, note: "Certified" }, "--key", secret);
  expect([more.code, more.result.faults.map(({ at }) => at)]).toEqual([1, ["note"]]);
  const member = await verify({ ...answer.data, note: "Certified" }, "--key", secret);
  expect([member.code, member.result.faults.map(({ at }) => at)]).toEqual([1, ["report"]]);
});

test("a fact with another label is refused, in the facts file too", async () => {
  const facts = detached(changed((report) => void (report.facts[0]!.label = "imports from an enemy")));
  const { code, result: verdict } = await verify(facts, "--key", secret);
  expect([code, verdict.faults.map(({ at }) => at)]).toEqual([1, ["facts_sha256"]]);
});

test("without the key only figures are verified, and the report is refused; likewise under another key of the log", async () => {
  const stranger = await service.issue({ tenant: "stranger" });
  const { code, result: verdict } = await verify(answer, "--key", stranger.secret);
  expect([code, verdict.verified, verdict.figures.verified]).toEqual([1, null, verdict.figures.asked]);
  expect(verdict.faults.map(({ at }) => at)).toEqual(["words"]);
  const key = await (await fetch(`${service.url}/log/key`)).text();
  expect((await verify(answer, "--key", secret, "--key", key.trim())).code).toBe(0);
  const other = await verify(answer, "--key", secret, "--origin", "another.example/log");
  expect([other.code, other.result.faults.map(({ at }) => at)]).toEqual([1, ["words"]]);
});
