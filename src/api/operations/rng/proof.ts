import { z } from "zod";
import { sha256, time } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { chiSquare } from "../../../domain/rng/statistics.ts";
import { examples } from "../../../domain/sandbox/examples.ts";
import { rngProjection } from "../../../projections/rng/rng.ts";
import { countsSince, findRoll, listRolls } from "../../../projections/rng/rolls.ts";
import { findChain, findSeed } from "../../../projections/rng/seeds.ts";
import { json, key, operation, pay, reads } from "../../declare/index.ts";
import { before, nextCursor, pageInput } from "../../declare/page.ts";
import { proofOf, proofShown } from "./draw.ts";
import { rollId, rollShown, seedLocation, shownRoll, spaceOf, tenantMeta } from "./fields.ts";

const verify = operation({
  name: "rng_verify",
  route: "POST /v1/agent/rng/verify",
  effect: reads,
  summary: "The proof of a roll, or of a bet",
  description: `You get the signed messages and their HMACs at once; they give the result. Once the seed is revealed
you get it too, and anybody can recompute the HMACs. Anyone with the roll_id may call. docs/rng.md has a verifier of thirty lines.`,
  again_to: "anybody",
  access: [key("read"), pay("0.001")],
  input: z.object({ roll_id: rollId }),
  output: json(
    z.object({
      data: z.object({
        roll: rollShown,
        tenant: z.string().describe("The roll's owner: part of the messages"),
        proof: proofShown,
        valid: z.boolean().describe("The result matches the proof, and is not void"),
        checkable: z
          .boolean()
          .describe(
            "true: the seed is revealed, so anybody can check the result; false: only the service can",
          ),
        voided_at: time
          .nullable()
          .describe("When it became void, because its seed was lost; then it has no proof"),
        seed: sha256.nullable().describe("The seed, in hex; null until it is revealed"),
        revealed_at: time.nullable(),
        chain_head: sha256.nullable(),
      }),
      meta: z.object({}),
    }),
  ),
  refuses: [404],
  example: { roll_id: examples.roll.shown },
  handle: async ({ input: { roll_id }, app }) => {
    await app.caughtUp(rngProjection);
    const facts = await findRoll(app.pool, roll_id);
    if (!facts) return refuse("not_found", "there is no such roll or bet");
    const [seed, chain] = await Promise.all([
      findSeed(app.pool, facts.seed_hash),
      findChain(app.pool, facts),
    ]);
    return {
      data: {
        roll: shownRoll(facts),
        tenant: facts.tenant,
        ...(seed?.voided_at ? { proof: [], valid: false } : proofOf(app, facts, seed?.revealed?.seed)),
        checkable: Boolean(seed?.revealed),
        voided_at: seed?.voided_at ?? null,
        seed: seed?.revealed?.seed ?? null,
        revealed_at: seed?.revealed?.revealed_at ?? null,
        chain_head: chain?.head_hash ?? null,
      },
      meta: {},
    };
  },
});

const history = operation({
  name: "rng_history",
  route: "GET /v1/agent/rng/history",
  summary: "Your rolls, newest first",
  description:
    "With `roll_id` only that roll, if it is yours. Bets of the lounge are included. A page of long rolls may have fewer than `limit`.",
  access: [key("read"), pay("0.005")],
  lists: rngProjection,
  input: z.object({
    roll_id: rollId.optional(),
    ...pageInput,
  }),
  output: json(
    z.object({
      data: z.array(rollShown),
      meta: tenantMeta.extend({ count: z.int(), next_cursor: nextCursor }),
    }),
  ),
  example: { limit: 5 },
  handle: async ({ input: { roll_id, limit, cursor }, caller: { tenant }, app }) => {
    if (roll_id !== undefined) {
      const found = await findRoll(app.pool, roll_id);
      const own = found?.tenant === tenant ? [shownRoll(found)] : [];
      return { data: own, meta: { tenant, count: own.length, next_cursor: null } };
    }
    const { rolls, more } = await listRolls(app.pool, { tenant, before: before(cursor), limit });
    return {
      data: rolls.map(({ facts }) => shownRoll(facts)),
      meta: { tenant, count: rolls.length, next_cursor: more ? String(rolls.at(-1)!.position) : null },
    };
  },
});

const stats = operation({
  name: "rng_stats",
  route: "GET /v1/agent/rng/stats",
  summary: "Test all callers' rolls for uniformity",
  description: `For each game the number of rolls, and Pearson's chi-square test: the first number of each roll is counted in ten equal cells.
Look closer at a p-value below 0.001. Too few rolls give no p-value.`,
  access: [key("read"), pay("0.001")],
  lists: rngProjection,
  input: z.object({
    days: z
      .int("days is a whole number")
      .min(1, "days is at least 1")
      .max(365, "days is at most 365")
      .default(30)
      .describe("UTC days to look back, today included"),
  }),
  output: json(
    z.object({
      data: z.array(
        z.object({
          game_type: z.string(),
          rolls: z.int(),
          cells: z
            .array(z.object({ observed: z.int(), expected: z.number() }))
            .describe("The ten cells: rolls observed and expected in each"),
          chi_square: z
            .object({ statistic: z.number(), df: z.int(), p: z.number() })
            .nullable()
            .describe("null: too few rolls"),
        }),
      ),
      meta: z.object({ ...{ space: seedLocation.space }, since: z.string(), count: z.int() }),
    }),
  ),
  example: { days: 30 },
  handle: async ({ input: { days }, caller, app }) => {
    const since = new Date(app.clock.now().getTime() - (days - 1) * 86_400_000).toISOString().slice(0, 10);
    const space = spaceOf(caller);
    const counts = await countsSince(app.pool, space, since);
    const data = counts.map(({ game, rolls, cells }) => ({
      game_type: game,
      rolls,
      cells,
      chi_square: chiSquare(cells),
    }));
    return { data, meta: { space, since, count: data.length } };
  },
});

export const rngProofOperations = [verify, history, stats];
