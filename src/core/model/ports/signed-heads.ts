import type { Hex } from "../chain.ts";

/** `note`: with a log that contradicts it, the signed note is proof. */
export type StoredHead = { size: number; root: Hex; note: string };

/** Stored outside the database, which may be reset. */
export type StoredHeads = {
  origins(): Promise<string[]>;
  /** Called before every append, so it must be fast. */
  last(origin: string): Promise<StoredHead | undefined>;
  /** Durable when it resolves; a smaller head is ignored. */
  advance(
    origin: string,
    signed: { size: number; root: Hex; note: string; signed_at: string },
  ): Promise<void>;
};
