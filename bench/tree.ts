/**
 * Claims: a log of a million events is added to its tree in less than 250 MB; a checkpoint's cost depends on the
 * new events, not the log; a proof is one query and some hashing.
 *
 *     npx tsx bench/tree.ts [--events 1000000] [--rounds 3]
 *
 * The contenders alternate over the same events, each round in a separate process; figures are medians over the
 * rounds. The limit is a bare loop of the same hashes over leaves in memory.
 */
import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import pg from "pg";
import { migrate } from "../eventstore/migrate.ts";
import { applyMigrations, migrating } from "../eventstore/migrations.ts";
import { openPool } from "../eventstore/pool.ts";
import { embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import { consistencyFault, inclusionFault } from "../src/anchoring/proofs.ts";
import { type LogTree, openTree } from "../src/anchoring/tile-store.ts";
import { hashesIn } from "../src/anchoring/tiles.ts";
import { serviceTables } from "../src/migrations/service-tables.ts";
import { median } from "./service-process.ts";
import { CONTENDERS, type RoundFigures } from "./tree-contender.ts";

const run = promisify(execFile);

async function inChild(contender: string, events: number, url: string): Promise<RoundFigures> {
  const script = fileURLToPath(new URL("./tree-contender.ts", import.meta.url));
  const args = [...process.execArgv, script, contender, String(events), url];
  const { stdout } = await run(process.execPath, args);
  return JSON.parse(stdout) as RoundFigures;
}

/** Rows of real size after the head; their hashes are no chain, which a tree does not check. */
const fill = (client: pg.Client, events: number) =>
  client.query(
    `insert into eventstore.events
     select 1, head + n, 'acme', 'order', head + n, gen_random_uuid(), 'OrderPlaced', 1, 0,
            convert_to(repeat('x', 200), 'UTF8'), convert_to(repeat('y', 80), 'UTF8'), h, h, h, h, h, null, null, 1
       from generate_series(1, ${events}) n,
            (select coalesce(max(position), 0) as head from eventstore.events) as log,
            lateral sha256(convert_to('1 ' || head + n, 'UTF8')) h`,
  );

async function timed(times: number, work: (n: number) => Promise<unknown> | unknown): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < times; n++) {
    const begun = performance.now();
    await work(n);
    took.push(performance.now() - begun);
  }
  return median(took);
}

async function proofs(tree: LogTree, size: number): Promise<void> {
  const times = 1_000;
  const at = (n: number) => (n * 7_919_993) % size;
  const root = await tree.rootAt(size);
  const indices = Array.from({ length: times }, (_, n) => at(n));
  const inclusions: Buffer[][] = [];
  const consistencies: Buffer[][] = [];
  const roots: Buffer[] = [];
  const leaves: Buffer[] = [];
  const made = {
    "root of any size": await timed(times, async (n) => roots.push(await tree.rootAt(indices[n]!))),
    "inclusion proof": await timed(times, async (n) =>
      inclusions.push(await tree.inclusionProof(indices[n]!, size)),
    ),
    "consistency proof": await timed(times, async (n) =>
      consistencies.push(await tree.consistencyProof(indices[n]!, size)),
    ),
  };
  for (const index of indices) {
    const tile = { level: 0, index: Math.floor(index / 256), width: (index % 256) + 1 };
    leaves.push(hashesIn(await tree.readTile(tile)).at(-1)!);
  }
  const refused = (fault: string | undefined) => {
    if (fault) throw new Error(fault);
  };
  const checked = {
    "checking inclusion": await timed(times, (n) => {
      refused(inclusionFault({ index: indices[n]!, size, leaf: leaves[n]!, root, proof: inclusions[n]! }));
    }),
    "checking consistency": await timed(times, (n) => {
      const claim = { first: indices[n]!, second: size, first_root: roots[n]!, second_root: root };
      refused(consistencyFault({ ...claim, proof: consistencies[n]! }));
    }),
  };
  console.log(`medians of ${times}, one after another`);
  const micros = Object.entries({ ...made, ...checked }).map(([name, ms]) => [
    name,
    { µs: Math.round(ms * 1000) },
  ]);
  console.table(Object.fromEntries(micros));
}

async function main(events: number, rounds: number): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-bench-"));
  await chmod(dir, 0o755);
  const server = await embeddedPostgres({ dir: join(dir, "postgres"), settings: { max_wal_size: "'8GB'" } });
  const client = new pg.Client({ connectionString: server.ownerUrl });
  try {
    await migrate(server.ownerUrl, { host: "bench.example" });
    await client.connect();
    await migrating(server.ownerUrl, (owner) => applyMigrations(owner, serviceTables));
    await fill(client, events);
    await client.query("vacuum analyze eventstore.events");
    const turns = new Map<string, RoundFigures[]>(Object.keys(CONTENDERS).map((name) => [name, []]));
    for (let round = 0; round < rounds; round++)
      for (const [name, made] of turns) {
        await client.query("truncate anchoring.tiles_v1");
        await client.query("checkpoint");
        made.push(await inChild(name, events, server.ownerUrl));
      }
    const found = new Set([...turns.values()].flat().flatMap(({ root }) => root ?? []));
    if (found.size !== 1) throw new Error(`the contenders disagree: ${[...found].join(", ")}`);
    const bare = turns.get("bare loop of the hashes")!;
    console.log(`${events} events, medians of ${rounds} rounds`);
    console.table(
      Object.fromEntries(
        [...turns].map(([name, made]) => [
          name,
          {
            seconds: median(made.map(({ seconds }) => seconds)).toFixed(2),
            "events/s": Math.round(median(made.map(({ seconds }) => events / seconds))),
            "× bare loop": median(made.map(({ seconds }, n) => seconds / bare[n]!.seconds)).toFixed(2),
            "peak MB": Math.round(median(made.map(({ megabytes }) => megabytes))),
          },
        ]),
      ),
    );
    await extend(client, server.ownerUrl, events);
  } finally {
    await client.end();
    await server.leave();
    await rm(dir, { recursive: true, force: true });
  }
}

/** The cost of a thousand further events, on the long log and on an empty tree, and of proofs. */
async function extend(client: pg.Client, url: string, events: number): Promise<void> {
  const pool = openPool(url);
  const tree = openTree(pool, 1);
  await tree.grow();
  let size = events;
  const took: number[] = [];
  for (let n = 0; n < 20; n++) {
    await fill(client, 1_000);
    size += 1_000;
    took.push(
      await timed(1, async () => {
        await tree.grow();
        await tree.rootAt(size);
      }),
    );
  }
  const idle = await timed(50, () => tree.grow());
  console.log(
    `1,000 new events taken up and their root: ${median(took).toFixed(1)} ms; nothing new: ${idle.toFixed(1)} ms`,
  );
  await proofs(tree, size);
  await pool.end();
}

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "3" },
  },
});
await main(Number(values.events), Number(values.rounds));
