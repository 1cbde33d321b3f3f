/**
 * Dated snapshots over HTTP: the right vintage for a day, a link that covers only what it was signed for, and the
 * file's content.
 */

import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/adapters/system.ts";
import { LINK_SECONDS } from "../../src/domain/replay/snapshot-link.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { buy, settlementOf } from "../support/buyer.ts";
import { replace } from "../support/replace.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";

type Answer = {
  data: {
    url: string;
    expires_at: string;
    vintage: string;
    valid_from: string;
    valid_to: string | null;
    rows: number;
    bytes: number;
    sha256: string;
    columns: { name: string; type: string }[];
    control_totals: Record<string, number>;
  };
  errors?: { path: string }[];
  detail?: string;
};

const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
const dayOf = (time: Date) => time.toISOString().slice(0, 10);

let workshop: Workshop;
let service: Service & { database_url: string };
let headers: Record<string, string>;
/** The vintage of ten to three days ago, and the one since. */
let older: Answer["data"];
let newer: Answer["data"];

const post = (body: object): RequestInit => ({
  method: "POST",
  headers: { ...headers, "Content-Type": "application/json" },
  body: JSON.stringify(body),
});
/** Sets the service's clock. */
async function at<T>(time: Date, work: () => Promise<T>): Promise<T> {
  replace(service.app, { clock: { now: () => time } });
  return work().finally(() => {
    replace(service.app, { clock: systemClock });
  });
}
const path = () => `${service.url}/v1/agent/replay/eu-trade-snapshot`;
const ask = async (body: object) => {
  const answer = await fetch(path(), post(body));
  return { status: answer.status, ...((await answer.json()) as Answer) };
};

beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({ chain });
  headers = (await service.issue()).headers;
  await at(daysAgo(10), () => openSandbox(service));
  await at(daysAgo(3), () => openSandbox(service, 0.1));
  older = (await ask({ date: dayOf(daysAgo(5)) })).data;
  newer = (await ask({})).data;
});
afterAll(async () => {
  if (service) await expectBooks(service.app);
  await service?.stop();
  await workshop?.close();
});

describe("the vintage", () => {
  test("is the one that was valid at the end of the day", async () => {
    expect(older.vintage).not.toBe(newer.vintage);
    expect(service.app.data.vintages.open().map(({ vintage }) => vintage)).toEqual([newer.vintage]);
    expect(older).toMatchObject({ dataset: "sandbox", synthetic: true, valid_to: newer.valid_from });
    expect(newer.valid_to).toBeNull();
    for (const [days, expected] of [
      [10, older],
      [4, older],
      [3, newer],
      [0, newer],
    ] as const)
      expect((await ask({ date: dayOf(daysAgo(days)) })).data.vintage).toBe(expected.vintage);
  });

  test("of a day before the first release is 404, which names the first day available", async () => {
    const { status, detail } = await ask({ date: dayOf(daysAgo(11)), dataset: "sandbox" });
    expect([status, detail]).toEqual([404, expect.stringContaining(`first day is ${dayOf(daysAgo(10))}`)]);
  });

  test("of a day past the retention is 404 too, though the vintage still exists", async () => {
    await at(daysAgo(-190), async () => {
      const first = dayOf(daysAgo(-10));
      expect((await ask({ date: first })).data.vintage).toBe(newer.vintage);
      const { status, detail } = await ask({ date: dayOf(daysAgo(-9)) });
      expect([status, detail]).toEqual([404, expect.stringContaining(`first day is ${first}`)]);
    });
  });

  test.each([
    [{ date: dayOf(daysAgo(-2)) }, "date"],
    [{ date: "2026-02-30" }, "date"],
    [{ dataset: "no-such" }, "dataset"],
  ])("%j is 400", async (body, field) => {
    const { status, errors } = await ask(body);
    expect([status, errors?.[0]?.path]).toEqual([400, field]);
  });
});

describe("the file", () => {
  test("comes whole, under its digest, with its stated length, to anybody with the link", async () => {
    for (const { url, bytes, sha256 } of [older, newer]) {
      const answer = await fetch(url, { headers: { "Accept-Encoding": "gzip" } });
      const body = Buffer.from(await answer.arrayBuffer());
      expect(answer.status).toBe(200);
      expect(createHash("sha256").update(body).digest("hex")).toBe(sha256);
      expect(body).toHaveLength(bytes);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "content-length": String(bytes),
        "content-type": "application/vnd.apache.parquet",
        "accept-ranges": "bytes",
        etag: `"${sha256}"`,
        "cache-control": expect.stringContaining("private"),
      });
    }
  });

  test("comes in ranges, as headers only, or as a 304 if it is cached", async () => {
    const { url, bytes, sha256 } = newer;
    const get = (more: Record<string, string>, method = "GET") => fetch(url, { method, headers: more });
    const range = await get({ Range: "bytes=0-3" });
    expect([range.status, range.headers.get("content-range")]).toEqual([206, `bytes 0-3/${bytes}`]);
    expect(await range.text()).toBe("PAR1");
    const tail = await get({ Range: "bytes=-4", "If-Range": `"${sha256}"` });
    expect([tail.status, await tail.text()]).toEqual([206, "PAR1"]);
    const stale = await get({ Range: "bytes=0-3", "If-Range": '"else"' });
    expect([stale.status, (await stale.arrayBuffer()).byteLength]).toEqual([200, bytes]);
    const head = await get({}, "HEAD");
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
      200,
      `${bytes}`,
      "",
    ]);
    expect((await get({ "If-None-Match": `"${sha256}"` })).status).toBe(304);
    const first = await get({ Range: "bytes=0-3" }, "HEAD");
    expect([first.status, first.headers.get("content-length")]).toEqual([200, `${bytes}`]);
    const all = await get({ Range: `bytes=-${2 * bytes}` });
    expect([all.status, (await all.arrayBuffer()).byteLength]).toEqual([206, bytes]);
    const several = await get({ Range: "bytes=-4, 0-3" });
    const [, boundary] = /^multipart\/byteranges; boundary=(.+)$/.exec(several.headers.get("content-type")!)!;
    const parts = (await several.text()).split(`--${boundary}`);
    expect([several.status, parts.length, parts.at(-1)]).toEqual([206, 4, "--\r\n"]);
    expect(parts.slice(1, 3)).toEqual(
      [`0-3`, `${bytes - 4}-${bytes - 1}`].map((range) =>
        expect.stringMatching(new RegExp(`Content-Range: bytes ${range}/${bytes}\r\n\r\nPAR1\r\n$`)),
      ),
    );
    for (const condition of [`W/"${sha256}"`, `"else", "${sha256}"`, new Date(0).toUTCString()]) {
      const again = await get({ Range: "bytes=0-3", "If-Range": condition });
      expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([200, bytes]);
    }
    const dated = await get({ Range: "bytes=0-3", "If-Unmodified-Since": new Date(0).toUTCString() });
    expect(dated.status).toBe(206);
    expect((await get({ "If-Match": `W/"${sha256}"` })).status).toBe(412);
    const beyond = await get({ Range: `bytes=${bytes}-` });
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${bytes}`]);
    expect(await beyond.json()).toMatchObject({ type: expect.stringMatching(/range-not-satisfiable$/) });
    const other = await get({ "If-Match": '"else"' });
    expect([other.status, other.headers.get("etag")]).toEqual([412, null]);
  });

  test("has the rows of the vintage: their sums are its control totals", async () => {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const rowsOf = async <Row>(sql: string) =>
      (await connection.runAndReadAll(sql)).getRowObjectsJS() as Row[];
    for (const result of [older, newer]) {
      const at = join(service.data_dir, `${result.vintage.slice(0, 8)}.parquet`);
      await writeFile(at, Buffer.from(await (await fetch(result.url)).arrayBuffer()));
      const [count] = await rowsOf<{ n: number }>(`select count(*)::integer as n from '${at}'`);
      expect(count!.n).toBe(result.rows);
      const [totals] = await rowsOf<Record<string, number>>(
        `with products as (
           select reporter, product, flow, period,
             coalesce(sum(value_eur) filter (partner = 'WORLD'), sum(value_eur) filter (not is_aggregate)) as eur,
             if(count(*) filter (partner = 'WORLD') > 0, sum(quantity_kg) filter (partner = 'WORLD'),
               sum(quantity_kg) filter (not is_aggregate)) as kg
           from '${at}' group by all)
         select sum(eur) filter (flow = 'IMPORT')::double as import_eur,
           sum(eur) filter (flow = 'EXPORT')::double as export_eur,
           sum(kg) filter (flow = 'IMPORT')::double as import_kg,
           sum(kg) filter (flow = 'EXPORT')::double as export_kg from products`,
      );
      expect(totals).toEqual(result.control_totals);
      const schema = await rowsOf<{ column_name: string }>(`describe from '${at}'`);
      expect(schema.map(({ column_name }) => column_name)).toEqual(result.columns.map(({ name }) => name));
      const facts = await rowsOf<{ key: string; value: string }>(
        `select decode(key) as key, decode(value) as value from parquet_kv_metadata('${at}')`,
      );
      expect(Object.fromEntries(facts.map(({ key, value }) => [key, value]))).toEqual({
        dataset: "sandbox",
        vintage: result.vintage,
        source: expect.any(String),
        synthetic: "true",
        released_at: result.valid_from,
      });
    }
  });
});

describe("the link", () => {
  const bent = (change: (url: URL) => void) => {
    const url = new URL(newer.url);
    change(url);
    return fetch(url);
  };
  const flipped = (hex: string) => (hex.startsWith("0") ? "1" : "0") + hex.slice(1);

  test.each<[string, (url: URL) => void]>([
    [
      "another signature",
      (url) => url.searchParams.set("signature", flipped(url.searchParams.get("signature")!)),
    ],
    [
      "another time",
      (url) => url.searchParams.set("expires", String(Number(url.searchParams.get("expires")) + 1)),
    ],
    ["another vintage", (url) => (url.pathname = url.pathname.replace(newer.vintage, older.vintage))],
    ["no vintage of ours", (url) => (url.pathname = url.pathname.replace(newer.vintage, "ab".repeat(32)))],
  ])("with %s is refused", async (_, change) => {
    const answer = await bent(change);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({
      detail: expect.stringMatching(/the service did not sign this link/),
    });
  });

  test("is valid up to the second that it names, and then answers 410", async () => {
    const expires = Number(new URL(newer.url).searchParams.get("expires"));
    expect(newer.expires_at).toBe(new Date(expires * 1000).toISOString());
    expect(expires * 1000 - Date.now()).toBeLessThanOrEqual(LINK_SECONDS * 1000);
    const whole = () => bent(() => {});
    expect((await at(new Date(expires * 1000 - 1), whole)).status).toBe(200);
    const gone = await at(new Date(expires * 1000), whole);
    expect(gone.status).toBe(410);
    expect(await gone.json()).toMatchObject({ type: expect.stringMatching(/#link-expired$/) });
  });

  test("is valid at another process of the service, and at no other service", async () => {
    const there = (url: string) => newer.url.replace(service.url, url);
    const beside = await startService({ beside: service });
    expect((await fetch(there(beside.url), { method: "HEAD" })).status).toBe(200);
    await beside.stop();
    const stranger = await startService();
    expect((await fetch(there(stranger.url))).status).toBe(403);
    await stranger.stop();
  });
});

test("a wallet pays 1.50 for a snapshot, and nothing for a refusal", async () => {
  const { "Content-Type": type } = post({}).headers as Record<string, string>;
  const order = (body: object) => ({ ...post(body), headers: { "Content-Type": type! } });
  const { answer, payment } = await buy(wallet(0), path(), order({ date: dayOf(daysAgo(5)) }));
  expect([answer.status, payment.authorization.value]).toEqual([200, "1500000"]);
  expect(settlementOf(answer).success).toBe(true);
  const { data } = (await answer.json()) as Answer;
  expect([data.sha256, (await fetch(data.url, { method: "HEAD" })).status]).toEqual([older.sha256, 200]);
  const refused = await buy(wallet(0), path(), order({ date: dayOf(daysAgo(30)) }));
  expect(refused.answer.status).toBe(404);
});
