/**
 * Duration of fusion and reports over HTTP, each for another product so that none is cached: a market, a deep
 * analysis, a brief across eight chapters, its PDF; and a read's duration during printing, compared with alone.
 *
 *     npx tsx bench/reports.ts [--scale 0.02] [--each 3]
 *
 * `--scale 1` is the whole cube: every month since 2005, all chapters, thirty partners per flow.
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { sizeAt } from "../src/datasets/sandbox.ts";
import { releaseSandboxTables } from "../src/operator/reference.ts";
import { releaseSandbox } from "../src/operator/releases.ts";
import { orderKey, withDatabase, withService } from "./load.ts";
import { median, startServiceProcess } from "./service-process.ts";

const { values } = parseArgs({
  options: { scale: { type: "string", default: "0.02" }, each: { type: "string", default: "3" } },
});
const EACH = Number(values.each);

/** The weightiest chapters, which even a small sandbox has. */
const CHAPTERS = ["84", "85", "87", "27", "30", "39", "29", "44"];
const REPORTERS = ["LV", "DE", "FR", "IT", "ES", "PL", "NL", "SE", "EE", "LT"];

await withDatabase(async (env) => {
  const headers = await withService(env, async (app) => {
    const limits = { threads: 2, memory_mb: 2_048 };
    await releaseSandbox(app, { data_dir: env.DATA_DIR!, limits, size: sizeAt(Number(values.scale)) });
    await releaseSandboxTables(app, env.DATA_DIR!);
    return orderKey(app, "acme");
  });
  const service = await startServiceProcess(env);
  try {
    const get = (path: string, accept = "application/json") =>
      fetch(service.url + path, { headers: { ...headers, Accept: accept } });
    const post = (path: string, body: object, accept = "application/json") =>
      fetch(service.url + path, {
        method: "POST",
        headers: { ...headers, Accept: accept, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
    const reporter = (n: number) => REPORTERS[n % REPORTERS.length]!;
    const chapter = (n: number) => CHAPTERS[n % CHAPTERS.length]!;
    const brief = (n: number) => ({ sectors: CHAPTERS, region: reporter(n), years: "2020-2024" });
    const read = (n: number) => get(`/v1/agent/trade/balance?reporter=${reporter(n)}&hs=${chapter(n)}`);
    // A release opens within a moment.
    while ((await read(0)).status === 503) await pause(100);
    const answer: Record<string, object> = {};
    const tell = (name: string, taken: number[]) => {
      const sorted = taken.toSorted((a, b) => a - b);
      const p95 = sorted[Math.ceil(0.95 * sorted.length) - 1]!;
      answer[name] = { "median ms": median(sorted).toFixed(0), "p95 ms": p95.toFixed(0), n: sorted.length };
    };
    const measure = async (name: string, ask: (n: number) => Promise<Response>) => {
      const taken: number[] = [];
      for (let n = 0; n < EACH; n++) taken.push(await timed(() => ask(n)));
      tell(name, taken);
    };
    await measure("market-intel", (n) =>
      get(`/v1/agent/fusion/market-intel?hs=${chapter(n)}&reporter=${reporter(n)}&years=2020-2024`),
    );
    await measure("fusion/deep-analysis", (n) =>
      post("/v1/agent/fusion/deep-analysis", {
        question: "What of it?",
        country: reporter(n),
        hs: chapter(n),
        years: "2020-2024",
      }),
    );
    await measure("sovereign/brief/deep, eight chapters", (n) =>
      post("/v1/agent/sovereign/brief/deep", brief(n)),
    );
    await measure("the same kept, as PDF", (n) =>
      post("/v1/agent/sovereign/brief/deep", brief(n), "application/pdf"),
    );
    const alone: number[] = [];
    for (let n = 0; n < 20 * EACH; n++) alone.push(await timed(() => read(n)));
    tell("a read alone", alone);
    let printing = true;
    const printed = (async () => {
      while (printing) await timed(() => post("/v1/agent/sovereign/brief/deep", brief(0), "application/pdf"));
    })();
    const beside: number[] = [];
    for (let n = 0; n < 20 * EACH; n++) beside.push(await timed(() => read(n)));
    printing = false;
    await printed;
    tell("a read while documents are printed", beside);
    console.table(answer);
  } finally {
    await service.stop();
  }
});

/** Milliseconds until the complete answer. */
async function timed(ask: () => Promise<Response>): Promise<number> {
  const begun = performance.now();
  const answer = await ask();
  const bytes = await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${answer.status}: ${Buffer.from(bytes).toString().slice(0, 300)}`);
  return performance.now() - begun;
}
