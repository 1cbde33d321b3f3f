/**
 * Duration of rebuilding the scores' read model from the log, and the scores: attestations between agents, one in
 * ten with a seed. Targets for a million between 100,000: 60 seconds for the read model, and one for a computation.
 *
 *     npx tsx bench/trust-rebuild.ts [--attestations 1000000] [--agents 100000]
 *
 * The log is written first, many events per commit; then the read model is emptied, and folded again by a separate
 * process.
 */
import { randomBytes, randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { App } from "../src/core/app.ts";
import { nameOf } from "../src/core/read-models/runner.ts";
import * as agents from "../src/domain/identity/agent.ts";
import * as attestations from "../src/domain/trust/attestation.ts";
import { computeTrust } from "../src/domain/trust/score.ts";
import * as trust from "../src/domain/trust/trust.ts";
import { dayOfTime } from "../src/projections/trust/days.ts";
import { inputAt, movedAt } from "../src/projections/trust/evidence.ts";
import { trustProjection } from "../src/projections/trust/trust.ts";
import { withDatabase, withService } from "./load.ts";

const { values } = parseArgs({
  options: {
    attestations: { type: "string", default: "1000000" },
    agents: { type: "string", default: "100000" },
  },
});
const [many, members] = [Number(values.attestations), Number(values.agents)];

const meta = { actor: "bench", operation: "bench" };
/** Events of one commit. */
const BATCH = 500;
/** One in ten agents has initial trust. */
const SEEDED = 10;

type Staging = Parameters<Parameters<App["commit"]>[0]>[0];

/** Makes attestations, many per commit. */
async function say(app: App, count: number, each: (staging: Staging, n: number) => Promise<unknown>) {
  for (let from = 0; from < count; from += BATCH)
    await app.commit(
      async (staging) => {
        for (let n = from; n < Math.min(from + BATCH, count); n++) await each(staging, n);
      },
      { meta },
    );
}

async function fill(app: App): Promise<void> {
  const now = app.clock.now().toISOString();
  const hash = "0".repeat(64);
  await say(app, members, ({ decide }, n) => {
    const agent_id = `agent-${n}`;
    const facts = { agent_id, sx_number: n + 1, display_name: null, passport_hash: hash, registered_at: now };
    return decide(agents, agents.targetOf(agent_id), agents.register(facts));
  });
  await say(app, Math.floor(members / SEEDED), ({ decide }, n) => {
    const seed = { sx_number: 1 + n * SEEDED, points_micro: randomInt(1, 100_000_001), reason: "bench" };
    return decide(trust, trust.target, trust.seed({ ...seed, seeded_at: now }));
  });
  await say(app, many, ({ decide }) => {
    const attestation_id = randomBytes(16).toString("hex");
    const facts: attestations.AttestationFacts = {
      ...{ attestation_id, from: 1 + randomInt(members), to: 1 + randomInt(members), skill: "honesty" },
      ...{ weight_micro: 100 * (1 + randomInt(100_000)), evidence: null, payment_id: null },
      ...{ recipient: null, offchain_uid: null, made_at: now },
    };
    return decide(attestations, attestations.targetOf(facts.attestation_id), attestations.make(facts));
  });
}

const seconds = (since: number) => Number(((performance.now() - since) / 1_000).toFixed(2));

/** Waits until the read model is at the log's end. */
async function folded({ runner, store }: App): Promise<void> {
  const { position } = await store.head();
  while (!(await runner.reached(trustProjection, position, 1_000))) await pause(50);
}

async function empty({ pool }: App): Promise<void> {
  const { rows } = await pool.query<{ names: string }>(
    `select string_agg('read.' || tablename, ', ') as names from pg_tables
      where schemaname = 'read' and tablename ~ $1 and tablename <> 'trust_on_chain_v1'`,
    [`^trust_.*_v${trustProjection.version}$`],
  );
  await pool.query(`truncate ${rows[0]!.names}`);
  await pool.query("update read.checkpoints set position = 0 where projection = $1", [
    nameOf(trustProjection),
  ]);
}

await withDatabase(async (env) => {
  await withService(env, async (app) => {
    const began = performance.now();
    await fill(app);
    await folded(app);
    console.log(`${many} attestations of ${members} agents, said and folded in ${seconds(began)} s`);
    await empty(app);
  });
  await withService(env, async (app) => {
    const began = performance.now();
    await folded(app);
    const rebuilt = seconds(began);
    const position = await movedAt(app.pool);
    const day = dayOfTime(app.clock.now());
    const started = performance.now();
    const input = await inputAt(app.pool, position, day);
    const read = seconds(started);
    const computing = performance.now();
    const { rounds } = computeTrust(input);
    console.table({ rebuilt_s: rebuilt, read_s: read, computed_s: seconds(computing), rounds });
  });
});
