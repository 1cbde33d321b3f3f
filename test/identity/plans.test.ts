/** Query plans of reads about agents, among many agents: each query uses an index and skips few rows. */
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { activityProjection } from "../../src/projections/identity/activity.ts";
import { agentsProjection } from "../../src/projections/identity/agents.ts";
import { trustProjection } from "../../src/projections/trust/trust.ts";
import { type Service, startService } from "../support/service.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { agencyOf } from "../trust/agency.ts";
import { caller, PROXIED } from "./agents.ts";

/** Copies of the first agent, each attested, scored and active. */
const MANY = 20_000;
/** The most rows that a query may read and skip: revoked agents, older scores. */
const MOST_LEFT_OUT = 200;
/** The most 8 kB pages of a query, several per row of its answer. */
const MOST_PAGES = 120;

const read = [agentsProjection, activityProjection, trustProjection];
let service: Service;
let api: ReturnType<typeof caller>;

beforeAll(async () => {
  service = await startService({ env: PROXIED, chain: "embedded" });
  const agency = agencyOf(service.app);
  api = caller(service.url);
  for (const n of [1, 2]) await agency.register(n);
  await agency.prove(1);
  await agency.seed(2, 40);
  await agency.attest(2, 1);
  // A tick before the read model has caught up leaves the scores to the next.
  await until(async () => {
    await agency.compute(Date.now());
    return (await agency.scores())[2] !== undefined;
  });
  const { position: newest } = await service.app.store.head();
  const { runner } = service.app;
  await Promise.all(read.map((projection) => runner.reached(projection, newest, LIMIT_MS)));
  await multiply();
  await api.get("/soul/stats");
});
afterAll(() => service.stop());

/** Copies the first agent's rows of the read models. */
async function multiply(): Promise<void> {
  const others = `generate_series(3, ${MANY}) n`;
  for (const sql of [
    `insert into read.agents_v2 select n, 'many-' || n, 'many-' || n, status, registered_at, position, changed_position,
       state || jsonb_build_object('api_key_id', md5(n::text)) from read.agents_v2, ${others} where sx_number = 2`,
    `insert into read.agent_keys_v2 select 'kid-' || n, n, kind, '0x' || md5(n::text) || '00000000', live, proven_at, revoked_at
       from read.agent_keys_v2, ${others} where sx_number = 1`,
    `insert into read.agent_activity_v1 select 'key:' || md5(n::text), day, 'soul_trust', array_fill(1, array[24]), 1
       from ${others}, generate_series(current_date - 100, current_date, '20 days') day`,
    `insert into read.trust_agents_v3 select 'many-' || n, n from ${others}`,
    `insert into read.trust_wallets_v3 select '0x' || md5(n::text) || '00000000', n, n + 1000000, null from ${others}`,
    `insert into read.trust_payments_v3 select 'many-' || n, '0x' || md5(n::text) || '00000000', 'tenant-' || n % 100, n, 1000,
       true, true, false, n, md5(n::text), 0 from ${others}`,
    `insert into read.trust_tasks_v3 select 'many-' || n, 'tenant-' || n % 100, '{}', n, 1000, 1000, 0, n, false, false from ${others}`,
    `insert into read.trust_delegations_v3 select 'many-' || n, n, n % 1000 + 1, '2099-01-01', null from ${others}`,
    `insert into read.trust_edges_v3 select 'attestation-' || n, n, n % 1000 + 1, 'many', 1000000, null, event_id, day, made_at,
       valid_from, null from read.trust_edges_v3, ${others}`,
    `insert into read.trust_evidence_v3 select n, kind, 1000, md5(n::text), day, position, null, valid_from, null
       from (select 'spend' as kind, day, as_of_position as position, as_of_position as valid_from from read.trust_computed_v3 limit 1) e, ${others}`,
    `insert into read.trust_silence_v3 select n, n, null from ${others} where n % 10 = 0`,
    `insert into read.trust_scores_v3 select day, n, score, before, base, attested, penalty from read.trust_scores_v3, ${others} where sx = 2`,
    `insert into read.trust_ranks_v3 select n, 1 + n % 5000, valid_from, null from read.trust_ranks_v3, ${others} where sx = 2 and n % 2 = 0`,
    `insert into read.trust_work_v3 select n, day, 1, 0, 1, 0, 1000000 from (select day from read.trust_computed_v3 limit 1) d, ${others}`,
  ])
    await service.app.pool.query(sql);
  await service.app.pool.query("analyze");
  expect([...(await largeTables())].sort()).toEqual([
    "agent_activity_v1",
    "agent_keys_v2",
    "agents_v2",
    "trust_agents_v3",
    "trust_delegations_v3",
    "trust_edges_v3",
    "trust_evidence_v3",
    "trust_payments_v3",
    "trust_ranks_v3",
    "trust_scores_v3",
    "trust_silence_v3",
    "trust_tasks_v3",
    "trust_wallets_v3",
    "trust_work_v3",
  ]);
}

type QueryText = { text: string; values?: unknown[] };

/** Queries of read models while `done` runs, each text once. */
async function askedBy(done: () => Promise<unknown>): Promise<QueryText[]> {
  const spied = vi.spyOn(pg.Client.prototype, "query");
  onTestFinished(() => spied.mockRestore());
  await done();
  const request = spied.mock.calls.map(([first, values]): QueryText => {
    const given = first as unknown;
    return typeof given === "string" ? { text: given, values: values as unknown[] } : (given as QueryText);
  });
  spied.mockRestore();
  const reads = request.filter(({ text }) => /^\s*(?:select|with)\b/i.test(text) && text.includes("read."));
  return [...new Map(reads.map((one) => [one.text, one])).values()];
}

type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Loops": number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Join Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Plan[];
};

/** Tables with a row per agent or more. */
async function largeTables(): Promise<Set<string>> {
  const sql =
    "select relname from pg_class where relnamespace = 'read'::regnamespace and relkind = 'r' and reltuples >= 1000";
  const { rows } = await service.app.pool.query<{ relname: string }>(sql);
  return new Set(rows.map(({ relname }) => relname));
}

/** Faults of a query's plan: full scans of large tables, and too many pages and skipped rows. */
async function wrongWith({ text, values }: QueryText): Promise<string[]> {
  const large = await largeTables();
  const explain = "explain (analyze, buffers, timing off, format json)";
  const { rows } = await service.app.pool.query(`${explain} ${text}`, values);
  const root: Plan = rows[0]["QUERY PLAN"][0].Plan;
  const look = (plan: Plan): string[] => {
    const table = plan["Relation Name"];
    const removed = (["Filter", "Join Filter", "Index Recheck"] as const).map(
      (by) => plan[`Rows Removed by ${by}`],
    );
    const left_out = plan["Actual Loops"] * removed.reduce<number>((sum, rows = 0) => sum + rows, 0);
    return [
      ...(plan["Node Type"] === "Seq Scan" && table && large.has(table) ? [`reads all of ${table}`] : []),
      ...(left_out > MOST_LEFT_OUT ? [`leaves out ${left_out} rows of ${table ?? plan["Node Type"]}`] : []),
      ...(plan.Plans ?? []).flatMap(look),
    ];
  };
  const pages = root["Shared Hit Blocks"] + root["Shared Read Blocks"];
  const wrong = [...look(root), ...(pages > MOST_PAGES ? [`reads ${pages} pages`] : [])];
  return wrong.map((one) => `${one}: ${text}`);
}

const position = async () =>
  (await service.app.pool.query("select max(position) as at from read.trust_computed_v3 where kept")).rows[0]
    .at;

const reads: [string, () => Promise<string>][] = [
  ["a score", async () => "/v1/agent/soul/verify/1"],
  ["a score and its factors", async () => "/soul/1/trust"],
  ["a score, explained", async () => "/soul/1/trust?explain=true"],
  ["a score of an earlier position", async () => `/soul/1/trust?as_of_position=${await position()}`],
  ["the directory", async () => "/soul/directory?limit=20"],
  ["a later page of it", async () => `/soul/directory?limit=20&cursor=${await position()}.2500.9000.5000`],
  [
    "the directory behind all scores",
    async () => `/soul/directory?limit=20&cursor=${await position()}.0.15001.15000`,
  ],
  ["the newest agents", async () => "/soul/directory?sort=newest&limit=20"],
  ["a later page of them", async () => "/soul/directory?sort=newest&limit=20&cursor=10000"],
  ["how lively an agent is", async () => "/soul/1/pulse"],
  ["badges", async () => "/soul/badges/1"],
  ["a profile", async () => "/soul/1/profile"],
  ["how many there are, once that was counted", async () => "/soul/stats"],
];

/** Queries of trust's tables during a fold; no other process folds these events. */
const askedByFold = (done: () => Promise<unknown>): Promise<QueryText[]> =>
  askedBy(async () => {
    await done();
    const { position: newest } = await service.app.store.head();
    expect(await service.app.runner.reached(trustProjection, newest, LIMIT_MS)).toBe(true);
  }).then((requests) =>
    requests.filter(({ text }) => /\btrust_(?:wallets|payments|tasks|delegations)_/.test(text)),
  );

test.each(["tenant-7", `wallet:0x${"0".repeat(40)}`, "soul:2"])(
  "the fold of a task of %s uses indexes",
  async (tenant) => {
    const requests = await askedByFold(() => agencyOf(service.app).task(1, tenant, "paid"));
    expect(requests.some(({ text }) => text.includes("leased_at"))).toBe(true);
    expect((await Promise.all(requests.map(wrongWith))).flat()).toEqual([]);
  },
);

/** Faults of a read's queries. */
async function wrongWhere(path: string): Promise<string[]> {
  const all = await askedBy(async () => expect(await api.get(path)).toMatchObject({ status: 200 }));
  // The runner stores its checkpoints meanwhile.
  const requests = all.filter(({ text }) => !text.includes("update read.checkpoints"));
  expect(requests.length).toBeGreaterThan(0);
  return (await Promise.all(requests.map(wrongWith))).flat();
}

test.each(reads)("reading %s uses indexes", async (_, path) =>
  expect(await wrongWhere(await path())).toEqual([]),
);

test.each([
  ["trust_edges_v3_to", "/soul/1/trust"],
  ["trust_ranks_v3_order", "/soul/directory?limit=21"],
  ["trust_evidence_v3_sx", "/soul/1/trust?explain=true"],
])("without %s the queries of %s have a slow plan", async (index, path) => {
  const { pool } = service.app;
  const { rows } = await pool.query("select pg_get_indexdef(('read.' || $1)::regclass) as made_by", [index]);
  await pool.query(`drop index read.${index}`);
  onTestFinished(async () => void (await pool.query(rows[0].made_by)));
  expect(await wrongWhere(path)).not.toEqual([]);
});
