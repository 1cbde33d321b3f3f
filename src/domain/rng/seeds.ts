/**
 * The seeds of rolls: links of a chain in which each is the SHA-256 of the next one. So a chain's published head commits
 * to all of them, and a revealed seed reveals nothing of later ones.
 *
 *   head = SHA-256(seed 0),  seed i = SHA-256(seed i + 1),  the hash of seed i is the head or the seed before it
 *
 * Live and test keys have separate chains. One seed is active at a time; when its rolls or its time are used up it is
 * revealed, and the same event activates the next one. A roll watches this stream, so none is ever recorded on a
 * revealed seed.
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { chainHash, sha256, time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
import { rngProblems } from "./problems.ts";

export const spaces = ["live", "test"] as const;
export type Space = (typeof spaces)[number];

/** A seed's location: its chain, counted from 1, and its link, counted from 0. */
const locationFields = { space: z.enum(spaces), chain: z.int().min(1), index: z.int().min(0) };

export const seedLocation = {
  space: z.enum(spaces),
  chain: z.int(),
  index: z.int(),
  seed_hash: sha256.describe("SHA-256 of the seed."),
};
export type SeedLocation = z.infer<z.ZodObject<typeof seedLocation>>;

const published = z.strictObject({
  space: z.enum(spaces),
  chain: z.int().min(1),
  head_hash: sha256.describe("SHA-256 of seed 0."),
  length: z.int().min(1).describe("Number of links."),
  published_at: time,
});

/** The contract has the head, from a block mined before the chain is used. */
const committed = z.strictObject({
  space: z.enum(spaces),
  chain: z.int().min(1),
  head_hash: sha256,
  network: z.string(),
  contract: z.string(),
  signer: z.string(),
  block_number: z.int(),
  block_hash: chainHash.describe(
    "Nobody knew this hash when the chain was made; omitted client seeds are derived from it.",
  ),
  committed_at: time.describe("That block's time; not before the head was published."),
});

const activated = z.strictObject({
  ...locationFields,
  seed_hash: sha256.describe("SHA-256 of the seed."),
  activated_at: time,
  max_rolls: z
    .int()
    .min(1)
    .describe(
      "The seed's most rolls and bets; the seed is revealed once they are used up, or at `retires_at`.",
    ),
  retires_at: time,
});

const revealed = z.strictObject({
  ...locationFields,
  seed_hash: sha256,
  seed: sha256,
  reason: z.enum(["rolls", "time"]),
  revealed_at: time,
});

const abandoned = z.strictObject({
  space: z.enum(spaces),
  chain: z.int().min(1),
  head_hash: sha256,
  reason: z
    .enum(["lost", "committed-before"])
    .describe(
      "lost: the operator gave it up, because its secret is lost. committed-before: its head was on the blockchain before this log published it.",
    ),
  void: z
    .strictObject({ index: z.int().min(0), seed_hash: sha256 })
    .nullable()
    .describe("The seed in use: every roll, bet and audit draw from it is void. Null: none was in use."),
  abandoned_at: time,
});

export const events = {
  SeedChainPublished: {
    means: "A chain of secret seeds for random numbers was made, and its head was published.",
    1: published,
    public: true,
  },
  SeedChainCommitted: {
    means: "The head of a chain of seeds is on the blockchain, before any number was drawn from it.",
    1: committed,
    public: true,
  },
  SeedActivated: {
    means: "Random numbers are drawn from this seed from now on; it is still secret.",
    1: activated,
    public: true,
  },
  SeedRevealed: {
    means: "A used-up seed was made public: everybody can draw its numbers again.",
    1: revealed,
    public: true,
  },
  SeedChainAbandoned: {
    means:
      "The rest of a chain of seeds will never be used, and everything drawn from its secret seed is void.",
    1: abandoned,
    public: true,
  },
};

export type PublishedChain = DataOf<typeof events, "SeedChainPublished">;
export type CommittedChain = DataOf<typeof events, "SeedChainCommitted">;
export type ActiveSeed = DataOf<typeof events, "SeedActivated">;
export type RevealedSeed = DataOf<typeof events, "SeedRevealed">;
export type SeedEvent = EventOf<typeof events>;

export type AbandonedChain = DataOf<typeof events, "SeedChainAbandoned">;
/** The block that committed a chain. */
export type CommitBlock = Pick<CommittedChain, "block_number" | "block_hash">;
export type Chain = PublishedChain & { committed: CommitBlock | undefined };

/** `chains`: those with unused links, the one in use first. */
export type SeedState = { chains: Chain[]; published: number; active: ActiveSeed | undefined };

export const prefix = "seeds-";

export const streamOf = (space: string) => prefix + space;
/** Seeds belong to the operator, and are public. */
export const targetOf = (space: Space) => ({ tenant: "operator", id: space });

export const initialState = (): SeedState => ({ chains: [], published: 0, active: undefined });

export function evolve(state: SeedState, { type, data }: SeedEvent): SeedState {
  switch (type) {
    case "SeedChainPublished":
      return {
        ...state,
        chains: [...state.chains, { ...data, committed: undefined }],
        published: data.chain,
      };
    case "SeedChainCommitted": {
      const { block_number, block_hash } = data;
      const committed = { block_number, block_hash };
      const marked = (one: Chain) => (one.chain === data.chain ? { ...one, committed } : one);
      return { ...state, chains: state.chains.map(marked) };
    }
    case "SeedActivated":
      return { ...state, active: data };
    case "SeedRevealed": {
      const chains = state.chains.filter(
        ({ chain, length }) => chain !== data.chain || data.index + 1 < length,
      );
      return { ...state, chains, active: undefined };
    }
    case "SeedChainAbandoned": {
      const chains = state.chains.filter(({ chain }) => chain !== data.chain);
      return { ...state, chains, active: state.active?.chain === data.chain ? undefined : state.active };
    }
  }
}

/** Publishes the next chain. It is used when the one before is used up, and its head is committed to the chain before that. */
export const publish =
  (chain: Omit<PublishedChain, "chain">) =>
  (state: SeedState): SeedEvent[] => {
    if (state.chains.length > 1) return [];
    return [{ type: "SeedChainPublished", data: { ...chain, chain: state.published + 1 } }];
  };

/** The clock of a service and that of a chain's blocks may be so far apart. */
const CLOCKS_MS = 120_000;

/** A commitment from before the publication counts as none: the seeds may have been used, and revealed, elsewhere. */
export const isCommittedBefore = (published_at: string, committed_at: string) =>
  Date.parse(committed_at) < Date.parse(published_at) - CLOCKS_MS;

/** Records a chain's head in the contract. A chain that the contract had before its publication is given up unused. */
export const commit =
  (facts: CommittedChain, recorded_at: string) =>
  (state: SeedState): SeedEvent[] => {
    const found = state.chains.find(({ chain }) => chain === facts.chain);
    if (!found || found.committed) return [];
    if (found.head_hash !== facts.head_hash) refuse("conflict", `chain ${facts.chain} has a different head`);
    return isCommittedBefore(found.published_at, facts.committed_at)
      ? [abandonment(found, "committed-before", state, recorded_at)]
      : [{ type: "SeedChainCommitted", data: facts }];
  };

export type Use = Pick<ActiveSeed, "activated_at" | "max_rolls" | "retires_at">;

/** Activates the first seed of the published chain, if none is active and the chain is committed. */
export const activateFirst =
  (use: Use) =>
  (state: SeedState): SeedEvent[] => {
    const [chain] = state.chains;
    if (state.active || !chain?.committed) return [];
    return [activation(chain, 0, chain.head_hash, use)];
  };

/**
 * Reveals the active seed and activates the next: of its chain, or the next chain's first. Between two chains there
 * may briefly be none; rolls then wait.
 */
export const rotate =
  (
    ended: Pick<ActiveSeed, "chain" | "index"> & Pick<RevealedSeed, "seed" | "reason" | "revealed_at">,
    use: Use,
  ) =>
  (state: SeedState): SeedEvent[] => {
    const { active, chains } = state;
    if (!active || active.chain !== ended.chain || active.index !== ended.index) return [];
    const { space, chain, index, seed_hash } = active;
    const { seed, reason, revealed_at } = ended;
    const data = { space, chain, index, seed_hash, seed, reason, revealed_at };
    const [current, next] = chains;
    if (!current) return refuse("conflict", `there is no chain ${chain} of seeds`);
    if (hashOf(seed) !== seed_hash)
      return refuse(rngProblems["seed-missing"], "SEED_SECRET does not make the seed that is to be revealed");
    const following =
      index + 1 < current.length
        ? [activation(current, index + 1, seed, use)]
        : next?.committed
          ? [activation(next, 0, next.head_hash, use)]
          : [];
    return [{ type: "SeedRevealed", data }, ...following];
  };

/** Gives up chains whose seeds cannot be derived any longer, and voids all draws from the seed in use. */
export const abandon =
  (isLost: (chain: Chain) => boolean, abandoned_at: string) =>
  (state: SeedState): SeedEvent[] =>
    state.chains.filter(isLost).map((chain) => abandonment(chain, "lost", state, abandoned_at));

function abandonment(
  { space, chain, head_hash }: Chain,
  reason: AbandonedChain["reason"],
  { active }: SeedState,
  abandoned_at: string,
): SeedEvent {
  const used = active?.chain === chain ? { index: active.index, seed_hash: active.seed_hash } : null;
  return { type: "SeedChainAbandoned", data: { space, chain, head_hash, reason, void: used, abandoned_at } };
}

const hashOf = (seed: string) => createHash("sha256").update(Buffer.from(seed, "hex")).digest("hex");

const activation = (chain: PublishedChain, index: number, seed_hash: string, use: Use): SeedEvent => {
  const { activated_at, max_rolls, retires_at } = use;
  const { space } = chain;
  return {
    type: "SeedActivated",
    data: { space, chain: chain.chain, index, seed_hash, activated_at, max_rolls, retires_at },
  };
};

/** The active seed; `unavailable` (seed-missing) while there is none. */
export function activeSeed({ active }: SeedState): ActiveSeed {
  return (
    active ??
    refuse(
      rngProblems["seed-missing"],
      "no seed is active: the next chain of seeds is being committed to the chain first",
      {
        retry_after_s: 5,
      },
    )
  );
}
