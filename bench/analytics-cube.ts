/**
 * Generates the cube for bench/analytics.ts once, in a permanent folder: 68 million HS2 rows, and the same with
 * every figure tripled. It also measures the import of files.
 *
 *     npx tsx bench/analytics-cube.ts [--dir /tmp/tallystick-cube] [--scale 1] [--lines 4900000]
 *
 * Claim: importing Comext bulk CSV takes minutes per month of five million lines. Two limits on the same file
 * follow: SHA-256 of its bytes, and DuckDB's read_csv counting its lines. --lines 0 omits that.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pino from "pino";
import { embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import { literal, openDuckdb } from "../src/datasets/duckdb.ts";
import { comextBulk } from "../src/datasets/layouts/comext-bulk.ts";
import { macros } from "../src/datasets/sandbox.ts";
import { reporterCodes } from "../src/domain/trade/reporters.ts";
import { importFiles } from "../src/operator/releases.ts";
import { withRuntime } from "../src/runtime/assemble.ts";
import { readConfig } from "../src/runtime/config.ts";
import { makeCube, partnersOf } from "../test/support/cube.ts";

const LIMITS = { threads: 2, memory_mb: 1024 };
/** The factor of the second cube's figures. */
export const FACTOR = 3;

/** The data folder of the two cubes and their vintages. */
export type Cubes = { dir: string; scale: number; vintages: [string, string] };

/** The option for the folder, with its default. */
export const cubeFolder = (given: string | undefined, scale: number): string =>
  given ?? join(tmpdir(), scale === 1 ? "tallystick-cube" : `tallystick-cube-${scale}`);

/** The cubes in the folder, generated if missing. */
export async function cubesIn(dir: string, scale: number): Promise<Cubes> {
  const path = join(dir, "cubes.json");
  const kept = JSON.parse(await readFile(path, "utf8").catch(() => "null")) as Cubes | null;
  if (kept?.scale === scale) return { ...kept, dir };
  if (kept) throw new Error(`${dir} holds cubes of scale ${kept.scale}: name another folder with --dir`);
  const made = async (factor: number) => {
    const begun = performance.now();
    const onYear = (year: number) => process.stderr.write(`\rcube × ${factor}: ${year}`);
    const { vintage, partitions } = await makeCube(dir, { limits: LIMITS, scale, factor, onYear });
    const rows = partitions.reduce((sum, one) => sum + one.rows, 0);
    const bytes = partitions.reduce((sum, one) => sum + one.bytes, 0);
    const seconds = Math.round((performance.now() - begun) / 1000);
    console.log(`\rcube × ${factor}: ${rows} rows, ${Math.round(bytes / 1e6)} MB, made in ${seconds} s`);
    return vintage;
  };
  const cubes: Cubes = { dir, scale, vintages: [await made(1), await made(FACTOR)] };
  await writeFile(path, JSON.stringify(cubes));
  return cubes;
}

/** Writes `lines` distinct lines of one month in Comext's bulk format. */
async function writeBulk(path: string, lines: number): Promise<void> {
  const partners = partnersOf(1);
  const [codes, procedures] = [9_700, 2];
  const cells = reporterCodes.length * partners.length * codes * 2 * procedures;
  const list = (of: readonly string[]) => `[${of.map(literal).join(", ")}]`;
  const instance = await openDuckdb(LIMITS);
  const connection = await instance.connect();
  // The stride is coprime to the number of cells, so no line repeats.
  await connection.run(`${macros}
    copy (
      select ${list(reporterCodes)}[1 + cell % ${reporterCodes.length}] as "REPORTER",
        ${list(partners)}[1 + cell // ${reporterCodes.length} % ${partners.length}] as "PARTNER", 'E' as "TRADE_TYPE",
        printf('%02d%06d', 1 + code // 100, code % 100 * 10101) as "PRODUCT_NC", '58310' as "PRODUCT_SITC",
        '2221' as "PRODUCT_CPA21", '2221' as "PRODUCT_CPA22", '220' as "PRODUCT_BEC", '211210' as "PRODUCT_BEC5",
        '07' as "PRODUCT_SECTION", 1 + rest % 2 as "FLOW", 1 + rest // 2 % ${procedures} as "STAT_PROCEDURE",
        'NO_SU' as "SUPPL_UNIT", 202402 as "PERIOD", u % 1000000 as "VALUE_EUR", u % 1000000 as "VALUE_NAC",
        u % 100003 as "QUANTITY_KG", 0 as "QUANTITY_SUPPL_UNIT"
      from (
        select *, cell // ${reporterCodes.length * partners.length} % ${codes} as code,
          cell // ${reporterCodes.length * partners.length * codes} as rest, mix(cell) as u
        from (select n * 1000003 % ${cells} as cell from range(${lines}) as lines(n))
      )
    ) to ${literal(path)} (header, delimiter ',', quote '')`);
  connection.closeSync();
  instance.closeSync();
}

async function timed<T>(work: () => Promise<T>): Promise<{ seconds: number; result: T }> {
  const begun = performance.now();
  const result = await work();
  return { seconds: (performance.now() - begun) / 1000, result };
}

async function digest(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest("hex");
}

async function count(path: string): Promise<void> {
  const columns = comextBulk.columns.map((name) => `'${name}': 'VARCHAR'`).join(", ");
  const instance = await openDuckdb(LIMITS);
  const connection = await instance.connect();
  await connection.run(
    `select count(*) from read_csv(${literal(path)}, auto_detect = false, header = true, delim = ',', quote = '',
       escape = '', columns = {${columns}})`,
  );
  connection.closeSync();
  instance.closeSync();
}

async function measureImport(lines: number): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-bench-"));
  await chmod(dir, 0o755);
  const server = await embeddedPostgres({ dir: join(dir, "postgres") });
  try {
    const file = join(dir, "full_v2_202402.csv");
    await writeBulk(file, lines);
    const { size } = await stat(file);
    const env = { DATABASE_URL: server.ownerUrl, DATA_DIR: join(dir, "data") };
    const sha256 = await timed(() => digest(file));
    const counted = await timed(() => count(file));
    const imported = await timed(() =>
      withRuntime(readConfig(env), pino({ level: "silent" }), ({ app }) =>
        importFiles(app, [file], { data_dir: env.DATA_DIR, limits: LIMITS }),
      ),
    );
    if (imported.result.facts.rows === 0) throw new Error("nothing was imported");
    const line = ({ seconds }: { seconds: number }) => ({
      seconds: seconds.toFixed(1),
      "lines/s": Math.round(lines / seconds),
      "MB/s": Math.round(size / seconds / 1e6),
      "import beside it": (seconds / imported.seconds).toFixed(2),
    });
    console.log(
      `${lines} lines of Comext bulk CSV, ${Math.round(size / 1e6)} MB; lock, setup and log included`,
    );
    console.table({
      "import, released": line(imported),
      "SHA-256 of the bytes": line(sha256),
      "DuckDB's read_csv, counted": line(counted),
    });
    console.log(`peak memory of this process ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`);
  } finally {
    await server.leave();
    await rm(dir, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values: given } = parseArgs({
    options: {
      dir: { type: "string" },
      scale: { type: "string", default: "1" },
      lines: { type: "string", default: "4900000" },
    },
  });
  if (Number(given.lines) > 0) await measureImport(Number(given.lines));
  const scale = Number(given.scale);
  const cubes = await cubesIn(cubeFolder(given.dir, scale), scale);
  console.log(`${cubes.dir} holds ${cubes.vintages.join(" and ")}`);
}
