/** Seeds of random draws, in hash chains. Chains are numbered from 1, the seeds of a chain from 0. */
export type SeedVault = {
  readonly length: number;
  /** The published commitment: SHA-256 of the chain's first seed, in hex. */
  head(space: string, chain: number): string;
  /** 32 bytes, which stay secret until the seed is revealed. */
  seed(space: string, chain: number, index: number): Uint8Array;
};

/** `closed_s`: seconds since the seed was closed; null while it is open. */
export type SeedUse = { taken: number; closed_s: number | null };

/** Counts the draws of all processes before the log records them. */
export type SeedUses = {
  /**
   * Takes all wanted draws or none. A seed with too few draws left is closed. `before` counts earlier draws, for a
   * seed without a count.
   */
  take(
    seed_hash: string,
    wanted: { count: number; most: number; before: () => Promise<number> },
  ): Promise<boolean>;
  release(seed_hash: string, count: number): Promise<void>;
  find(seed_hash: string): Promise<SeedUse | undefined>;
};
