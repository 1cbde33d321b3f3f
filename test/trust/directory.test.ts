/** The directory walked by trust while scores move: it misses nobody and repeats nobody. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Service, startService } from "../support/service.ts";
import { type Agency, agencyOf } from "./agency.ts";

type Listed = { rank: number | null; sx_id: string; trust_score: number; trust_level: string };
type Page = {
  agents: Listed[];
  next_cursor: string | null;
  computed_event: string | null;
  errors: { path: string; message: string }[];
};

let service: Service;
let agency: Agency;
let issued = 0;
/** Each computation is somewhat more than a minute after the one before, as in the reactor. */
let now = Date.now();

beforeAll(async () => {
  service = await startService({ chain: "embedded", env: { OPEN_CALLS_PER_MINUTE: "10000" } });
  agency = agencyOf(service.app);
});
afterAll(() => service.stop());

const register = () => agency.register(++issued);
const compute = () => agency.compute((now += 61_000));
async function page(query: string): Promise<{ status: number; body: Page }> {
  const response = await fetch(`${service.url}/soul/directory?${query}`);
  return { status: response.status, body: (await response.json()) as Page };
}
async function walk(limit: number, between: () => Promise<unknown> = async () => undefined) {
  const seen: Listed[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { body } = await page(`limit=${limit}${cursor && `&cursor=${cursor}`}`);
    seen.push(...body.agents);
    cursor = body.next_cursor;
    if (cursor !== null) await between();
  }
  return seen;
}
const numbers = (listed: Listed[]) => listed.map(({ sx_id }) => Number(sx_id.slice(3)));

test("before any computation the older passport comes first, and every score is 0", async () => {
  for (let n = 0; n < 7; n++) await register();
  const seen = await walk(3);
  expect(numbers(seen)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(seen[0]).toMatchObject({ rank: 1, trust_score: 0, trust_level: "none" });
  expect((await page("limit=1")).body.computed_event).toBeNull();
});

describe("the directory by trust", () => {
  test("falls from page to page, equal scores by number, with ranks and the computation's event", async () => {
    for (const [n, points] of [
      [2, 40],
      [5, 90],
      [7, 40],
    ] as const)
      await agency.seed(n, points);
    await compute();
    const seen = await walk(2);
    expect(numbers(seen)).toEqual([5, 2, 7, 1, 3, 4, 6]);
    expect(seen.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(seen.slice(0, 2)).toMatchObject([
      { trust_score: 0.9, trust_level: "very_high" },
      { trust_score: 0.4, trust_level: "medium" },
    ]);
    const trust = (await (await fetch(`${service.url}/soul/5/trust`)).json()) as {
      as_of: { computed_event: string };
    };
    expect((await page("limit=1")).body.computed_event).toBe(trust.as_of.computed_event);
  });

  test("shows each agent once, as at the walk's start, while scores move and others register", async () => {
    const before = await walk(100);
    // The last comes to the top and the first falls to nothing: a wrong walk would miss or repeat one of them.
    const moves = [
      () => agency.seed(6, 100),
      () => agency.seed(5, 0),
      () => agency.seed(2, 1),
      register,
      () => agency.seed(1, 95),
      () => agency.seed(7, 99),
    ];
    const seen = await walk(1, async () => {
      await moves.shift()?.();
      await compute();
    });
    expect(moves).toEqual([]);
    expect(numbers(seen)).toEqual([...numbers(before), 8]);
    expect(seen.slice(0, 7)).toEqual(before);
    expect(numbers(await walk(100))).toEqual([6, 7, 1, 2, 3, 4, 5, 8]);
  });

  test("omits agents that are revoked meanwhile", async () => {
    const { body } = await page("limit=2");
    await agency.revoke(1);
    await compute();
    const rest = await page(`limit=100&cursor=${body.next_cursor}`);
    expect(numbers(rest.body.agents)).toEqual([2, 3, 4, 5, 8]);
  });

  test("continues for an hour after the next computation, and then starts over", async () => {
    const { body } = await page("limit=2");
    now += 5 * 3_600_000;
    await agency.seed(3, 2);
    await compute();
    const on = () => page(`limit=2&cursor=${body.next_cursor}`);
    expect((await on()).status).toBe(200);
    now += 3_500_000;
    await agency.seed(3, 3);
    await compute();
    expect((await on()).status).toBe(200);
    now += 100_000;
    await agency.seed(3, 4);
    await compute();
    expect(await on()).toMatchObject({ status: 400, body: { errors: [{ path: "cursor" }] } });
    const { rows } = await service.app.pool.query(
      "select from read.trust_ranks_v3 where valid_to is not null group by sx having count(*) > 3",
    );
    expect(rows).toEqual([]);
  });
});

test("the newest-first directory has scores and no ranks; a cursor only fits its own sort", async () => {
  const { body } = await page("sort=newest&limit=3");
  expect(numbers(body.agents)).toEqual([8, 7, 6]);
  expect(body.agents[1]).toMatchObject({ rank: null, trust_score: 0.99 });
  const byTrust = (await page("limit=3")).body.next_cursor;
  for (const query of [
    `sort=newest&cursor=${byTrust}`,
    `sort=trust&cursor=${body.next_cursor}`,
    "cursor=999999999.5.5.5",
    "cursor=nonsense",
    "sort=name",
  ])
    expect((await page(query)).status, query).toBe(400);
});
