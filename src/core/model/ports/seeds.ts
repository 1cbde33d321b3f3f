/** The secret chains of seeds that random numbers are drawn from; chains are counted from 1, their seeds from 0. */
export type SeedVault = {
  /** Seeds in a chain. */
  readonly length: number;
  /** SHA-256 of a chain's first seed, in hex: what is published of it. */
  head(space: string, chain: number): string;
  /** 32 bytes that nobody outside may see before they are revealed. */
  seed(space: string, chain: number, index: number): Uint8Array;
};

/** How far a seed is used: what was taken of it, and for how long nothing more is; null while there is more. */
export type SeedUse = { taken: number; closed_s: number | null };

/** How often each seed is drawn from, counted once for all processes, before what is drawn is recorded. */
export type SeedUses = {
  /**
   * Takes so many at once, or none where they are more than is left of `most`: then nobody takes any more of this seed.
   * `before` tells how often it was drawn from already; it is asked where the seed has no count yet.
   */
  take(
    seed_hash: string,
    wanted: { count: number; most: number; before: () => Promise<number> },
  ): Promise<boolean>;
  /** Gives back what was taken for something that is recorded nowhere. */
  release(seed_hash: string, count: number): Promise<void>;
  /** Undefined for a seed that nothing was taken of. */
  find(seed_hash: string): Promise<SeedUse | undefined>;
};
