/**
 * A whole history of Comext's bulk files by the real command: months of full size are generated, packed like
 * Eurostat's, served on loopback, and imported by `tallystick fetch comext --from --to --import`.
 *
 *     npx tsx bench/history.ts [--months 60] [--lines 1700000] [--dir /tmp/tallystick-history] [--seconds 540] [--keep]
 *
 * Claim: the history is imported unattended, at 250,000 lines a second or more, in less than 1.5 GB, and the result
 * equals the served data to the euro. Each run continues for the given seconds: missing months are generated, then
 * the command runs until SIGKILL at the end of the time. Repeat it until everything is verified. Then --dir is
 * deleted, unless --keep is given.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createReadStream, readdirSync, readFileSync, statSync } from "node:fs";
import { chmod, copyFile, mkdir, readFile, rename, rm, stat, statfs, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { availableParallelism, loadavg } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { path7za } from "7zip-bin";
import { literal, openDuckdb, row, rows } from "../src/datasets/duckdb.ts";
import { comextBulk } from "../src/datasets/layouts/comext-bulk.ts";
import { type Manifest, partitionPath, vintagesDir } from "../src/datasets/manifest.ts";
import { macros } from "../src/datasets/sandbox.ts";
import { reporterCodes } from "../src/domain/trade/reporters.ts";
import { addMonths } from "../src/domain/trade/units.ts";
import { partnersOf } from "../test/support/cube.ts";

const { values: given } = parseArgs({
  options: {
    months: { type: "string", default: "60" },
    lines: { type: "string", default: "1700000" },
    dir: { type: "string", default: "/tmp/tallystick-history" },
    seconds: { type: "string", default: "540" },
    keep: { type: "boolean", default: false },
  },
});
const MONTHS = Number(given.months);
const LINES = Number(given.lines);
const FIRST = 202001;
const periods = Array.from({ length: MONTHS }, (_, at) => addMonths(FIRST, at));
const dir = resolve(given.dir);
const [served, home, runsFile] = [join(dir, "served"), join(dir, "home"), join(dir, "runs.json")];
const begun = performance.now();
const secondsLeft = () => Number(given.seconds) - (performance.now() - begun) / 1000;
const LIMITS = { threads: availableParallelism(), memory_mb: 1024 };

const partners = partnersOf(1);
const CODES = 9_700;
const PROCEDURES = 2;
const CELLS = reporterCodes.length * partners.length * CODES * 2 * PROCEDURES;
const list = (of: readonly string[]) => `[${of.map(literal).join(", ")}]`;

/** A month's lines: distinct cells within it, and amounts unique to it. */
const linesOf = (period: number) => `
  select ${list(reporterCodes)}[1 + cell % ${reporterCodes.length}] as "REPORTER",
    ${list(partners)}[1 + cell // ${reporterCodes.length} % ${partners.length}] as "PARTNER", 'E' as "TRADE_TYPE",
    printf('%02d%06d', 1 + code // 100, code % 100 * 10101) as "PRODUCT_NC", '58310' as "PRODUCT_SITC",
    '2221' as "PRODUCT_CPA21", '2221' as "PRODUCT_CPA22", '220' as "PRODUCT_BEC", '211210' as "PRODUCT_BEC5",
    '07' as "PRODUCT_SECTION", 1 + rest % 2 as "FLOW", 1 + rest // 2 % ${PROCEDURES} as "STAT_PROCEDURE",
    'NO_SU' as "SUPPL_UNIT", ${period} as "PERIOD", u % 1000000 as "VALUE_EUR", u % 1000000 as "VALUE_NAC",
    1 + u % 100003 as "QUANTITY_KG", 0 as "QUANTITY_SUPPL_UNIT"
  from (
    select *, cell // ${reporterCodes.length * partners.length} % ${CODES} as code,
      cell // ${reporterCodes.length * partners.length * CODES} as rest, mix(cell + ${period * CELLS}) as u
    from (select n * 1000003 % ${CELLS} as cell from range(${LINES}) as lines(n))
  )`;

async function inDuckdb<T>(work: (run: Awaited<ReturnType<typeof connected>>) => Promise<T>): Promise<T> {
  const opened = await connected();
  try {
    return await work(opened);
  } finally {
    opened.connection.closeSync();
    opened.instance.closeSync();
  }
}

async function connected() {
  const instance = await openDuckdb(LIMITS);
  return { instance, connection: await instance.connect() };
}

const archive = (period: number) => join(served, `full_v2_${period}.7z`);
const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Writes and packs missing months; false if the time ends first. */
async function generate(): Promise<boolean> {
  await mkdir(served, { recursive: true });
  const program = join(dir, "7za");
  await copyFile(path7za, program);
  await chmod(program, 0o700);
  for (const period of periods) {
    if (await isThere(archive(period))) continue;
    if (secondsLeft() < 20) return false;
    const text = join(served, `full_v2_${period}.dat`);
    await rm(text, { force: true });
    await inDuckdb(({ connection }) =>
      connection.run(
        `${macros} copy (${linesOf(period)}) to ${literal(text)} (header, delimiter ',', quote '')`,
      ),
    );
    const draft = `${archive(period)}.part`;
    await rm(draft, { force: true });
    await promisify(execFile)(program, ["a", "-t7z", "-mx=1", draft, text]);
    // The last text stays, to be read for comparison with the import.
    if (period === periods.at(-1)) await rename(text, join(dir, "month.csv"));
    else await rm(text);
    await rename(draft, archive(period));
    process.stderr.write(`\rgenerated ${period}`);
  }
  return true;
}

/** The archives over HTTP, with ranges, length and ETag, like Eurostat's file service. */
async function serving(): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const period = /full_v2_(\d{6})/.exec(request.url!)?.[1];
    const path = archive(Number(period));
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) return void response.writeHead(404).end();
    const etag = `"${period}-${size}"`;
    const isSame = request.headers["if-range"] === etag;
    const from = isSame ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0) : 0;
    response.writeHead(from > 0 ? 206 : 200, {
      "content-length": size - from,
      etag,
      ...(from > 0 && { "content-range": `bytes ${from}-${size - 1}/${size}` }),
    });
    if (request.method === "HEAD") response.end();
    else
      createReadStream(path, { start: from })
        .on("error", () => response.destroy())
        .pipe(response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/files?file=full_v2_{period}.7z`, server };
}

/** One run of the command, observed from outside. */
type Run = {
  seconds: number;
  lines: number;
  peak_mb: number;
  disk_mb: number;
  load: number;
  killed: boolean;
};

/** A process's peak memory from the kernel, in MB; undefined when it has ended. */
function peakOf(pid: number): number | undefined {
  try {
    const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return found ? Number(found[1]) / 1024 : undefined;
  } catch {
    return undefined;
  }
}

/** Bytes of the files below a folder, some of which may vanish meanwhile. */
function bytesBelow(folder: string): number {
  let bytes = 0;
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) bytes += bytesBelow(path);
      else bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    }
  } catch {
    // A missing folder has no bytes.
  }
  return bytes;
}

const dataDir = join(home, "data");

async function runCommand(): Promise<Run & { code: number | null }> {
  await mkdir(home, { recursive: true });
  await chmod(dir, 0o755);
  const { url, server } = await serving();
  const bin = new URL("../bin/tallystick", import.meta.url).pathname;
  const range = ["--from", String(periods[0]), "--to", String(periods.at(-1))];
  const env = { PATH: process.env.PATH, HOME: home, DATA_DIR: dataDir, SANDBOX: "0", LOG_LEVEL: "warn" };
  const started = performance.now();
  const child: ChildProcess = spawn(
    process.execPath,
    [bin, "fetch", "comext", ...range, "--import", "--url", url],
    { env, stdio: ["ignore", "pipe", "inherit"] },
  );
  let output = "";
  child.stdout!.on("data", (chunk) => {
    output += chunk;
    for (const line of String(chunk).split("\n")) if (/lines read|released/.test(line)) console.log(line);
  });
  const ended = new Promise<number | null>((done) => child.once("close", done));
  let [peak_mb, disk, killed, code] = [0, 0, false, undefined as number | null | undefined];
  ended.then((found) => (code = found));
  for (let at = 0; code === undefined; at++) {
    peak_mb = Math.max(peak_mb, peakOf(child.pid!) ?? 0);
    if (at % 10 === 0) disk = Math.max(disk, bytesBelow(join(dataDir, "vintages")));
    if (secondsLeft() < 0 && !killed) killed = child.kill("SIGKILL");
    await pause(200);
  }
  server.close();
  server.closeAllConnections();
  console.log(output.trim().split("\n").slice(-6).join("\n"));
  const lines = [...output.matchAll(/: ([\d,]+) lines read/g)]
    .map(([, count]) => Number(count!.replaceAll(",", "")))
    .reduce((sum, count) => sum + count, 0);
  const seconds = (performance.now() - started) / 1000;
  return { seconds, lines, peak_mb, disk_mb: disk / 1e6, load: loadavg()[0]!, killed, code: code! };
}

/** Compares the release with the generated data, month by month, to the euro and the kilogram. */
async function verify(): Promise<void> {
  const names = readdirSync(vintagesDir(dataDir)).filter((name) => /^[0-9a-f]{64}\.json$/.test(name));
  const manifests = await Promise.all(
    names.map(
      async (name) => JSON.parse(await readFile(join(vintagesDir(dataDir), name), "utf8")) as Manifest,
    ),
  );
  const last = manifests.reduce((most, one) => (one.partitions.length > most.partitions.length ? one : most));
  await inDuckdb(async ({ connection }) => {
    for (const entry of last.partitions)
      await connection.run(`attach ${literal(partitionPath(dataDir, entry))} as y${entry.year} (read_only)`);
    const all = last.partitions.map(({ year }) => `from y${year}.chapter_totals`).join(" union all ");
    const found = await rows<{ period: number; flow: string; eur: number; kg: number }>(
      connection,
      `select period, flow, sum(value_eur)::bigint as eur, sum(quantity_kg)::bigint as kg
       from (${all}) group by all order by all`,
    );
    const byPlace = new Map(found.map((one) => [`${one.period} ${one.flow}`, one]));
    await connection.run(macros);
    for (const period of periods)
      for (const [digit, flow] of [
        [1, "IMPORT"],
        [2, "EXPORT"],
      ] as const) {
        const meant = await row<{ eur: number; kg: number }>(
          connection,
          `select sum("VALUE_EUR")::bigint as eur, sum("QUANTITY_KG")::bigint as kg
           from (${linesOf(period)}) where "FLOW" = ${digit}`,
        );
        const stands = byPlace.get(`${period} ${flow}`);
        if (stands?.eur !== meant.eur || stands.kg !== meant.kg)
          throw new Error(
            `${period} ${flow}: ${JSON.stringify(stands)} stands, ${JSON.stringify(meant)} was served`,
          );
      }
    if (found.length !== periods.length * 2) throw new Error(`${found.length} months and flows are there`);
  });
  const cells = last.partitions.reduce((sum, entry) => sum + entry.rows, 0);
  console.log(
    `verified: ${periods.length} months, ${cells.toLocaleString("en")} cells, each month's sums as they were served; vintage ${last.vintage}`,
  );
  const archives = periods.reduce((sum, period) => sum + statSync(archive(period)).size, 0);
  const text = statSync(join(dir, "month.csv")).size;
  const vintage = last.partitions.reduce((sum, { bytes }) => sum + bytes, 0);
  console.log(
    `bytes: archives ${archives}, a month's text ${text}, vintage ${vintage} (${(vintage / MONTHS / text).toFixed(3)} of the text)`,
  );
}

/** DuckDB's bare count of a month's lines, in lines per second. */
async function counted(): Promise<number> {
  const columns = comextBulk.columns.map((name) => `'${name}': 'VARCHAR'`).join(", ");
  return inDuckdb(async ({ connection }) => {
    const from = performance.now();
    await connection.run(
      `select count(*) from read_csv(${literal(join(dir, "month.csv"))}, auto_detect = false, header = true, delim = ',',
         quote = '', escape = '', columns = {${columns}})`,
    );
    return LINES / ((performance.now() - from) / 1000);
  });
}

const { bavail, bsize } = await statfs("/tmp");
console.log(
  `${MONTHS} months of ${LINES.toLocaleString("en")} lines; ${Math.round((bavail * bsize) / 1e9)} GB free`,
);
if (!(await generate())) console.log("\nmonths are still to be generated: run it again");
else if (secondsLeft() > 30) {
  const { code, ...run } = await runCommand();
  const runs = [...(JSON.parse(await readFile(runsFile, "utf8").catch(() => "[]")) as Run[]), run];
  await writeFile(runsFile, JSON.stringify(runs));
  console.table(
    runs.map((one) => ({
      "wall s": one.seconds.toFixed(0),
      lines: one.lines,
      "lines/s": Math.round(one.lines / one.seconds),
      "peak MB": Math.round(one.peak_mb),
      "disk at most MB": Math.round(one.disk_mb),
      load: one.load.toFixed(1),
      killed: one.killed,
    })),
  );
  if (run.killed) console.log("killed when its time was over: run it again to go on from there");
  else if (code !== 0) throw new Error(`the command ended with ${code}`);
  else {
    const seconds = runs.reduce((sum, one) => sum + one.seconds, 0);
    const rate = (MONTHS * LINES) / seconds;
    const count = await counted();
    console.log(
      `all: ${(MONTHS * LINES).toLocaleString("en")} lines in ${Math.round(seconds)} s, ${Math.round(rate).toLocaleString("en")} lines/s, ` +
        `${(rate / count).toFixed(3)} of read_csv's count (${Math.round(count).toLocaleString("en")} lines/s)`,
    );
    await verify();
    if (!given.keep) await rm(dir, { recursive: true, force: true });
  }
}
