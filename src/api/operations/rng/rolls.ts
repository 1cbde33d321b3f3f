import { createHash } from "node:crypto";
import { z } from "zod";
import { sha256, time } from "../../../core/model/fields.ts";
import { coreProblems } from "../../../core/model/problem.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { readParams } from "../../../domain/games/drawn.ts";
import { type GameName, gameNames } from "../../../domain/games/games.ts";
import { rngProblems } from "../../../domain/rng/problems.ts";
import type { RollFacts } from "../../../domain/rng/roll.ts";
import * as rolls from "../../../domain/rng/roll.ts";
import * as seeds from "../../../domain/rng/seeds.ts";
import { rngProjection } from "../../../projections/rng/rng.ts";
import { findChain, findSeed, lastRevealed } from "../../../projections/rng/seeds.ts";
import { type Context, json, key, operation, pay } from "../../declare/index.ts";
import { type Drawing, seedAtHand } from "./active-seed.ts";
import { clientSeed } from "./draw.ts";
import { rollShown, seedLocation, shownRoll, spaceOf, tenantMeta } from "./fields.ts";

const gameType = z
  .enum(gameNames, `game_type is one of ${gameNames.join(", ")}`)
  .default("dice")
  .describe("dice, coin, range, float, shuffle or pick");
const params = z
  .record(z.string(), z.unknown(), "params is an object")
  .describe(
    "dice: sides (2-1000, default 6) and count (1-100, default 1). range: min and max, both included. shuffle, pick: items, at most 1000. coin, float: no parameters",
  )
  .optional();
const demandedHash = sha256
  .describe("The seed you expect; if another one is active by then, nothing is rolled (409)")
  .optional();

const seedNow = operation({
  name: "rng_seed",
  route: "GET /v1/agent/rng/seed",
  summary: "The hash of the active seed",
  description: `The seed stays secret until its rolls or time are used up; then it is revealed, and anyone can repeat all its
rolls. Apply SHA-256 \`chain_index\` times to its hash: you get the chain's head, which was committed to Base before its first use.`,
  access: [key("read"), pay("0.001")],
  input: z.object({
    format: z
      .enum(["hex", "base64"], "format is hex or base64")
      .default("hex")
      .describe("The encoding of hashes and seeds"),
  }),
  output: json(
    z.object({
      data: z.object({
        seed_hash: z.string().describe("SHA-256 of the active seed"),
        ...seedLocation,
        chain_head: z.string(),
        committed: z
          .object({
            network: z.string(),
            contract: z.string(),
            signer: z.string(),
            block_number: z.int(),
            committed_at: time,
          })
          .nullable()
          .describe("The head's contract on Base; rng_anchor_verify reads it"),
        activated_at: time,
        rolls: z.int().describe("Rolls and bets on it so far"),
        max_rolls: z.int().describe("Number of rolls after which it is revealed"),
        retires_at: time.describe("The latest time at which it is revealed"),
        revealed_before: z
          .object({
            seed: z.string(),
            seed_hash: z.string(),
            chain: z.int(),
            chain_index: z.int(),
            revealed_at: time,
          })
          .nullable()
          .describe("The previous seed; in a chain it equals the active seed's hash"),
      }),
      meta: tenantMeta,
    }),
  ),
  example: {},
  handle: async ({ input: { format }, caller, app }) => {
    const space = spaceOf(caller);
    const active = seeds.activeSeed(await app.load(seeds, seeds.targetOf(space)));
    await app.caughtUp(rngProjection);
    const { chain, index } = active;
    const [used, found, before] = await Promise.all([
      findSeed(app.pool, active.seed_hash),
      findChain(app.pool, { space, chain }),
      lastRevealed(app.pool, space),
    ]);
    const written = (hex: string) => (format === "hex" ? hex : Buffer.from(hex, "hex").toString("base64"));
    const committed = found?.committed;
    return {
      data: {
        seed_hash: written(active.seed_hash),
        space,
        chain,
        chain_index: index,
        chain_head: written(found?.head_hash ?? active.seed_hash),
        committed: committed
          ? {
              network: committed.network,
              contract: committed.contract,
              signer: committed.signer,
              block_number: committed.block_number,
              committed_at: committed.committed_at,
            }
          : null,
        activated_at: active.activated_at,
        rolls: used?.rolls ?? 0,
        max_rolls: active.max_rolls,
        retires_at: active.retires_at,
        revealed_before: before?.revealed
          ? {
              seed: written(before.revealed.seed),
              seed_hash: written(before.seed_hash),
              chain: before.chain,
              chain_index: before.index,
              revealed_at: before.revealed.revealed_at,
            }
          : null,
      },
      meta: { tenant: caller.tenant },
    };
  },
});

/** `path`: where the request has the params. */
type RollQuery = {
  client_seed: string;
  game_type: GameName;
  params?: Record<string, unknown> | undefined;
  path: string;
};

/**
 * The size limit of HTTP bodies, which applies to every transport here: a draw must fit into the log and into an
 * answer.
 */
const MOST_PARAM_BYTES = 256 * 1024;

/** Draws rolls in order from the active seed. One commit records all of them, and only if that seed is still active. */
async function draw(
  context: Drawing & Pick<Context<never>, "unit">,
  ids: readonly string[],
  wanted: readonly RollQuery[],
  demanded: string | undefined,
): Promise<RollFacts[]> {
  const { app, caller, unit } = context;
  // Validates the whole request before it reserves draws of the seed.
  const read = wanted.map(({ game_type, params, path }) => readParams(game_type, params, path));
  if (Buffer.byteLength(JSON.stringify(read)) > MOST_PARAM_BYTES)
    refuse(
      coreProblems["too-large"],
      `the params of all rolls exceed ${MOST_PARAM_BYTES / 1024} KiB; send fewer at once`,
    );
  const at_hand = await seedAtHand(context, wanted.length);
  const { seed_hash } = at_hand.seed;
  if (demanded !== undefined && demanded !== seed_hash)
    refuse(rngProblems["other-seed"], `the active seed is now ${seed_hash}; nothing was rolled`);
  const rolled_at = app.clock.now().toISOString();
  const drawn: RollFacts[] = [];
  for (const [at, { client_seed, game_type: game }] of wanted.entries()) {
    const roll_id = ids[at]!;
    const request = { roll_id, tenant: caller.tenant, game, params: read[at]!, client_seed, rolled_at };
    const id = rolls.rollsId(seed_hash, game, client_seed);
    const { events } = await unit.decide(rolls, { tenant: caller.tenant, id }, rolls.roll(request, at_hand));
    // A repeat gets the events of all rolls in the stream, so each roll is found by its id.
    drawn.push(events.find((event) => event.data.roll_id === roll_id)!.data);
  }
  return drawn;
}

const roll = operation({
  name: "rng_roll",
  route: "POST /v1/agent/rng/roll",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  summary: "A provably fair random number",
  description: `HMAC-SHA256 draws it from a secret seed, your client seed and a counter: neither side alone decides. The seed's
hash was published and committed to Base before. rng_verify gives the proof at once, and the seed once revealed.`,
  access: [key("order"), pay("0.005")],
  input: z.object({
    client_seed: clientSeed,
    game_type: gameType,
    params,
    seed_hash: demandedHash,
  }),
  output: json(z.object({ data: rollShown, meta: tenantMeta })),
  refuses: [409],
  example: { client_seed: "my own words", game_type: "dice", params: { sides: 20 } },
  handle: async (context) => {
    const { input, caller, unit } = context;
    const wanted = { ...input, path: "params" };
    const [drawn] = await draw(context, [unit.fresh_id], [wanted], input.seed_hash);
    return { data: shownRoll(drawn!), meta: { tenant: caller.tenant } };
  },
});

const MOST_ROLLS = 100;

const rollBatch = operation({
  name: "rng_roll_batch",
  route: "POST /v1/agent/rng/roll/batch",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  summary: `Up to ${MOST_ROLLS} random numbers at once`,
  description: "Like rng_roll, in your order and recorded together: all or none.",
  access: [key("order"), pay("0.01")],
  input: z.object({
    rolls: z
      .array(z.strictObject({ client_seed: clientSeed, game_type: gameType, params }))
      .min(1, "name at least one roll")
      .max(MOST_ROLLS, `a batch has at most ${MOST_ROLLS} rolls`),
    seed_hash: demandedHash,
  }),
  output: json(z.object({ data: z.array(rollShown), meta: tenantMeta.extend({ count: z.int() }) })),
  refuses: [409],
  example: { rolls: [{ client_seed: "one" }, { client_seed: "two", game_type: "coin" }] },
  handle: async (context) => {
    const { input, caller, unit } = context;
    const ids = input.rolls.map((_, at) =>
      createHash("sha256").update(`${unit.fresh_id}:${at}`).digest("hex").slice(0, 32),
    );
    const wanted = input.rolls.map((one, at) => ({ ...one, path: `rolls.${at}.params` }));
    const drawn = await draw(context, ids, wanted, input.seed_hash);
    return { data: drawn.map(shownRoll), meta: { tenant: caller.tenant, count: drawn.length } };
  },
});

export const rngOperations = [seedNow, roll, rollBatch];
