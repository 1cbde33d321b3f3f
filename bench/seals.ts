import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyMigrations, migrating } from "../eventstore/migrations.ts";
import { openPool } from "../eventstore/pool.ts";
import { embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import { masterKeyId, openValue, sealValue } from "../src/adapters/subject-keys.ts";
import { createSubjectVault } from "../src/adapters/subject-vault.ts";
import { mailSubject } from "../src/core/model/sealed.ts";
import { vaultTables } from "../src/migrations/vault/vault-tables.ts";

/**
 * Values of some 150 bytes sealed and opened per second: by the cipher alone on one core, and through the vault,
 * one at a time and by pages of a hundred subjects, among 100,000. Also the duration of an erasure there, vacuum
 * included.
 *
 *     npx tsx bench/seals.ts [seconds per round]
 */
const SUBJECTS = 100_000;
const PAGE = 100;
const seconds = Number(process.argv[2] ?? 2);

const origin = "bench.local/1/00";
const place = { tenant: "acme", stream_id: "order-1", type: "OrderPlaced" };
const value = {
  name: "Anna Liepina",
  mail: "anna.liepina@example.org",
  phone: "+371 20000000",
  address: "Brivibas iela 71-3, Riga, LV-1011",
};
const toSeal = (n: number) => ({ subject: mailSubject("acme", `customer-${n}@example.org`), place, value });

/** Values per second of `turn`, which returns how many it did. */
async function rate(turn: () => number | Promise<number>): Promise<number> {
  let done = 0;
  const begun = performance.now();
  while (performance.now() - begun < seconds * 1_000) done += await turn();
  return Math.round((done * 1_000) / (performance.now() - begun));
}

const dir = await mkdtemp(join(tmpdir(), "tallystick-seals-"));
await chmod(dir, 0o755);
const server = await embeddedPostgres({ dir: join(dir, "postgres") });
const pool = openPool(server.ownerUrl, { max: 8 });
try {
  await migrating(pool, (client) => applyMigrations(client, vaultTables));
  const master = randomBytes(32);
  await pool.query("insert into subject_keys.master_keys values ($1)", [masterKeyId(master)]);
  const vault = createSubjectVault({
    pool,
    origin,
    pepper: randomBytes(32),
    masters: { current: master },
    backup_days: 30,
  });
  const made = performance.now();
  for (let n = 0; n < SUBJECTS; n += 1_000)
    await vault.seal(Array.from({ length: 1_000 }, (_, i) => toSeal(n + i)));
  console.log(
    `new subjects, by pages of 1,000: ${Math.round(SUBJECTS / ((performance.now() - made) / 1_000))} a second`,
  );

  const key = randomBytes(32);
  const subject_id = "0".repeat(32);
  const one = sealValue({ origin, place }, { subject_id, key }, value);
  const many = (work: () => unknown) => () => {
    for (let i = 0; i < 100; i++) work();
    return 100;
  };
  console.log(
    `cipher alone, sealed: ${await rate(many(() => sealValue({ origin, place }, { subject_id, key }, value)))} a second`,
  );
  console.log(
    `cipher alone, opened: ${await rate(many(() => openValue({ origin, place }, key, one)))} a second`,
  );

  const random = () => Math.floor(Math.random() * SUBJECTS);
  const pageOf = (length: number) => Array.from({ length }, () => toSeal(random()));
  for (const length of [1, PAGE]) {
    const sealedPage = (await vault.seal(pageOf(length))).map((sealed) => ({ sealed, place }));
    console.log(
      `${length} a question, sealed: ${await rate(async () => (await vault.seal(pageOf(length))).length)} a second`,
    );
    console.log(
      `${length} a question, opened: ${await rate(async () => (await vault.open(sealedPage)).length)} a second`,
    );
  }
  const id = (await vault.find(toSeal(7).subject))!;
  const erasing = performance.now();
  await vault.erase([id]);
  console.log(
    `an erasure among ${SUBJECTS} subjects, vacuumed: ${Math.round(performance.now() - erasing)} ms`,
  );
} finally {
  await pool.end();
  await server.leave();
  await rm(dir, { recursive: true, force: true });
}
