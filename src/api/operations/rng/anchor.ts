import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { sha256 } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { ANCHOR_ADDRESS, seedCall, seedCommitment } from "../../../domain/anchoring/contract.ts";
import * as commitments from "../../../domain/rng/commitment.ts";
import { isCommittedBefore } from "../../../domain/rng/seeds.ts";
import { rngProjection } from "../../../projections/rng/rng.ts";
import {
  type ChainRow,
  findChain,
  findSeed,
  listCommitments,
  type SeedRow,
  signersOf,
} from "../../../projections/rng/seeds.ts";
import { json, key, operation, pay, reads } from "../../declare/index.ts";
import { nextCursor, pageInput, readPage } from "../../declare/page.ts";
import { commitmentShown, seedLocation } from "./fields.ts";

const seedHash = sha256.describe("A seed's hash, or a seed chain's head, in hex");

/** A published hash of a seed chain, with the chain's number and the hash's distance from its head. */
async function publishedHash(
  app: App,
  seed_hash: string,
): Promise<{ chain: ChainRow; index: number; seed: SeedRow | undefined } | undefined> {
  await app.caughtUp(rngProjection);
  const seed = await findSeed(app.pool, seed_hash);
  const chain = await findChain(app.pool, seed ?? { head_hash: seed_hash });
  return chain && { chain, index: seed?.index ?? 0, seed };
}

const commit = operation({
  name: "rng_anchor_commit",
  route: "POST /v1/agent/rng/anchor/commit",
  effect: { changes: "adds", repeatable: true, reaches_out: true },
  summary: "Commit a seed's hash to Base separately",
  description: `Chain heads are committed before their first use, and with them every seed; this adds one more published
hash to the contract. The transaction follows within seconds, shared with other hashes; a repeat keeps the first commitment.`,
  access: [key("order"), pay("0.005")],
  input: z.object({
    seed_hash: seedHash,
    chain_index: z
      .int("chain_index is a whole number")
      .min(0)
      .describe("The hash's index in its chain, as a check; any other is refused")
      .optional(),
  }),
  output: json(
    z.object({
      data: z.object({
        seed_hash: sha256,
        ...seedLocation,
        status: z.enum(["asked", "committed"]).describe("asked: the next transaction carries it"),
        commitment: commitmentShown.nullable(),
      }),
      meta: z.object({}),
    }),
  ),
  refuses: [404, 409],
  example: { seed_hash: "0".repeat(64) },
  example_from: { seed_hash: ["rng_seed"] },
  handle: async ({ input: { seed_hash, chain_index }, app, unit }) => {
    const found = await publishedHash(app, seed_hash);
    if (!found) return refuse("not_found", "the service published no such hash: take one from rng_seed");
    const { chain, index } = found;
    if (chain_index !== undefined && chain_index !== index)
      refuse("conflict", `this hash has the index ${index} in its chain, not ${chain_index}`);
    const request = commitments.request(seed_hash, app.clock.now().toISOString());
    const { state } = await unit.decide(commitments, commitments.targetOf(seed_hash), request);
    const committed = state?.status === "committed" ? state.commitment : undefined;
    return {
      data: {
        seed_hash,
        space: chain.space,
        chain: chain.chain,
        chain_index: index,
        status: committed ? ("committed" as const) : ("asked" as const),
        commitment: committed ? shownCommitment(committed) : null,
      },
      meta: {},
    };
  },
});

function shownCommitment({
  network,
  contract,
  signer,
  transaction,
  block_number,
  committed_at,
}: commitments.Commitment) {
  return { network, contract, signer, transaction, block_number, committed_at };
}

const verify = operation({
  name: "rng_anchor_verify",
  route: "POST /v1/agent/rng/anchor/verify",
  effect: { ...reads, reaches_out: true },
  summary: "When a seed was committed, read from the chain",
  description: `Reads the contract, not our records, for the hash itself and for the head of its chain: SHA-256 applied
\`chain_index\` times to the hash. Anyone can call \`seedCommittedAt(signer, hash)\`. A commitment older than the hash's publication here counts as none.`,
  again_to: "anybody",
  access: [key("read"), pay("0.001")],
  input: z.object({ seed_hash: seedHash }),
  output: json(
    z.object({
      data: z.object({
        seed_hash: sha256,
        committed: z.boolean().describe("true: the hash is on chain, or the head of its seed chain is"),
        published: z
          .object({ ...seedLocation, chain_head: sha256 })
          .nullable()
          .describe("null: not this service's hash"),
        itself: commitmentShown.nullable(),
        by_head: commitmentShown.nullable(),
      }),
      meta: z.object({ network: z.string(), contract: z.string() }),
    }),
  ),
  example: { seed_hash: "0".repeat(64) },
  example_from: { seed_hash: ["rng_seed"] },
  handle: async ({ input: { seed_hash }, app }) => {
    const found = await publishedHash(app, seed_hash);
    const head = found?.chain.head_hash ?? seed_hash;
    // Two accounts are possible, because the service's account may have changed between the two commitments.
    const signers = await signersOf(app.pool, [seed_hash, head]);
    const request = [seed_hash, head].map((hash) => ({
      hash,
      signer: signers.get(hash) ?? app.chain.sender,
    }));
    const calls = request.map(({ hash, signer }) => seedCall(signer, `0x${hash}`));
    const answers = await app.chain.read(calls, { mined: true });
    const network = `eip155:${app.chain.chain_id}`;
    const published_at = [found?.seed?.activated_at, found?.chain.published.published_at];
    const [itself, by_head] = answers.map((answer, at) => {
      const recorded = seedCommitment(answer);
      if (!recorded) return null;
      const committed_at = new Date(recorded.timestamp * 1_000).toISOString();
      const since = request[at]!.hash === head ? published_at[1] : published_at[0];
      if (since !== undefined && isCommittedBefore(since, committed_at)) return null;
      const { signer } = request[at]!;
      const block_number = Number(recorded.block_number);
      return { network, contract: ANCHOR_ADDRESS, signer, transaction: null, block_number, committed_at };
    });
    return {
      data: {
        seed_hash,
        committed: (itself ?? by_head) != null,
        published: found
          ? { space: found.chain.space, chain: found.chain.chain, chain_index: found.index, chain_head: head }
          : null,
        itself: itself ?? null,
        by_head: found ? (by_head ?? null) : null,
      },
      meta: { network, contract: ANCHOR_ADDRESS },
    };
  },
});

const history = operation({
  name: "rng_anchor_history",
  route: "GET /v1/agent/rng/anchor/history",
  summary: "Seed hashes committed to Base, newest first",
  description: "Heads of chains and hashes committed on request, each with its transaction.",
  again_to: "anybody",
  access: [key("read"), pay("0.001")],
  lists: rngProjection,
  input: z.object(pageInput),
  output: json(
    z.object({
      data: z.array(
        z.object({
          seed_hash: sha256,
          status: z.enum(["asked", "committed"]),
          commitment: commitmentShown.nullable(),
        }),
      ),
      meta: z.object({ count: z.int(), next_cursor: nextCursor }),
    }),
  ),
  example: { limit: 5 },
  handle: async ({ input, app }) => {
    const { page, next_cursor } = await readPage(input, (rows) => listCommitments(app.pool, rows));
    return {
      data: page.map(({ seed_hash, committed }) => ({
        seed_hash,
        status: committed ? ("committed" as const) : ("asked" as const),
        commitment: committed && shownCommitment(committed),
      })),
      meta: { count: page.length, next_cursor },
    };
  },
});

export const rngAnchorOperations = [commit, verify, history];
