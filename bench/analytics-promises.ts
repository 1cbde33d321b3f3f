/** Further measurements of bench/analytics.ts: swaps under load, memory, the event loop, file reads, cached answers. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { swapUnderLoad } from "../test/support/swaps.ts";
import { FACTOR } from "./analytics-cube.ts";
import { answered, type Caller, callerOf, questions, untilOpen } from "./analytics-questions.ts";
import type { Report } from "./service-probe.ts";
import { median, type ProbedService, withProbedService } from "./service-process.ts";

/** A service's settings, the tenant of its calls, and its vintages. */
export type Runtime = { env: Record<string, string>; secret: string; vintages: [string, string] };
type Release = (vintage: string) => Promise<void>;

const CONNECTIONS = 8;
/** Questions that read most of the cube. */
const WHOLE = ["overview", "timeline, all 27", "source-concentration", "reroute-watch", "alerts"];
const SWAPPED = [
  "balance",
  "top-partners",
  "product-detail",
  "seasonality",
  "source-concentration",
  "alerts",
];

const pathsOf = (names: string[]) =>
  questions.filter(({ name }) => names.includes(name)).flatMap(({ paths }) => paths);
const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
const worst = (values: number[]) => Math.max(...values);
const p95 = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(0.95 * (values.length - 1))]!;

/** Runs all, and reports each result at once. */
export async function measurePromises(setup: Runtime, release: Release, swaps: number): Promise<void> {
  await withProbedService({ ...setup.env, ANSWER_CACHE_MB: "0" }, async (service) => {
    const caller = callerOf(service.url, setup.secret, CONNECTIONS);
    await untilOpen(caller);
    await fileReads(service, caller);
    await swapping(service, caller, setup, release, swaps);
  });
  await withProbedService(setup.env, ({ url }) => keptAnswers(callerOf(url, setup.secret, 1)));
}

/** Calls by eight connections until stopped. */
function load(caller: Caller, paths: string[]): () => Promise<void> {
  let asking = true;
  const one = async (first: number) => {
    for (let at = first; asking; at++) await answered(caller, paths[at % paths.length]!);
  };
  const all = Promise.all(Array.from({ length: CONNECTIONS }, (_, first) => one(first)));
  return async () => {
    asking = false;
    await all;
  };
}

/** File reads in the service's own process, before and during whole-cube questions. */
async function fileReads(service: ProbedService, caller: Caller): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-bench-"));
  const file = join(dir, "megabyte");
  await writeFile(file, Buffer.alloc(1 << 20, 7));
  await readFile(file);
  const reads = async (seconds: number) => {
    service.tell({ reset: true, read_file: file });
    await pause(seconds * 1000);
    return service.report();
  };
  const quiet = await reads(3);
  const stop = load(caller, pathsOf(WHOLE));
  await pause(1000);
  const busy = await reads(10);
  await stop();
  service.tell({ read_file: null });
  await rm(dir, { recursive: true });
  const textOf = ({ file_reads_ms }: typeof quiet) =>
    `median ${ms(median(file_reads_ms))}, p95 ${ms(p95(file_reads_ms))}, longest ${ms(worst(file_reads_ms))}`;
  console.log(`reading a file of 1 MB in the service: ${textOf(quiet)}`);
  console.log(`  beside whole-cube questions at ${CONNECTIONS} connections: ${textOf(busy)}`);
  console.log(`  statements at once, at most: ${busy.most_at_once}; event loop held ${loopOf(busy)}`);
}

/** On a busy machine the loop also waits for a core, which is not its fault. */
export const loopOf = ({ loop_ms: { between, at_work } }: Pick<Report, "loop_ms">) =>
  `at most ${ms(at_work)} at work, ${ms(between)} in all`;

/** Swaps under load: no answer fails, and none mixes two vintages. */
async function swapping(
  service: ProbedService,
  caller: Caller,
  { vintages }: Runtime,
  release: Release,
  swaps: number,
): Promise<void> {
  service.tell({ reset: true });
  const paths = pathsOf(SWAPPED);
  const swapped = await swapUnderLoad({
    ask: async (path) => {
      const { status, body } = await caller(path);
      return { status, body: body.toString() };
    },
    paths,
    vintages,
    release,
    swaps,
    connections: CONNECTIONS,
    stay_ms: 1_000,
  });
  const years = (vintage: string) =>
    swapped.alone.get(vintage)!.get(paths.find((path) => path.includes("balance"))!) as {
      imports_eur: number;
    }[];
  const [first, second] = [years(vintages[0]), years(vintages[1])];
  if (!first.every(({ imports_eur }, at) => second[at]!.imports_eur === FACTOR * imports_eur))
    throw new Error("the vintages do not differ by their factor");
  const report = await service.report();
  const answers = [...swapped.answers.values()].reduce((sum, count) => sum + count, 0);
  console.log(`${swaps} swaps at ${CONNECTIONS} connections: ${answers} answers,`);
  console.log(`  ${swapped.failed.length} failed, ${swapped.mixed.length} mixed`);
  for (const fault of [...swapped.failed, ...swapped.mixed].slice(0, 5)) console.log(`  ${fault}`);
  console.log(`  event loop held ${loopOf(report)}; statements at once, at most: ${report.most_at_once}`);
  console.log(`  peak memory of the service since it began: ${Math.round(report.peak_memory_mb)} MB`);
}

/** A repeated question: cached under its vintage's name, and not sent to a client that has it. */
async function keptAnswers(caller: Caller): Promise<void> {
  await untilOpen(caller);
  for (const path of pathsOf(["top-partners", "alerts", "timeline, all 27"]).slice(0, 3)) {
    const { headers, body } = await caller(path);
    const etag = headers.etag ?? "none";
    const timed = async (sent: Record<string, string>, status: number) => {
      const found: number[] = [];
      for (let times = 0; times < 300; times++) {
        const begun = performance.now();
        const answer = await caller(path, sent);
        if (answer.status !== status) throw new Error(`${path} answered ${answer.status}`);
        found.push(performance.now() - begun);
      }
      return found.slice(100);
    };
    const [again, unchanged] = [await timed({}, 200), await timed({ "If-None-Match": etag }, 304)];
    console.log(
      `asked again, round trip: ${path} (${body.length} bytes) ${ms(median(again))}, p95 ${ms(p95(again))}; 304 ${ms(median(unchanged))}`,
    );
  }
}
