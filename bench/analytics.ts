/**
 * Claims, over the generated cube of 68 million HS2 rows: every trade operation answers over HTTP sooner than its
 * SQL over the tables takes in DuckDB alone, and sooner than handwritten SQL takes in Postgres with an index per
 * access path; at most as many statements run at once as there are cores; twenty swaps of the vintage under load
 * fail no answer and mix none; memory stays under 1.5 GB and the event loop is never blocked for 50 ms; file reads
 * keep their speed; a repeated question is answered in under a millisecond.
 *
 *     npx tsx bench/analytics.ts [--dir /tmp/tallystick-cube] [--scale 1] [--passes 20] [--seconds 3]
 *                                [--swaps 20] [--only operations,cold,promises] [--no-postgres]
 *
 * A missing cube is generated first. The service is a separate process without cached answers, except where those
 * are measured. Each question's SQL on the tables without roll-ups alternates with it in DuckDB, with the same
 * limits and files, and in Postgres with the same rows (handwritten SQL, results compared; every answer is compared
 * with the tables'), which takes some 25 GB of disk. Postgres is called by a client in this process, and behind a
 * bare Express route that sends its rows as they are. Cold is the first call of a new process or database; the
 * kernel has the files in memory throughout.
 */
import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pino from "pino";
import { embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import { type Manifest, readManifest } from "../src/datasets/manifest.ts";
import { openVintages } from "../src/datasets/vintage-store.ts";
import { withRuntime } from "../src/runtime/assemble.ts";
import { readConfig } from "../src/runtime/config.ts";
import { releaseVintage } from "../test/support/cube.ts";
import { cubeFolder, cubesIn } from "./analytics-cube.ts";
import { type Direct, openDirect, type Plan } from "./analytics-direct.ts";
import { difference, inPostgres, openPostgres, type Postgres } from "./analytics-postgres.ts";
import { loopOf, measurePromises, type Runtime } from "./analytics-promises.ts";
import { answered, callerOf, emptyCall, type Question, questions, untilOpen } from "./analytics-questions.ts";
import { fromTablesOf } from "./analytics-statements.ts";
import { type BareServer, startAskingExpress } from "./bare-express.ts";
import { issueReadKey, type ProbedService, withProbedService } from "./service-process.ts";

const { values: given } = parseArgs({
  options: {
    dir: { type: "string" },
    scale: { type: "string", default: "1" },
    passes: { type: "string", default: "20" },
    seconds: { type: "string", default: "3" },
    swaps: { type: "string", default: "20" },
    only: { type: "string", default: "operations,cold,promises" },
    "no-postgres": { type: "boolean", default: false },
  },
});

const CONNECTIONS = 8;

/** Requests the question's path at this index. */
type Ask = (at: number) => Promise<unknown>;

const milliseconds = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};

const ms = (value: number | undefined) =>
  value === undefined ? "" : value < 10 ? value.toFixed(2) : value.toFixed(0);
const at = (share: number, times: number[]) =>
  times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))]!;
const times = (one: number[], other: number[]) => (at(0.5, one) / at(0.5, other)).toFixed(2);

/** Alternates the contenders, one call at a time. */
async function alone(contenders: Ask[], paths: number, passes: number): Promise<number[][]> {
  const found: number[][] = contenders.map(() => []);
  for (let pass = 0; pass < passes; pass++)
    for (const [of, ask] of contenders.entries())
      for (let path = 0; path < paths; path++) found[of]!.push(await milliseconds(() => ask(path)));
  return found;
}

/** One contender with eight connections for some seconds. */
async function together(ask: Ask, paths: number, seconds: number): Promise<number[]> {
  const found: number[] = [];
  const end = performance.now() + seconds * 1000;
  const caller = async (first: number) => {
    for (let path = first; performance.now() < end; path++)
      found.push(await milliseconds(() => ask(path % paths)));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, first) => caller(first)));
  return found;
}

/** Without cached answers, DuckDB answers every call. */
const uncached = ({ env }: Runtime) => ({ ...env, ANSWER_CACHE_MB: "0" });

/** The first call of a new process, over HTTP, and of a new DuckDB with the files attached. */
async function cold(setup: Runtime, manifest: Manifest, question: Question, plan: Plan) {
  const { served, loop_ms } = await withProbedService(uncached(setup), async (service) => {
    service.tell({ reset: true });
    const caller = callerOf(service.url, setup.secret, 1);
    await untilOpen(caller);
    const { loop_ms } = await service.report();
    return { served: await milliseconds(() => answered(caller, question.paths[0]!)), loop_ms };
  });
  const direct = await openDirect(setup.env.DATA_DIR!, manifest);
  const run = await milliseconds(() => direct.run(plan));
  direct.close();
  return { served, run, loop_ms };
}

/** Postgres, and a bare Express route in front of it. */
type Beside = { postgres: Postgres; route: BareServer };

/** Postgres' answer to each of the question's statements, directly and over HTTP; its results must equal DuckDB's. */
async function postgresAsks(
  { postgres, route }: Beside,
  direct: Direct,
  { name, paths }: Question,
  plans: Plan[],
): Promise<{ sql: Ask; http: Ask } | undefined> {
  const written = inPostgres[name];
  if (!written) return undefined;
  const statements = paths.map((path, of) => {
    const fields = Object.fromEntries(new URL(path, "http://localhost").searchParams);
    return written(fields, plans[of]!.flat());
  });
  for (const [of, plan] of plans.entries()) {
    for (const [place, sql] of plan.flat().entries()) {
      const found = difference(await direct.rows(sql), await postgres.rows(statements[of]![place]!));
      if (found) throw new Error(`${paths[of]}: Postgres answers otherwise: ${found}`);
    }
  }
  for (const [of, path] of paths.entries())
    await fetch(route.url + path, {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(statements[of]),
    });
  const caller = callerOf(route.url, "none", CONNECTIONS);
  return {
    sql: async (path) => {
      for (const sql of statements[path]!) await postgres.rows(sql);
    },
    http: (path) => answered(caller, paths[path]!),
  };
}

type Lines = Record<string, Record<string, string>>;

/** A line per question, and the plans of the questions' first paths. */
async function hot(
  service: ProbedService,
  setup: Runtime,
  manifest: Manifest,
  beside: Beside | undefined,
): Promise<{ lines: Lines; first: Plan[] }> {
  const caller = callerOf(service.url, setup.secret, CONNECTIONS);
  await untilOpen(caller);
  const direct = await openDirect(setup.env.DATA_DIR!, manifest);
  const tables = openVintages({ threads: 2, memory_mb: 768, dataDir: setup.env.DATA_DIR! });
  await tables.serve(manifest.vintage);
  const [empty] = await alone([() => emptyCall(caller)], 1, 200);
  console.log(`a call that asks DuckDB nothing: ${ms(at(0.5, empty!))} ms, p95 ${ms(at(0.95, empty!))}`);
  const lines: Lines = {};
  const first: Plan[] = [];
  for (const question of questions) {
    const { name, paths } = question;
    const plans: Plan[] = [];
    for (const path of paths) {
      const { plan, body } = await fromTablesOf(tables, path);
      plans.push(plan);
      isSame(path, JSON.parse((await answered(caller, path)).toString()), JSON.parse(body));
    }
    service.tell({ reset: true });
    first.push(plans[0]!);
    const asks: Ask[] = [(path) => answered(caller, paths[path]!), (path) => direct.run(plans[path]!)];
    const inPostgres = beside && (await postgresAsks(beside, direct, question, plans));
    await alone(asks, paths.length, 2);
    const [served, run] = (await alone(asks, paths.length, Number(given.passes))) as [number[], number[]];
    const seconds = Number(given.seconds);
    const [served8, run8] = [
      await together(asks[0]!, paths.length, seconds),
      await together(asks[1]!, paths.length, seconds),
    ];
    const passes = 1 + Math.ceil(Number(given.passes) / 4);
    const pg = async (ask: Ask | undefined) =>
      ask && {
        one: (await alone([ask], paths.length, passes))[0]!.slice(paths.length),
        eight: await together(ask, paths.length, seconds),
      };
    const [sql, http] = [await pg(inPostgres?.sql), await pg(inPostgres?.http)];
    const { most_at_once } = await service.report();
    lines[name] = {
      p50: ms(at(0.5, served)),
      p95: ms(at(0.95, served)),
      DuckDB: ms(at(0.5, run)),
      "DuckDB ÷ it": times(run, served),
      "p50 of 8": ms(at(0.5, served8)),
      "p95 of 8": ms(at(0.95, served8)),
      "DuckDB of 8": ms(at(0.5, run8)),
      "DuckDB ÷ it of 8": times(run8, served8),
      Postgres: ms(sql && at(0.5, sql.one)),
      "Postgres ÷ it": sql ? times(sql.one, served) : "",
      "Postgres ÷ it of 8": sql ? times(sql.eight, served8) : "",
      "over HTTP": ms(http && at(0.5, http.one)),
      "over HTTP ÷ it": http ? times(http.one, served) : "",
      "over HTTP ÷ it of 8": http ? times(http.eight, served8) : "",
      "at once": String(most_at_once),
    };
    console.error(name, JSON.stringify(lines[name]));
  }
  direct.close();
  await tables.close();
  return { lines, first };
}

/** The service's answers also name their vintages. */
function isSame(path: string, { data, meta }: Answer, answer: Answer): void {
  const known = Object.fromEntries(Object.keys(answer.meta).map((field) => [field, meta[field]]));
  if (JSON.stringify([data, known]) !== JSON.stringify([answer.data, answer.meta]))
    throw new Error(`${path}: the service answers otherwise than its tables`);
}

type Answer = { data: unknown; meta: Record<string, unknown> };

async function measureOperations(setup: Runtime, manifest: Manifest, postgres: Postgres | undefined) {
  const beside = postgres && { postgres, route: await startAskingExpress(postgres.url) };
  const { lines, first } = await withProbedService(uncached(setup), (service) =>
    hot(service, setup, manifest, beside),
  );
  beside?.route.stop();
  const opening = { between: 0, at_work: 0 };
  const requests = given.only.includes("cold") ? questions : [];
  for (const [of, question] of requests.entries()) {
    const { served, run, loop_ms } = await cold(setup, manifest, question, first[of]!);
    opening.between = Math.max(opening.between, loop_ms.between);
    opening.at_work = Math.max(opening.at_work, loop_ms.at_work);
    lines[question.name] = { cold: ms(served), "cold DuckDB": ms(run), ...lines[question.name] };
  }
  console.log(`milliseconds; ${CONNECTIONS} connections; ${availableParallelism()} cores`);
  console.table(lines);
  if (requests.length > 0)
    console.log(`event loop held while the cube is opened: ${loopOf({ loop_ms: opening })}`);
}

async function main(): Promise<void> {
  const scale = Number(given.scale);
  const cubes = await cubesIn(cubeFolder(given.dir, scale), scale);
  const dir = await mkdtemp(join(tmpdir(), "tallystick-bench-"));
  await chmod(dir, 0o755);
  // The vintages are the cube's; all other data of a service is deleted with this folder.
  const DATA_DIR = join(dir, "data");
  await mkdir(DATA_DIR);
  await symlink(join(cubes.dir, "vintages"), join(DATA_DIR, "vintages"));
  const server = await embeddedPostgres({ dir: join(dir, "postgres") });
  const env = {
    DATABASE_URL: server.ownerUrl,
    DATA_DIR,
    ALLOW_SYNTHETIC: "1",
    ANCHORING: "0",
    LOG_LEVEL: "error",
  };
  try {
    const { vintages } = cubes;
    const release = (vintage: string) =>
      withRuntime(readConfig(env), pino({ level: "silent" }), ({ app }) =>
        releaseVintage(app, DATA_DIR, vintage),
      );
    await release(vintages[0]);
    const setup: Runtime = { env, secret: await issueReadKey(env, "acme"), vintages };
    const manifest = await readManifest(DATA_DIR, vintages[0]);
    const rows = manifest.partitions.reduce((sum, one) => sum + one.rows, 0);
    const bytes = manifest.partitions.reduce((sum, one) => sum + one.bytes, 0);
    console.log(`${rows} HS2 rows, ${Math.round(bytes / 1e6)} MB; ${given.passes} passes`);
    if (given.only.includes("operations")) {
      const postgres = given["no-postgres"]
        ? undefined
        : await openPostgres(join(dir, "contender"), DATA_DIR, manifest);
      if (postgres)
        console.log(
          `Postgres: loaded in ${postgres.load_s.toFixed(0)} s, indexed in ${postgres.index_s.toFixed(0)} s, ${Math.round(postgres.bytes / 1e6)} MB`,
        );
      await measureOperations(setup, manifest, postgres);
      await postgres?.close();
    }
    if (given.only.includes("promises")) await measurePromises(setup, release, Number(given.swaps));
  } finally {
    await server.leave();
    await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 1_000 });
  }
}

// The direct contender's statements use libuv's threads, of which there are four by default.
if (process.env.UV_THREADPOOL_SIZE === undefined) {
  const args = [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const env = { ...process.env, UV_THREADPOOL_SIZE: "16" };
  process.exitCode = spawnSync(process.execPath, args, { env, stdio: "inherit" }).status ?? 1;
} else await main();
