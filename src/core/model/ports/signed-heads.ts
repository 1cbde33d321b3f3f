import type { Hex } from "../chain.ts";

/** `note`: the signed note, which proves a change of the log together with a log that contradicts it. */
export type StoredHead = { size: number; root: Hex; note: string };

/** Heads that the service signed, stored outside the database, because the database may be reset. */
export type StoredHeads = {
  origins(): Promise<string[]>;
  /** The last signed head. Called before every append, so it must be fast. */
  last(origin: string): Promise<StoredHead | undefined>;
  /** The new head is durable when this resolves. A smaller head is ignored. */
  advance(
    origin: string,
    signed: { size: number; root: Hex; note: string; signed_at: string },
  ): Promise<void>;
};
