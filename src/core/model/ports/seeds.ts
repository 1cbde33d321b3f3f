/** Chains are numbered from 1, their seeds from 0. */
export type SeedVault = {
  readonly length: number;
  /** The published commitment: SHA-256 of the chain's first seed, in hex. */
  head(space: string, chain: number): string;
  /** 32 bytes, secret until revealed. */
  seed(space: string, chain: number, index: number): Uint8Array;
};

/** `closed_s`: seconds since the seed was closed; null while it is open. */
export type SeedUse = { taken: number; closed_s: number | null };

/** Counts draws for all processes, before they are recorded. */
export type SeedUses = {
  /**
   * Takes all or nothing; a seed with too few draws left is closed. `before`: earlier draws, used for a seed without
   * a count.
   */
  take(
    seed_hash: string,
    wanted: { count: number; most: number; before: () => Promise<number> },
  ): Promise<boolean>;
  release(seed_hash: string, count: number): Promise<void>;
  find(seed_hash: string): Promise<SeedUse | undefined>;
};
