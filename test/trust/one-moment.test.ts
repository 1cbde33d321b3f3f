/**
 * An answer belongs to one computation, whatever is computed meanwhile: its score is that of the event that it names.
 */
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../support/service.ts";
import { type Agency, agencyOf, walletOf } from "./agency.ts";

let service: Service;
let agency: Agency;
let time = Date.now();
beforeAll(async () => {
  service = await startService({ env: { TRUST_PROXY: "1" } });
  agency = agencyOf(service.app);
  for (const n of [1, 2]) {
    await agency.register(n);
    await agency.prove(n);
  }
  await agency.attest(2, 1, 8);
  await move();
});
afterAll(() => service.stop());

/** Evidence of both agents, and a computation of it. */
async function move(): Promise<void> {
  for (const n of [1, 2]) await agency.pay(walletOf(n), 0.25);
  time += 61_000;
  expect(await agency.compute(time)).toEqual({ status: "done" });
}

type Query = (...of: unknown[]) => Promise<unknown>;

/** Changes evidence once, after the first query about a computation. */
async function disturbed<T>(ask: () => Promise<T>): Promise<T> {
  const pool = service.app.pool as unknown as {
    query: Query;
    connect(...of: unknown[]): Promise<pg.PoolClient>;
  };
  const { query, connect } = pool;
  let moved = false;
  const after = async (answer: Promise<unknown>, [request]: unknown[]) => {
    const result = await answer;
    const text = typeof request === "string" ? request : (request as { text: string }).text;
    if (!moved && text.includes("read.trust_computed_v3")) {
      moved = true;
      await move();
    }
    return result;
  };
  pool.query = (...of) => after(query.apply(pool, of), of);
  pool.connect = async (...of) => {
    const client = await connect.apply(pool, of);
    if (of.length > 0) return client;
    const asks = client.query as unknown as Query;
    const release = client.release;
    Object.assign(client, {
      query: (...given: unknown[]) => after(asks.apply(client, given), given),
      release: (error?: Error) => {
        Object.assign(client, { query: asks, release });
        release.call(client, error);
      },
    });
    return client;
  };
  try {
    const result = await ask();
    expect(moved).toBe(true);
    return result;
  } finally {
    Object.assign(pool, { query, connect });
  }
}

type TrustAnswers = {
  trust_score: number;
  computed_event?: string;
  as_of?: { computed_event: string };
  agents?: { trust_score: number }[];
  explanation?: { score_micro: number };
};
const answersAt = async (path: string) => (await (await fetch(service.url + path)).json()) as TrustAnswers;

test.each([
  "/soul/1/trust",
  "/soul/1/trust?explain=true",
  "/v1/agent/soul/verify/agent.no-1",
  "/soul/directory",
  "/soul/directory?sort=newest",
])("%s belongs to one computation", async (path) => {
  const before = await answersAt(path);
  expect(await disturbed(() => answersAt(path))).toEqual(before);
  const after = await answersAt(path);
  expect(after).not.toEqual(before);
  if (after.explanation)
    expect(Math.floor(after.explanation.score_micro / 100) / 1e6).toBe(after.trust_score);
});
