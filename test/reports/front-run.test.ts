/** Front-running: the formula by hand, the weeks, and the signals that callers get. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { policies } from "../../src/datasets/reference/policies.ts";
import { frontRunning, spike } from "../../src/domain/fusion/front-running.ts";
import * as frontRun from "../../src/domain/reports/front-run.ts";
import { reporterCodes } from "../../src/domain/trade/reporters.ts";
import { monthsBetween } from "../../src/domain/trade/units.ts";
import { frontRunSignalsIn } from "../../src/projections/reports/answers/front-run.ts";
import { sectionWriters } from "../../src/projections/reports/answers/section-writers.ts";
import { reportDraft } from "../../src/projections/reports/writing.ts";
import { frontRunReactor } from "../../src/reactors/reports/watch-front-runs.ts";
import { made, storeOf } from "../reference/store-of.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { eurOf, openChangedTrade } from "../trade/changed-codes.ts";

describe("the formula", () => {
  const months = monthsBetween(202001, 202412);
  const flat = new Map(months.map((month) => [month, 100]));
  const before = new Map([...flat, [202404, 300], [202405, 200], [202406, 400]]);

  test("a spike is the mean of three months over the same months of the two years before", () => {
    expect(spike(flat, 202407)).toBe(1);
    expect(spike(before, 202407)).toBe(3);
    expect(spike(new Map([...before].filter(([month]) => month !== 202305)), 202407)).toBeUndefined();
    expect(spike(flat, 202103)).toBeUndefined();
  });

  test("confidence is the share of other months with a lower spike, and null for a short series", () => {
    // From April 2022 to January 2025 there are 34 months with a spike; five share months with it.
    expect(frontRunning(before, 202407, undefined)).toEqual({ spike_multiple: 3, confidence: 1 });
    const short = new Map([...before].filter(([month]) => month >= 202201));
    expect(frontRunning(short, 202407, undefined)).toEqual({ spike_multiple: 3, confidence: null });
    const other = new Map([...before, [202308, 900], [202309, 900], [202310, 900]]);
    const { confidence } = frontRunning(other, 202407, undefined)!;
    expect(confidence).toBeGreaterThan(0.7);
    expect(confidence).toBeLessThan(1);
  });

  test("seasonal and usual changes are not a signal", () => {
    expect(frontRunning(before, 202407, 5)).toBeUndefined();
    expect(frontRunning(before, 202407, 8)).toBeDefined();
    expect(frontRunning(flat, 202407, undefined)).toBeUndefined();
  });
});

test("a week begins on Monday at 07:00 UTC, and is written once", () => {
  const week = (at: string) => frontRun.weekOf(new Date(at));
  expect(week("2026-11-23T06:59:59.999Z")).toBe("2026-11-16");
  expect(week("2026-11-23T07:00:00.000Z")).toBe("2026-11-23");
  expect(week("2026-11-29T23:00:00.000Z")).toBe("2026-11-23");
  expect(frontRun.lastDayOf("2026-11-23")).toBe("2026-11-16");
  const facts = { week: "2026-11-23", vintage: "a", synthetic: true, signals: [] };
  const [event] = frontRun.recordWeek(facts)(undefined);
  const state = frontRun.evolve(undefined, event!);
  expect(frontRun.recordWeek(facts)(state)).toEqual([]);
  expect(frontRun.recordWeek({ ...facts, week: "2026-11-16" })(state)).toEqual([]);
  expect(frontRun.recordWeek({ ...facts, week: "2026-11-30" })(state).length).toBe(1);
});

test("a code that changed runs ahead of a policy as its family, and signal and report say so", async () => {
  const policy = { date: "2023-03-15", hs: "851713", origin: null, measure: "Duty", source: "OJ" };
  // June is the season's peak, so the months before the policy are not.
  const times = (period: number) =>
    [202212, 202301, 202302].includes(period) ? 3 : period % 100 === 6 ? 2 : 1;
  const opened = await openChangedTrade(reporterCodes, (code, n, period) =>
    code.startsWith("8517") ? eurOf(code, n) * times(period) : 0,
  );
  onTestFinished(opened.close);
  const reference = await storeOf(made(policies, [policy]));
  const week = await frontRunSignalsIn(opened.trade, reference, "2023-04-03");
  const family = ["851712", "851713", "851714"];
  expect(week!.signals).toMatchObject([{ hs_code: "851713", codes: family }]);
  expect(week!.signals[0]!.spike_multiple).toBeCloseTo(3, 1);
  expect(frontRun.signal.parse(week!.signals[0])).toEqual(week!.signals[0]);
  // Without the table the code has no earlier years, so its spike would be unknown.
  expect((await frontRunSignalsIn(opened.unchanged, reference, "2023-04-03"))!.signals).toEqual([]);

  const [signal] = week!.signals;
  const origin = {
    operation: "front_run_watch",
    input: {},
    answer_sha256: "",
    dataset: "",
    vintage: "",
    synthetic: true,
  };
  const report = reportDraft(async () => ({ answer: { data: [signal], meta: {} }, origin }) as never);
  const sections = sectionWriters.front_run_watch(report, await report.ask("front_run_watch", {}));
  expect(sections[0]!.findings[0]!.text.replaceAll("\u00a0", " ")).toMatch(
    /imports of HS 851713 \[F\d\] with the codes joined to it by the EU from the countries of the policy were/,
  );
});

describe("the table of policies", () => {
  const layouts = policies.layouts;
  const read = (text: string) => {
    const [header = ""] = text.split("\n");
    return layouts.find((one) => one.matches(header))!.read({ name: "policies.csv", text });
  };

  test("policies are read from a list, and a wrong line is named", () => {
    expect(
      read("date,hs,origin,measure,source\n2024-01-31,4407,RU,Ban,OJ\n2024-02-01,27,,Licence,OJ\n"),
    ).toEqual([
      { date: "2024-01-31", hs: "4407", origin: "RU", measure: "Ban", source: "OJ" },
      { date: "2024-02-01", hs: "27", origin: null, measure: "Licence", source: "OJ" },
    ]);
    expect(() => read("date,hs,origin,measure,source\n2024-01-32,4407,RU,Ban,OJ\n")).toThrow(
      /date.*2024-01-32/,
    );
  });

  test("policies are read from Global Trade Alert: measures by one of the 27, many products by chapter", () => {
    const header =
      "intervention.id,state.act.id,title,intervention.type,date.announced,date.implemented,date.removed,implementing.jurisdiction,affected.product,affected.jurisdiction";
    const many = Array.from({ length: 11 }, (_, at) => `44070${at % 10}`).join(", ");
    const lines = [
      header,
      '1,2,A title,Import tariff,2023-12-01,2024-01-31,NA,"Germany, France","80300, 440710","China, Turkey"',
      `3,4,B,Import quota,NA,2024-02-01,NA,Latvia,"${many}",Russia`,
      "5,6,C,Import ban,NA,2024-02-01,NA,Brazil,440710,China",
      "7,8,D,Import ban,NA,NA,NA,Latvia,440710,China",
    ];
    const found = read(`${lines.join("\n")}\n`).map((one) => policies.row.parse(one));
    expect(found.map(({ date, hs, origin }) => [date, hs, origin])).toEqual([
      ["2024-01-31", "080300", "CN"],
      ["2024-01-31", "080300", "TR"],
      ["2024-01-31", "440710", "CN"],
      ["2024-01-31", "440710", "TR"],
      ["2024-02-01", "44", "RU"],
    ]);
  });
});

describe("over HTTP", () => {
  let service: Service;
  let headers: Record<string, string>;
  beforeAll(async () => {
    service = await startService();
    headers = (await service.issue()).headers;
  });
  afterAll(() => service.stop());

  const watch = (query: string, more = headers) =>
    fetch(`${service.url}/v1/agent/front-run/watch${query}`, { headers: more });
  type SignalsAnswer = {
    data: { policy_date: string; spike_multiple: number; synthetic: boolean; week: string }[];
  };

  test("nothing is written without data; with data each week is written once, for policies a week old", async () => {
    const { app } = service;
    expect((await turn(app, frontRunReactor)).status).toBe("done");
    const written = () =>
      app.store.readStream({ tenant: "operator", stream_id: frontRun.streamOf("") }).then(
        (events) => events,
        () => [],
      );
    expect(await written()).toEqual([]);
    await openSandbox(service);
    await turn(app, frontRunReactor);
    await turn(app, frontRunReactor);
    const events = await written();
    expect(events.map(({ type }) => type)).toEqual(["FrontRunWatched"]);
    const { data } = (await (await watch("")).json()) as SignalsAnswer;
    expect(data.length).toBeGreaterThan(0);
    expect(data.map(({ spike_multiple }) => spike_multiple)).toEqual(
      data.map(({ spike_multiple }) => spike_multiple).toSorted((a, b) => b - a),
    );
    const week = frontRun.weekOf(app.clock.now());
    for (const one of data) {
      expect(one).toMatchObject({ synthetic: true, week });
      expect(one.policy_date <= frontRun.lastDayOf(week)).toBe(true);
    }
  });

  test("a signal of a family has its codes", async () => {
    const { app } = service;
    const codes = ["851712", "851713", "851714"];
    const signal = {
      signal_id: "0".repeat(32),
      policy_date: "2026-01-01",
      hs_code: "851713",
      spike_multiple: 999,
      confidence: null,
      codes,
    };
    const week = { week: "2099-01-05", vintage: "v", synthetic: true, signals: [signal] };
    const meta = { actor: "operator", operation: "front_run.watch" };
    await app.decide(frontRun, frontRun.target, frontRun.recordWeek(week), { meta });
    const { data } = (await (await watch("?limit=2")).json()) as { data: { codes?: string[] }[] };
    expect(data.map((one) => one.codes)).toEqual([codes, undefined]);
  });

  test("since and limit bound the list, a bad day is named, and a key is required", async () => {
    const dates = async (query: string) =>
      ((await (await watch(query)).json()) as SignalsAnswer).data.map(({ policy_date }) => policy_date);
    const all = await dates("?limit=50");
    const last = all.toSorted().at(-1)!;
    expect(await dates(`?since=${last.replaceAll("-", "")}`)).toEqual([last]);
    expect((await dates("?limit=1")).length).toBe(1);
    const codes = async (query: string) =>
      ((await (await watch(query)).json()) as { data: { hs_code: string }[] }).data.map((one) => one.hs_code);
    const [code] = await codes("?limit=1");
    const found = await codes(`?limit=50&hs=${code}`);
    expect(found).toContain(code);
    expect(found.filter((one) => !one.startsWith(code!) && !code!.startsWith(one))).toEqual([]);
    expect(await dates("?limit=50&hs=99")).toEqual([]);
    const refused = await watch("?since=20240231");
    expect([refused.status, JSON.stringify(await refused.json())]).toEqual([
      400,
      expect.stringContaining("not a day of the calendar"),
    ]);
    expect((await watch("", {})).status).toBe(401);
  });
});
