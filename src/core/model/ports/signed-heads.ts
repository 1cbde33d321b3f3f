import type { Hex } from "../chain.ts";

/** `note`: with a log that contradicts it, the signed note is proof. */
export type KeptHead = { size: number; root: Hex; note: string };

/** Stored outside the database, which may be reset. */
export type KeptHeads = {
  origins(): Promise<string[]>;
  /** Called before every append, so it must be fast. */
  last(origin: string): Promise<KeptHead | undefined>;
  /** Durable when it resolves; a smaller head is ignored. */
  advance(
    origin: string,
    signed: { size: number; root: Hex; note: string; signed_at: string },
  ): Promise<void>;
};
