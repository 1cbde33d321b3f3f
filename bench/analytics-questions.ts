/** The questions of bench/analytics.ts: every trade operation on the cube, each with varying inputs. */
import { Agent, get, type IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

export type Question = { name: string; paths: string[] };

const reporters = ["DE", "LV", "FR", "SK", "IE", "PT"];
const eachReporter = (rest: string) => reporters.map((code) => `reporter=${code}&${rest}`);

const question = (name: string, path: string, inputs: string[]): Question => ({
  name,
  paths: inputs.map((input) => `/v1/agent/trade/${path}?${input}`),
});

export const questions: Question[] = [
  question("overview", "overview", ["", "format=summary"]),
  question("countries", "countries", ["", "format=compact"]),
  question("timeline, all 27", "timeline", ["", "flow=IMPORT"]),
  question(
    "timeline, one",
    "timeline",
    eachReporter("").map((input) => input.replace("reporter", "reporters")),
  ),
  question("top-partners", "top-partners", eachReporter("year=2024&limit=10")),
  question("top-products", "top-products", eachReporter("year=2024&limit=10")),
  question("balance", "balance", eachReporter("")),
  question("heatmap", "heatmap", ["year=2024", "year=2023&hs=44", "year=2024&hs=87&flow=EXPORT"]),
  question("product-detail", "product-detail", eachReporter("hs=87")),
  question("price-per-tonne", "price-per-tonne", eachReporter("hs=44")),
  question("seasonality", "seasonality", eachReporter("hs=44")),
  question("concentration", "concentration", eachReporter("year=2024")),
  question("corridor", "corridor", eachReporter("partner=IT&years=2015-2024")),
  question("alerts", "alerts", ["", "flow=IMPORT", "months=12"]),
  question("flow-pulse", "flow-pulse", ["", "months=3&limit=5"]),
  question("reroute-watch", "reroute-watch", ["", "flow=IMPORT&limit=5"]),
  question("source-concentration", "source-concentration", ["year=2024", "year=2023&flow=EXPORT"]),
];

export type RawAnswer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** A client of the service with a key and persistent connections. */
export type Caller = (path: string, headers?: Record<string, string>) => Promise<RawAnswer>;

export function callerOf(url: string, secret: string, connections: number): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return (path, headers = {}) =>
    new Promise((done, fail) => {
      get(url + path, { agent, headers: { Authorization: `Bearer ${secret}`, ...headers } }, (response) => {
        const { statusCode: status = 0, headers } = response;
        buffer(response).then((body) => done({ status, headers, body }), fail);
      }).once("error", fail);
    });
}

/** The body of a 200. */
export async function answered(caller: Caller, path: string): Promise<Buffer> {
  const { status, body } = await caller(path);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`);
  return body;
}

/**
 * A call refused before any statement reaches DuckDB, for an unknown dataset: the cost of a call without its
 * question.
 */
export const emptyCall = async (caller: Caller): Promise<number> =>
  (await caller("/v1/agent/trade/countries?dataset=none")).status;

/** Waits until a dataset is served. */
export async function untilOpen(caller: Caller): Promise<void> {
  for (let tries = 0; tries < 1_200; tries++) {
    // Until then the answer is a 503.
    if ((await emptyCall(caller)) === 400) return;
    await pause(50);
  }
  throw new Error("the dataset was not opened in a minute");
}
