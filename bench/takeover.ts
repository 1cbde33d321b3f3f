/**
 * Claim: a killed process's work is taken over within six seconds: each lease of its reactors and read models.
 *
 *     npx tsx bench/takeover.ts [--rounds 10]
 *
 * One process has all leases; a second one is started, the first gets kill -9, and the database is polled until
 * each lease has another token. Then the second has all of them, and is killed next.
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { database, withDatabase } from "./load.ts";
import { type Environment, median, startServiceProcess, untilAtRest } from "./service-process.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "10" } } });

await withDatabase(async (bare) => {
  const env: Environment = { ...bare, SUBJECT_KEYS_URL: await database(bare.DATABASE_URL!, "vault") };
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  /** The tokens of current leases. */
  const held = async () => {
    const { rows } = await client.query<{ name: string; token: string }>(
      `select 'reactor ' || reactor as name, token from reactors.leases where held_until > clock_timestamp()
       union all select 'read model ' || projection, token from read.checkpoints where held_until > clock_timestamp()`,
    );
    return new Map(rows.map(({ name, token }) => [name, token]));
  };
  let first = await startServiceProcess(env);
  await untilAtRest(first);
  const took: number[] = [];
  let leases = 0;
  for (let round = 0; round < Number(values.rounds); round++) {
    const next = await startServiceProcess(env);
    await untilAtRest(next);
    const before = await held();
    leases = before.size;
    process.kill(first.pid, "SIGKILL");
    const killed = performance.now();
    for (let isOver = false; !isOver; ) {
      await pause(25);
      const now = await held();
      isOver = [...before].every(([name, token]) => now.has(name) && now.get(name) !== token);
    }
    took.push(performance.now() - killed);
    console.log(`round ${round + 1}: ${leases} leases had moved after ${Math.round(took.at(-1)!)} ms`);
    first = next;
  }
  console.log(`median ${Math.round(median(took))} ms, at most ${Math.round(Math.max(...took))}`);
  await first.stop();
  await client.end();
});
