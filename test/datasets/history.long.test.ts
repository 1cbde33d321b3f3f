/** A history of months from a misbehaving server: broken months among good ones, and killed processes. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import type { App } from "../../src/core/app.ts";
import { Refusal } from "../../src/core/model/refusal.ts";
import { takeBuildSpace } from "../../src/datasets/build-space.ts";
import { diskNeed } from "../../src/datasets/disk-need.ts";
import { fetchComext, sizesOf } from "../../src/datasets/fetch.ts";
import { comextBulk } from "../../src/datasets/layouts/comext-bulk.ts";
import {
  manifestPath,
  partitionPath,
  readManifest,
  stagedDir,
  vintagesDir,
} from "../../src/datasets/manifest.ts";
import { reporterCodes } from "../../src/domain/trade/reporters.ts";
import { monthsBetween } from "../../src/domain/trade/units.ts";
import { type HistoryReport, type HistoryRequest, importHistory } from "../../src/operator/history.ts";
import { currentVintage } from "../../src/operator/releases.ts";
import { startProgram } from "../support/compiled.ts";
import { copyOfDatabase, type FreshDatabase } from "../support/database.ts";
import { preparedDatabase } from "../support/prepared-database.ts";
import { scaled } from "../support/scale.ts";
import { type ServiceOptions, startService } from "../support/service.ts";
import { comextArchive } from "./mirror-of-comext.ts";
import { fileOf, importFiles, packed7z, refusalOf, storeOf, tempDir } from "./workshop.ts";

const now = new Date("2026-04-20T00:00:00Z");

/** The lines of a month, unique to it. */
function linesOf(period: number, products = ["39206290", "44071110"]): string[] {
  return reporterCodes.flatMap((reporter, at) =>
    products.flatMap((product, of) =>
      ["1", "2"].map((flow) =>
        [
          ...[
            reporter,
            "US",
            "E",
            product,
            "58310",
            "2221",
            "2221",
            "220",
            "211210",
            "07",
            flow,
            "1",
            "NO_SU",
          ],
          ...[period, 1_000 * (period % 100) + 10 * at + of, 0, at + 0.5, 0],
        ].join(","),
      ),
    ),
  );
}

/** The archive of each month, packed once. */
const packed = new Map<number, Promise<Buffer>>();

async function archiveOf(lines: readonly string[]): Promise<Buffer> {
  const dir = await tempDir();
  return readFile(
    await packed7z(dir, await fileOf(dir, "month.dat", [comextBulk.columns.join(","), ...lines])),
  );
}

async function archives(from: number, to: number): Promise<Map<number, Buffer>> {
  const months = new Map<number, Buffer>();
  for (const period of monthsBetween(from, to)) months.set(period, await archiveOfMonth(period));
  return months;
}

function archiveOfMonth(period: number): Promise<Buffer> {
  const archive = packed.get(period) ?? archiveOf(linesOf(period));
  packed.set(period, archive);
  return archive;
}

/** A small month on more threads only makes them wait for each other. */
const limits = { threads: 1, memory_mb: 512 };

async function serviceFor(url: string, options: ServiceOptions = {}) {
  const service = await startService(options);
  onTestFinished(() => service.stop());
  const { app, data_dir } = service;
  const reports: HistoryReport[] = [];
  const dir = join(data_dir, "downloads");
  const pauses: number[] = [];
  const clock = { ms: now.getTime() };
  const bring = (options: Partial<HistoryRequest> & Pick<HistoryRequest, "from" | "to">) =>
    importHistory(app, {
      ...{ data_dir, dir, url, limits, now },
      pause: async (ms) => {
        pauses.push(ms);
        clock.ms += ms;
      },
      time: () => clock.ms,
      tell: (one) => reports.push(one),
      ...options,
    });
  return { app, data_dir, dir, reports, bring, pauses, clock };
}

async function vintageOf(app: App): Promise<string> {
  const vintage = await currentVintage(app, "comext-bulk");
  if (vintage === null) throw new Error("nothing is released");
  return vintage;
}

/** The vintages of manual imports, by their months. */
const imported = new Map<string, Promise<string>>();

/** The vintage of one manual import of all these months. */
function byHand(months: ReadonlyMap<number, Buffer>): Promise<string> {
  const periods = [...months.keys()];
  const vintage = imported.get(periods.join()) ?? importedByHand(periods);
  imported.set(periods.join(), vintage);
  return vintage;
}

async function importedByHand(periods: readonly number[]): Promise<string> {
  const dir = await tempDir();
  const files: string[] = [];
  for (const period of periods)
    files.push(await fileOf(dir, `${period}.csv`, [comextBulk.columns.join(","), ...linesOf(period)]));
  return (await importFiles(dir, files)).manifest.vintage;
}

/** A server with a self-signed certificate. */
async function unvouched() {
  const dir = await tempDir();
  const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
  const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  await promisify(execFile)("openssl", [
    ...request,
    "-keyout",
    key,
    "-out",
    cert,
    "-subj",
    "/CN=example.org",
  ]);
  let requests = 0;
  const server = createServer({ key: await readFile(key), cert: await readFile(cert) }, (_, response) => {
    requests++;
    response.end("no");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}/full_v2_{period}.7z`, requestCount: () => requests };
}

describe("a history", { timeout: 300_000 }, () => {
  test("equals the vintage of one import of all files; a second run sends no request", async () => {
    const months = await archives(202311, 202402);
    const { url, requests } = await comextArchive(months);
    const { app, bring, reports, data_dir } = await serviceFor(url);
    const summary = await bring({ from: 202311, to: 202402 });
    expect(summary).toMatchObject({ asked: 4, already: 0, missing: [], left: undefined });
    expect(summary.brought).toEqual([...months.keys()]);
    expect(await vintageOf(app)).toBe(await byHand(months));
    const released = reports.flatMap((one) => (one.kind === "released" ? [one.months] : []));
    expect(released).toEqual([
      [202311, 202312],
      [202401, 202402],
    ]);
    expect((await readdir(stagedDir(data_dir))).filter((name) => name.endsWith(".duckdb"))).toEqual([]);
    const before = requests.length;
    expect(await bring({ from: 202311, to: 202402 })).toMatchObject({ already: 4, brought: [], missing: [] });
    expect(requests).toHaveLength(before);
  });

  test("continues a year that was released before", async () => {
    const months = await archives(202311, 202401);
    const { url } = await comextArchive(months);
    const { app, bring } = await serviceFor(url);
    await bring({ from: 202311, to: 202401 });
    months.set(202402, await archiveOfMonth(202402));
    expect((await bring({ from: 202311, to: 202402 })).brought).toEqual([202402]);
    expect(await vintageOf(app)).toBe(await byHand(months));
  });

  test("with broken months imports all others, names each with its line, and imports repaired ones", async () => {
    const whole = await archives(202401, 202406);
    const served = new Map(whole);
    const bad = linesOf(202402);
    bad[3] = bad[3]!.replace(/,202402,.*/, ",202402,12x,0,1,0");
    served.set(202402, await archiveOf(bad));
    served.set(202403, whole.get(202401)!);
    served.delete(202405);
    const cutOff = Buffer.from(whole.get(202406)!.subarray(0, 150));
    served.set(202406, cutOff);
    const { url, requests } = await comextArchive(served);
    const { app, bring } = await serviceFor(url);
    const { brought, missing, left } = await bring({ from: 202401, to: 202406 });
    expect(brought).toEqual([202401, 202404]);
    expect(left).toBeUndefined();
    expect(missing.map(({ period, why }) => [period, why.message])).toEqual([
      [202402, expect.stringMatching(/^full_v2_202402.7z line 5: VALUE_EUR "12x": a value is whole euros/)],
      [202403, expect.stringMatching(/^full_v2_202403.7z line 2: PERIOD "202401": .*that of 2024-03/)],
      [202405, expect.stringMatching(/404/)],
      [202406, expect.stringMatching(/damaged/)],
    ]);
    expect(missing.map(({ remedy }) => remedy)).toEqual([
      expect.stringMatching(/--from 202402 --to 202402 --again/),
      expect.stringMatching(/--again/),
      expect.stringMatching(/when 2024-05 is published/),
      expect.stringMatching(/--again/),
    ]);
    // A damaged archive is downloaded twice, because the transfer may have failed.
    expect(requests.filter(({ period, method }) => period === 202406 && method === "GET")).toHaveLength(2);

    for (const [period, bytes] of whole) served.set(period, bytes);
    expect((await bring({ from: 202402, to: 202403, again: true })).brought).toEqual([202402, 202403]);
    expect((await bring({ from: 202401, to: 202406 })).brought).toEqual([202405, 202406]);
    expect(await vintageOf(app)).toBe(await byHand(whole));
  });

  test("goes on past a bad byte, whose line and column it names", async () => {
    const whole = await archives(202401, 202403);
    const dir = await tempDir();
    const text = [comextBulk.columns.join(","), ...linesOf(202402)].map((line) => `${line}\n`).join("");
    const bytes = Buffer.from(text.replace(",58310,", ",58#10,"));
    bytes[bytes.indexOf("#")] = 0xa0;
    await writeFile(join(dir, "month.dat"), bytes);
    const served = new Map([...whole, [202402, await readFile(await packed7z(dir, join(dir, "month.dat")))]]);
    const { url } = await comextArchive(served);
    const { bring } = await serviceFor(url);
    const { brought, missing } = await bring({ from: 202401, to: 202403 });
    expect(brought).toEqual([202401, 202403]);
    expect(missing.map(({ period, why }) => [period, why.message])).toEqual([
      [202402, expect.stringMatching(/^full_v2_202402.7z line 2: PRODUCT_SITC: the byte A0 /)],
    ]);
  });

  test("names the reporters if a month lacks one, and imports it with that subset", async () => {
    const whole = linesOf(202402);
    const months = await archives(202401, 202402);
    months.set(202402, await archiveOf(whole.filter((line) => !line.startsWith("HR"))));
    const { url } = await comextArchive(months);
    const { bring } = await serviceFor(url);
    const { missing } = await bring({ from: 202401, to: 202402 });
    const others = reporterCodes.filter((code) => code !== "HR");
    expect(missing).toMatchObject([
      { period: 202402, why: { message: expect.stringMatching(/no rows of the reporters HR/) } },
    ]);
    const [, stated] = /--from 202402 --to 202402 --reporters (\S+); else.*--again/.exec(missing[0]!.remedy)!;
    expect(stated!.split(",").toSorted()).toEqual(others.toSorted());
    expect(await bring({ from: 202402, to: 202402, reporters: others })).toMatchObject({
      ...{ brought: [202402], missing: [] },
    });
  });

  test("imports a refused year's good months", async () => {
    const months = await archives(202401, 202403);
    // A code that contains the others.
    months.set(202402, await archiveOf(linesOf(202402, ["3920"])));
    const { url } = await comextArchive(months);
    const { bring } = await serviceFor(url);
    const { brought, missing } = await bring({ from: 202401, to: 202403 });
    expect(brought).toEqual([202401, 202403]);
    expect(missing).toMatchObject([
      { period: 202402, why: { message: expect.stringMatching(/product 3920 contains/) } },
    ]);
  });

  test("survives server errors, rate limits, and interrupted or truncated downloads", async () => {
    const months = await archives(202311, 202402);
    const { url, requests, heads, reader } = await comextArchive(months, (period, nth) => {
      if (period === 202311 && nth < 2) return { status: 503 };
      if (period === 202312 && nth === 0) return { status: 429, headers: { "retry-after": "90" } };
      if (period === 202401 && nth < 3) return "cut";
      if (period === 202402 && nth === 0)
        return { body: Buffer.from("<!DOCTYPE html><p>Maintenance, please wait.") };
      return undefined;
    });
    heads.answer = false;
    const { bring, app, pauses, dir } = await serviceFor(url);
    reader.dir = dir;
    expect(await bring({ from: 202311, to: 202402 })).toMatchObject({ missing: [], left: undefined });
    expect(pauses).toContain(90_000);
    expect(requests.filter(({ period, from }) => period === 202401 && from > 0).length).toBeGreaterThan(0);
    expect(await vintageOf(app)).toBe(await byHand(months));
  });

  test("waits for a server that is busy for hours, and imports all months", async () => {
    const months = await archives(202401, 202402);
    const back = now.getTime() + 4 * 3_600_000;
    const { url } = await comextArchive(months, (period) =>
      period === 202402 && clock.ms < back ? { status: 503 } : undefined,
    );
    const { app, bring, reports, pauses, clock } = await serviceFor(url);
    expect(await bring({ from: 202401, to: 202402 })).toMatchObject({ missing: [], left: undefined });
    expect(await vintageOf(app)).toBe(await byHand(months));
    const minutes = pauses.map((ms) => ms / 60_000).filter((of) => of >= 1);
    expect(minutes.slice(0, 6)).toEqual([1, 2, 4, 8, 10, 10]);
    expect(Math.max(...minutes)).toBe(10);
    const waits = reports.flatMap((one) => (one.kind === "waiting" ? [one] : []));
    expect(waits).toHaveLength(minutes.length);
    expect(waits[0]).toMatchObject({ period: 202402, why: "the server answered 503" });
    // A try takes half a minute before it is abandoned.
    expect(waits[0]!.again.getTime() - now.getTime()).toBe(91_000);
    expect(new Set(waits.map(({ given_up }) => given_up.getTime()))).toEqual(
      new Set([now.getTime() + 31_000 + 6 * 3_600_000]),
    );
  });

  test("waits again after an answer in between, but not for a refused month", async () => {
    const months = await archives(202401, 202405);
    const { url, requests } = await comextArchive(months, (period, nth) => {
      if (period === 202402 || period === 202404) return nth < 60 ? { status: 500 } : undefined;
      return period === 202403 ? { status: 403 } : undefined;
    });
    const { bring, reports } = await serviceFor(url);
    const { brought, missing, left } = await bring({ from: 202401, to: 202405 });
    expect(brought).toEqual([202401, 202402, 202404, 202405]);
    expect(missing).toMatchObject([{ period: 202403, why: { message: expect.stringMatching(/403/) } }]);
    expect(left).toBeUndefined();
    const waits = reports.flatMap((one) => (one.kind === "waiting" ? [one] : []));
    expect(new Set(waits.map(({ period }) => period))).toEqual(new Set([202402, 202404]));
    expect(new Set(waits.map(({ given_up }) => given_up.getTime())).size).toBe(2);
    const refused = requests.filter(({ period, method }) => period === 202403 && method === "GET");
    expect(refused).toHaveLength(1);
  });

  test("waits for a busy server once, even if a cached archive comes in between", async () => {
    let isAway = false;
    const { url } = await comextArchive(await archives(202401, 202403), () =>
      isAway ? { status: 503 } : undefined,
    );
    const { bring, dir, reports } = await serviceFor(url);
    await fetchComext({ from: 202402, to: 202402, dir, url, now });
    isAway = true;
    const { brought, missing } = await bring({ from: 202401, to: 202403 });
    expect(brought).toEqual([202402]);
    expect(missing.map(({ period }) => period)).toEqual([202401, 202403]);
    const waited = reports.flatMap((one) => (one.kind === "waiting" ? [one.period] : []));
    expect(new Set(waited)).toEqual(new Set([202401]));
  });

  test("ends when the server is unavailable, releasing earlier months; with an option at the first broken month", async () => {
    const months = await archives(202401, 202406);
    let isAway = true;
    const { url } = await comextArchive(months, (period) =>
      isAway && period >= 202402 ? { status: 500 } : undefined,
    );
    const { bring, app, clock } = await serviceFor(url);
    const { brought, missing, left } = await bring({ from: 202401, to: 202406 });
    expect(brought).toEqual([202401]);
    // The six hours are waited once, and not again for each month.
    const hours = (clock.ms - now.getTime()) / 3_600_000;
    expect(hours).toBeGreaterThan(6);
    expect(hours).toBeLessThan(6.1);
    expect(missing.map(({ period }) => period)).toEqual([202402, 202403, 202404]);
    expect(left).toMatchObject({ months: [202405, 202406], why: { code: "unavailable" } });
    isAway = false;
    const third = months.get(202403)!;
    months.set(202403, Buffer.from("no archive at all"));
    const stopped = await bring({ from: 202401, to: 202406, stop: true });
    expect(stopped).toMatchObject({ brought: [202402], left: { months: [202404, 202405, 202406] } });
    months.set(202403, third);
    expect((await bring({ from: 202401, to: 202406 })).brought).toEqual([202403, 202404, 202405, 202406]);
    expect(await vintageOf(app)).toBe(await byHand(months));
  });

  test("sends no request to a server whose Retry-After is hours", async () => {
    const { url, requests } = await comextArchive(new Map(), () => ({
      status: 429,
      headers: { "retry-after": "7200" },
    }));
    const { bring } = await serviceFor(url);
    const { missing, left } = await bring({ from: 202401, to: 202403 });
    expect(missing).toHaveLength(1);
    expect(left).toMatchObject({
      months: [202402, 202403],
      why: { message: expect.stringMatching(/wait for 120 minutes/) },
    });
    expect(requests.filter(({ method }) => method === "GET")).toHaveLength(1);
  });

  test("stops at an untrusted certificate, and names the remedy", async () => {
    const { url, requestCount } = await unvouched();
    const { bring } = await serviceFor(url);
    const { missing, left } = await bring({ from: 202401, to: 202402 });
    expect(missing).toHaveLength(1);
    expect(left!.why.message).toMatch(
      /certificate was not accepted \(DEPTH_ZERO_SELF_SIGNED_CERT.*NODE_EXTRA_CA_CERTS/,
    );
    expect(requestCount()).toBe(0);
  });

  test("waits for a running import, and does not block one while it reads", async () => {
    const months = await archives(202401, 202401);
    const { url } = await comextArchive(months);
    const { bring, data_dir, reports } = await serviceFor(url);
    const other = await takeBuildSpace(data_dir);
    const bringing = bring({ from: 202401, to: 202401 });
    await expect.poll(() => reports.some(({ kind }) => kind === "read"), { timeout: 60_000 }).toBe(true);
    const second = await refusalOf(bring({ from: 202401, to: 202401 }));
    expect(second.type.slug).toBe("import-running");
    await other.release();
    expect((await bringing).brought).toEqual([202401]);
  });
});

describe("a history whose files are lost", { timeout: 300_000 }, () => {
  /** A log and a folder with these months released; each test gets copies. */
  const originals = new Map<string, Promise<{ database: FreshDatabase; data_dir: string }>>();
  afterAll(async () => {
    for (const original of originals.values()) {
      const { database, data_dir } = await original;
      await database.drop();
      await rm(data_dir, { recursive: true, force: true });
    }
  });

  async function original(months: readonly number[], url: string) {
    const database = await preparedDatabase();
    const data_dir = await mkdtemp(join(tmpdir(), "tallystick-history-"));
    const service = await startService({ beside: { data_dir, database_url: database.url } });
    const request = { data_dir, dir: join(data_dir, "downloads"), url, limits, now, tell: () => undefined };
    await importHistory(service.app, { ...request, from: Math.min(...months), to: Math.max(...months) });
    await service.stop();
    return { database, data_dir };
  }

  async function released(periods: readonly number[]) {
    const months = new Map<number, Buffer>();
    for (const period of periods) months.set(period, await archiveOfMonth(period));
    const { url, requests } = await comextArchive(months);
    const making = originals.get(periods.join()) ?? original(periods, url);
    originals.set(periods.join(), making);
    const { database, data_dir } = await making;
    const copy = await copyOfDatabase(database);
    onTestFinished(() => copy.drop());
    const folder = await tempDir();
    await cp(data_dir, folder, { recursive: true });
    const service = await serviceFor(url, { beside: { data_dir: folder, database_url: copy.url } });
    const vintage = await vintageOf(service.app);
    const { partitions } = await readManifest(service.data_dir, vintage);
    requests.length = 0;
    const fileOfYear = (year: number) =>
      partitionPath(service.data_dir, partitions.find((entry) => entry.year === year)!);
    const gets = () => requests.filter(({ method }) => method === "GET").map(({ period }) => period);
    return { ...service, vintage, fileOfYear, gets, requests };
  }

  const TWO_YEARS = monthsBetween(202311, 202402);

  test.each(["the whole folder", "the manifest"])(
    "%s: is rebuilt from its first year, in one run or in several",
    async (what) => {
      const { app, bring, reports, data_dir, dir, vintage } = await released(TWO_YEARS);
      if (what === "the manifest") await writeFile(manifestPath(data_dir, vintage), "{}");
      else for (const folder of [vintagesDir(data_dir), dir]) await rm(folder, { recursive: true });
      expect((await refusalOf(storeOf(data_dir, vintage))).type.slug).toBe("dataset-missing");

      const first = await bring({ from: 202311, to: 202312 });
      expect(first).toMatchObject({ already: 0, brought: [202311, 202312], missing: [] });
      expect(reports[0]).toEqual({
        ...{ kind: "lost", months: [202311, 202312, 202401, 202402] },
        why: [expect.stringMatching(what === "the manifest" ? /\.json is damaged/ : /\.json cannot be read/)],
      });
      expect((await bring({ from: 202311, to: 202402 })).brought).toEqual([202401, 202402]);
      expect(await vintageOf(app)).toBe(vintage);
      await storeOf(data_dir, vintage);
      expect(await bring({ from: 202311, to: 202402 })).toMatchObject({ already: 4, brought: [] });
      expect(reports.filter(({ kind }) => kind === "lost")).toHaveLength(1);
    },
  );

  test.each(["gone", "damaged"])("one year is %s: only that year is imported again", async (how) => {
    const { app, bring, reports, dir, data_dir, vintage, fileOfYear, gets } = await released(TWO_YEARS);
    await rm(dir, { recursive: true });
    if (how === "gone") await rm(fileOfYear(2023));
    else await truncate(fileOfYear(2023), 8_192);
    expect((await refusalOf(storeOf(data_dir, vintage))).type.slug).toBe("dataset-missing");

    const mended = await bring({ from: 202311, to: 202402 });
    expect(mended).toMatchObject({ already: 2, brought: [202311, 202312], missing: [] });
    expect(reports[0]).toEqual({
      ...{ kind: "lost", months: [202311, 202312] },
      why: [expect.stringMatching(new RegExp(`2023-.*\\.duckdb is ${how}$`))],
    });
    expect(gets()).toEqual([202311, 202312]);
    expect(await vintageOf(app)).toBe(vintage);
    await storeOf(data_dir, vintage);
  });

  test("two of three years are imported again in order, and a later loss ends the run", async () => {
    const { app, bring, vintage, fileOfYear, data_dir } = await released([202212, 202306, 202401]);
    for (const year of [2022, 2024]) await rm(fileOfYear(year));
    expect((await bring({ from: 202212, to: 202401 })).brought).toEqual([202212, 202401]);
    expect(await vintageOf(app)).toBe(vintage);

    const { partitions } = await readManifest(data_dir, vintage);
    const lostLater = () => rmSync(partitionPath(data_dir, partitions[2]!));
    await rm(partitionPath(data_dir, partitions[0]!));
    const tell = ({ kind }: HistoryReport) => void (kind === "read" && lostLater());
    const refusal = await refusalOf(bring({ from: 202212, to: 202401, tell }));
    expect(refusal.message).toMatch(/2024-.*\.duckdb is gone/);
    expect(await vintageOf(app)).toBe(vintage);
  });

  test("months next to lost ones are refused before any request, naming what to import first", async () => {
    const { app, bring, vintage, fileOfYear, requests } = await released(TWO_YEARS);
    await rm(fileOfYear(2023));
    const refusal = await refusalOf(bring({ from: 202401, to: 202403 }));
    expect(refusal).toMatchObject({ code: "unavailable", type: { slug: "dataset-missing" } });
    expect(refusal.message).toMatch(
      /has lost the months from 2023-11 to 2023-12 .*is gone.*--from 202311 --to 202312.*DATA_DIR/,
    );
    expect(requests).toEqual([]);
    expect(await vintageOf(app)).toBe(vintage);
  });
});

describe("archives that are discarded", { timeout: 300_000 }, () => {
  test("are deleted after their month's release; a killed run's are deleted by the next run", async () => {
    const months = await archives(202311, 202401);
    const { url } = await comextArchive(months);
    const { bring, dir } = await serviceFor(url);
    await bring({ from: 202311, to: 202401 });
    expect(await readdir(dir)).toHaveLength(2 * months.size);
    // An archive with another digest than the imported one must not be deleted.
    const other = join(dir, "full_v2_202312.7z");
    await writeFile(other, "another state");
    const sha256 = createHash("sha256").update("another state").digest("hex");
    await writeFile(`${other}.sha256`, `${sha256}  full_v2_202312.7z\n`);
    expect(await bring({ from: 202311, to: 202401, discard: true })).toMatchObject({ already: 3 });
    expect(await readdir(dir)).toEqual(["full_v2_202312.7z", "full_v2_202312.7z.sha256"]);

    months.set(202402, await archiveOfMonth(202402));
    await bring({ from: 202402, to: 202402, discard: true });
    expect(await readdir(dir)).toHaveLength(2);
  });

  test("are deleted after their month is imported again", async () => {
    const { url } = await comextArchive(await archives(202401, 202401));
    const { bring, dir } = await serviceFor(url);
    await bring({ from: 202401, to: 202401 });
    const again = await bring({ from: 202401, to: 202401, again: true, discard: true });
    expect(again).toMatchObject({ brought: [202401], missing: [] });
    expect(await readdir(dir)).toEqual([]);
  });
});

describe("an interrupted history", { timeout: 300_000 }, () => {
  const isDoing = (what: string) => (one: HistoryReport) => one.kind === "doing" && one.what === what;
  test.each<[string, (one: HistoryReport) => boolean]>([
    ["while it fetches", isDoing("fetching")],
    ["before it unpacks", ({ kind }) => kind === "fetched"],
    ["while it reads", isDoing("reading")],
    ["while it writes", isDoing("writing")],
    ["while it waits for a busy server", ({ kind }) => kind === "waiting"],
  ])("ends by %s alone, reports no month as missing, and continues", async (_, isThen) => {
    const months = await archives(202401, 202402);
    // Busy for one download's tries.
    const { url } = await comextArchive(months, (period, nth) =>
      period === 202402 && nth < 6 ? { status: 503 } : undefined,
    );
    const { app, bring, reports } = await serviceFor(url);
    const interrupted = new AbortController();
    const reason = new Refusal("unavailable", "interrupted");
    const tell = (one: HistoryReport) => {
      reports.push(one);
      if (isThen(one)) interrupted.abort(reason);
    };
    const request = { from: 202401, to: 202402 };
    await expect(bring({ ...request, tell, signal: interrupted.signal })).rejects.toBe(reason);
    expect(reports.filter(({ kind }) => kind === "missing")).toEqual([]);
    expect(await bring(request)).toMatchObject({ missing: [], left: undefined });
    expect(await vintageOf(app)).toBe(await byHand(months));
  });
});

describe("the disk check", () => {
  test("uses sizes: a server that states none gets one request, whatever is cached", async () => {
    const { url, requests, heads } = await comextArchive(new Map());
    heads.answer = false;
    const dir = await tempDir();
    await writeFile(join(dir, "full_v2_202402.7z"), "four");
    const sizes = await sizesOf([202401, 202402, 202403, 202404], { dir, url });
    expect(sizes.map(({ archive }) => archive)).toEqual([undefined, 4, undefined, undefined]);
    expect(requests.map(({ period }) => period)).toEqual([202401]);
  });

  test("precedes all downloads; the refusal names folder, needed and free bytes", async () => {
    const months = new Map([[202401, Buffer.alloc(10)]]);
    const { url, requests } = await comextArchive(months);
    const { bring, dir } = await serviceFor(url);
    const refusal = await refusalOf(
      bring({ from: 202401, to: 202401, free: async () => ({ device: 1, bytes: 100 }) }),
    );
    expect(refusal.type.slug).toBe("disk-full");
    expect(refusal.message).toMatch(/downloads and .* need about \d+ bytes and have 100 free/);
    expect(refusal.message).toContain(dir);
    expect(requests.map(({ method }) => method)).toEqual(["HEAD"]);
  });

  test("counts missing months, and discarded archives once", () => {
    const month = (period: number, archive: number | undefined, here = 0) => ({ period, archive, here });
    const years = monthsBetween(202301, 202412).map((period) => month(period, 100));
    const kept = diskNeed(years, true);
    expect(kept.downloads).toBe(2_400);
    expect(diskNeed(years, false).downloads).toBe(1_500);
    expect(
      diskNeed(
        years.map((one) => ({ ...one, here: 100 })),
        true,
      ),
    ).toEqual({ ...kept, downloads: 0 });
    // An unknown size counts as the mean of the others.
    expect(diskNeed([month(202401, 50), month(202402, undefined), month(202403, 150)], true).downloads).toBe(
      300,
    );
    expect(diskNeed([month(202401, undefined)], true).downloads).toBe(60_000_000);
    expect(diskNeed([], true)).toEqual({ downloads: 0, data: 0 });
  });
});

const KILLS = scaled(2);

test("random kills lead to the same vintage as an undisturbed run", async () => {
  const months = await archives(202311, 202402);
  const { url, requests, reader } = await comextArchive(months, (_, nth) => (nth === 0 ? "cut" : undefined));
  const database = await preparedDatabase();
  const data_dir = await tempDir();
  reader.dir = join(data_dir, "downloads");
  await mkdir(reader.dir, { recursive: true });
  const run = async (nth: number, ms: number) => {
    const args = [database.url, data_dir, url, "202311", "202402", String(nth), String(ms)];
    const child = startProgram("test/datasets/history-run.ts", args, {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    child.stdout!.on("data", (chunk) => (output += chunk));
    const [code, signal] = await once(child, "close");
    return { code, signal, output };
  };
  let kills = 0;
  const points: string[] = [];
  for (; kills < KILLS; kills++) {
    const [nth, ms] = [
      1 + Math.floor(Math.random() * 25),
      Math.floor(Math.random() * 2) * Math.floor(Math.random() * 400),
    ];
    points.push(`${nth}+${ms}ms`);
    const { signal, code, output } = await run(nth, ms);
    if (signal === "SIGKILL") continue;
    expect({ code, output, points }).toMatchObject({ code: 0 });
    break;
  }
  const last = await run(0, 0);
  expect({ ...last, points }).toMatchObject({ code: 0 });
  expect(JSON.parse(last.output)).toMatchObject({ missing: 0 });
  const service = await startService({ beside: { data_dir, database_url: database.url } });
  onTestFinished(() => service.stop());
  const vintage = await vintageOf(service.app);
  expect({ vintage, points }).toMatchObject({ vintage: await byHand(months) });
  // Each month comes from a single release.
  const events = await service.app.store.readStream({ tenant: "operator", stream_id: "dataset-comext-bulk" });
  const inputs = events.flatMap(({ payload }) =>
    (payload.inputs as { name: string }[]).map(({ name }) => name),
  );
  expect(inputs.toSorted()).toEqual([...months.keys()].map((period) => `full_v2_${period}.7z`));
  const { partitions } = await readManifest(data_dir, vintage);
  expect(partitions.map(({ year }) => year)).toEqual([2023, 2024]);
  expect(requests.length).toBeGreaterThan(months.size);
  const left = await readdir(stagedDir(data_dir));
  expect(left.filter((name) => name.endsWith(".duckdb"))).toEqual([]);
}, 600_000);
