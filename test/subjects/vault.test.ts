/** The vault by itself, on a database of its own. */
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyMigrations, migrating } from "../../eventstore/migrations.ts";
import { openPool } from "../../eventstore/pool.ts";
import { masterKeyId } from "../../src/adapters/subject-keys.ts";
import { createSubjectVault } from "../../src/adapters/subject-vault.ts";
import { SealBroken, type SealRequest, SubjectsUnavailable } from "../../src/core/model/ports/subjects.ts";
import { mailSubject, sealed } from "../../src/core/model/sealed.ts";
import { vaultTables } from "../../src/migrations/vault/vault-tables.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";

const ORIGIN = "log.test/1/00ff";
const PEPPER = Buffer.alloc(32, 1);
const MASTER = Buffer.alloc(32, 2);

let database: FreshDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await freshDatabase();
  await migrating(database.url, (client) => applyMigrations(client, vaultTables));
  pool = openPool(database.url, { max: 8 });
  await pool.query("insert into subject_keys.master_keys values ($1)", [masterKeyId(MASTER)]);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const vaultOf = (other: Partial<Parameters<typeof createSubjectVault>[0]> = {}) =>
  createSubjectVault({
    pool,
    origin: ORIGIN,
    pepper: PEPPER,
    masters: { current: MASTER },
    backup_days: 30,
    ...other,
  });

const place = { tenant: "acme", stream_id: "order-1", type: "OrderPlaced" };
const to = (mail: string, tenant = "acme"): SealRequest => ({
  subject: mailSubject(tenant, mail),
  place,
  value: { name: "Anna", mail },
});

/** The queries to a pool while the work runs. */
async function questions(work: () => Promise<unknown>): Promise<number> {
  let requests = 0;
  const { query } = pool;
  pool.query = ((...args: Parameters<typeof query>) => {
    requests++;
    return query.apply(pool, args);
  }) as typeof query;
  try {
    await work();
  } finally {
    pool.query = query;
  }
  return requests;
}

describe("a sealed value", () => {
  test("opens where it was sealed for, and has the form of events", async () => {
    const vault = vaultOf();
    const [made] = await vault.seal([to("anna@example.org")]);
    expect(sealed.parse(made)).toEqual(made);
    expect(await vault.open([{ sealed: made!, place }])).toEqual([
      { erased: false, subject_id: made!.subject_id, value: { name: "Anna", mail: "anna@example.org" } },
    ]);
  });

  test.each([
    ["stream", { ...place, stream_id: "order-2" }],
    ["tenant", { ...place, tenant: "globex" }],
    ["type", { ...place, type: "OrderPaid" }],
    ["split", { ...place, tenant: "acmeo", stream_id: "rder-1" }],
  ])("does not open in another %s", async (_, elsewhere) => {
    const vault = vaultOf();
    const [made] = await vault.seal([to("anna@example.org")]);
    await expect(vault.open([{ sealed: made!, place: elsewhere }])).rejects.toThrow(SealBroken);
  });

  test("does not open in another log", async () => {
    const [made] = await vaultOf().seal([to("anna@example.org")]);
    const other = vaultOf({ origin: "log.test/1/00fe" });
    await expect(other.open([{ sealed: made!, place }])).rejects.toThrow(SealBroken);
  });

  test("does not open when any of its parts is another's, or a bit of it changed", async () => {
    const vault = vaultOf();
    const [one, other, stranger] = await vault.seal([
      to("anna@example.org"),
      to("anna@example.org"),
      to("berta@example.org"),
    ]);
    for (const member of ["seal_id", "iv", "ct", "tag"] as const)
      await expect(
        vault.open([{ sealed: { ...one!, [member]: other![member] }, place }]),
        member,
      ).rejects.toThrow(SealBroken);
    const { subject_id } = stranger!;
    await expect(vault.open([{ sealed: { ...one!, subject_id }, place }])).rejects.toThrow(SealBroken);
    const ct = Buffer.from(one!.ct, "base64url");
    ct[0]! ^= 1;
    const flipped = { ...one!, ct: ct.toString("base64url") };
    await expect(vault.open([{ sealed: flipped, place }])).rejects.toThrow(SealBroken);
  });

  test("reveals by its length only one of a few sizes", async () => {
    const [short, long] = await vaultOf().seal([to("a@b.c"), to("anna.liepina@example.org")]);
    expect(short!.ct).toHaveLength(long!.ct.length);
  });

  test("is refused where it would exceed an event's limit", async () => {
    const large = { ...to("anna@example.org"), value: { notes: "x".repeat(70_000) } };
    await expect(vaultOf().seal([large])).rejects.toThrow("at most 65536 bytes");
  });
});

describe("a subject", () => {
  test("is the same for any spelling of its mail, and another one for another tenant", async () => {
    const vault = vaultOf();
    const [one, same, other] = await vault.seal([
      to("Karl@Example.org"),
      to(" karl@example.ORG "),
      to("karl@example.org", "globex"),
    ]);
    expect(same!.subject_id).toBe(one!.subject_id);
    expect(other!.subject_id).not.toBe(one!.subject_id);
    expect(await vault.find(mailSubject("acme", "karl@example.org"))).toBe(one!.subject_id);
    expect(await vault.find(mailSubject("globex", "karl@example.org"))).toBe(other!.subject_id);
    expect(await vault.find(mailSubject("initech", "karl@example.org"))).toBeUndefined();
  });

  test("is created once by concurrent first writes", async () => {
    const vaults = Array.from({ length: 8 }, () => vaultOf());
    const names = Array.from({ length: 20 }, (_, i) => `race-${i}@example.org`);
    const made = await Promise.all(
      vaults.map((vault, turn) =>
        vault.seal((turn % 2 === 0 ? names : [...names].reverse()).map((name) => to(name))),
      ),
    );
    expect(new Set(made.flat().map(({ subject_id }) => subject_id)).size).toBe(names.length);
  });

  test("is in no table of the vault by name, plain or hashed without the pepper", async () => {
    await vaultOf().seal([to("hidden@example.org")]);
    const { rows } = await pool.query("select * from subject_keys.subjects");
    const text = JSON.stringify(rows.map((row) => Object.values(row).map(String)));
    expect(text).not.toContain("hidden");
    expect(
      await vaultOf({ pepper: Buffer.alloc(32, 9) }).find(mailSubject("acme", "hidden@example.org")),
    ).toBe(undefined);
  });
});

describe("a page of a hundred subjects", () => {
  const page = Array.from({ length: 100 }, (_, i) => to(`page-${i}@example.org`));

  test("is sealed by one query, two where they are new, and opened by one", async () => {
    const vault = vaultOf();
    expect(await questions(() => vault.seal(page))).toBe(2);
    let made: Awaited<ReturnType<typeof vault.seal>> = [];
    expect(
      await questions(async () => {
        made = await vault.seal(page);
      }),
    ).toBe(1);
    const sealedPage = made.map((one) => ({ sealed: one, place }));
    expect(await questions(() => vault.open(sealedPage))).toBe(1);
    expect((await vault.open(sealedPage)).every(({ erased }) => !erased)).toBe(true);
  });
});

describe("a subject declared as new", () => {
  const fresh = (mail: string): SealRequest => ({ ...to(mail), is_new: true });

  test("is created by one query; an existing one stays the same", async () => {
    const vault = vaultOf();
    let made: Awaited<ReturnType<typeof vault.seal>> = [];
    const seal = (...page: SealRequest[]) =>
      questions(async () => {
        made = await vault.seal(page);
      });
    expect(await seal(fresh("dora@example.org"), to("dora@example.org"))).toBe(1);
    const [before] = made;
    expect(new Set(made.map(({ subject_id }) => subject_id)).size).toBe(1);
    expect(await seal(fresh("dora@example.org"))).toBe(2);
    expect(made.map(({ subject_id }) => subject_id)).toEqual([before!.subject_id]);
    expect(await vault.open([{ sealed: made[0]!, place }])).toMatchObject([{ erased: false }]);
  });

  test("is created once by concurrent declarations", async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        vaultOf().seal([n % 2 === 0 ? fresh("emma@example.org") : to("emma@example.org")]),
      ),
    );
    expect(new Set(made.flat().map(({ subject_id }) => subject_id)).size).toBe(1);
  });
});

describe("an erased subject", () => {
  test("opens nothing more in any process, and leaves no row, not even a dead one", async () => {
    const [one, other] = [vaultOf(), vaultOf()];
    const [made, stays] = await one.seal([to("gone@example.org"), to("stays@example.org")]);
    expect(await other.open([{ sealed: made!, place }])).toMatchObject([{ erased: false }]);
    expect(await one.erase([made!.subject_id])).toBe(1);
    expect(await one.erase([made!.subject_id])).toBe(0);
    const page = [made!, stays!].map((value) => ({ sealed: value, place }));
    expect(await other.open(page)).toEqual([
      { erased: true, subject_id: made!.subject_id },
      { erased: false, subject_id: stays!.subject_id, value: { name: "Anna", mail: "stays@example.org" } },
    ]);
    expect(await other.find(mailSubject("acme", "gone@example.org"))).toBeUndefined();
    await pool.query("create extension if not exists pgstattuple");
    const { rows } = await pool.query("select dead_tuple_count from pgstattuple('subject_keys.subjects')");
    expect(rows).toEqual([{ dead_tuple_count: 0 }]);
  });

  test("is a new subject on return", async () => {
    const vault = vaultOf();
    const [before] = await vault.seal([to("back@example.org")]);
    await vault.erase([before!.subject_id]);
    const [after] = await vault.seal([to("back@example.org")]);
    expect(after!.subject_id).not.toBe(before!.subject_id);
    expect(await vault.open([{ sealed: before!, place }])).toMatchObject([{ erased: true }]);
  });
});

describe("the master key", () => {
  test("is changed while the service runs: old and new open, and then the old one is refused", async () => {
    const vault = vaultOf();
    const page = Array.from({ length: 2_100 }, (_, i) => to(`rewrap-${i}@example.org`));
    const made = await vault.seal(page);
    const current = Buffer.alloc(32, 3);
    await pool.query("insert into subject_keys.master_keys values ($1)", [masterKeyId(current)]);
    const both = vaultOf({ masters: { current, older: MASTER } });
    await both.seal([to("meanwhile@example.org")]);
    expect(await both.rewrap()).toBeGreaterThanOrEqual(2_100);
    const ids = await pool.query("select master_key_id from subject_keys.master_keys");
    expect(ids.rows).toEqual([{ master_key_id: masterKeyId(current) }]);
    const alone = vaultOf({ masters: { current } });
    const opened = await alone.open(made.map((one) => ({ sealed: one, place })));
    expect(opened.map((one) => !one.erased && one.value.mail)).toEqual(page.map(({ value }) => value.mail));
    await expect(vault.open([{ sealed: made[0]!, place }])).rejects.toThrow(SubjectsUnavailable);
    await expect(vault.seal([to("late@example.org")])).rejects.toThrow(SubjectsUnavailable);
    // The other tests go on with the first one.
    await pool.query("insert into subject_keys.master_keys values ($1)", [masterKeyId(MASTER)]);
    await vaultOf({ masters: { current: MASTER, older: current } }).rewrap();
  });
});

test("an unavailable vault is reported, and nothing is revealed of anybody", async () => {
  const gone = openPool(database.url.replace(/\/[^/]*$/, "/nowhere"));
  const vault = vaultOf({ pool: gone });
  await expect(vault.seal([to("anna@example.org")])).rejects.toThrow(SubjectsUnavailable);
  await expect(vault.find(mailSubject("acme", "anna@example.org"))).rejects.toThrow(SubjectsUnavailable);
  await gone.end();
});
