import type { Hex } from "../chain.ts";

/** A checkpoint that was signed. `note`: the signed note, which with a log that contradicts it is proof. */
export type KeptHead = { size: number; root: Hex; note: string };

/** What this machine remembers of the checkpoints it signed, outside of the database, which may be set back. */
export type KeptHeads = {
  /** The logs of which one was signed here. */
  origins(): Promise<string[]>;
  /** Asked before every append: as quick as a folder is listed. */
  last(origin: string): Promise<KeptHead | undefined>;
  /** Durable when it resolves; a smaller one is passed over. */
  advance(
    origin: string,
    signed: { size: number; root: Hex; note: string; signed_at: string },
  ): Promise<void>;
};
