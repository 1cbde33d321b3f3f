/** Requests at a steady rate, independent of the answers: like callers that know nothing of each other. */
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

export type Pace = { rps: number; seconds: number; connections: number };
export type Paced = { "a second": number; p50_ms: number; p95_ms: number; p99_ms: number };
type PacedRequest = { path: string; headers: Record<string, string> };

/**
 * Sends `next`'s requests at times of a Poisson process. Durations start when a request is due, so they include its
 * wait for earlier ones. Throws if one is not answered 200.
 */
export async function paced(url: string, next: () => PacedRequest, pace: Pace): Promise<Paced> {
  const agent = new Agent({ keepAlive: true, maxSockets: pace.connections });
  const taken_ms: number[] = [];
  const answers: Promise<void>[] = [];
  const begun = performance.now();
  const end = begun + pace.seconds * 1_000;
  for (let due = begun; due < end; due += (-Math.log(1 - Math.random()) * 1_000) / pace.rps) {
    const early = due - performance.now();
    if (early > 0) await pause(early);
    answers.push(latencyOf(agent, url, next()).then((at) => void taken_ms.push(at - due)));
  }
  await Promise.all(answers);
  const seconds = (performance.now() - begun) / 1_000;
  agent.destroy();
  const sorted = taken_ms.sort((a, b) => a - b);
  const p = (share: number) => Number(sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(1));
  return {
    "a second": Math.round(sorted.length / seconds),
    p50_ms: p(0.5),
    p95_ms: p(0.95),
    p99_ms: p(0.99),
  };
}

/** When the answer arrived. */
const latencyOf = (agent: Agent, url: string, { path, headers }: PacedRequest): Promise<number> =>
  new Promise((done, fail) => {
    const call = request(url + path, { agent, headers }, (answer) => {
      if (answer.statusCode !== 200) {
        const why = (body: string) => new Error(`${path} was answered ${answer.statusCode}: ${body}`);
        return text(answer).then((body) => fail(why(body)), fail);
      }
      answer.resume();
      answer.once("error", fail);
      answer.once("end", () => done(performance.now()));
    });
    call.once("error", fail);
    call.end();
  });
