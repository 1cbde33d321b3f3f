/** What the house needs from outside. One real adapter each in src/adapters, one fake in test/support. */
import type { Limits, Usage } from "./access/quota.ts";

export type Clock = { now(): Date };

export type Random = { bytes(length: number): Uint8Array };

export type QuotaKey = { key_id: string } & Limits;
export type Taken = { granted: boolean; usage: Usage };

export type Quotas = {
  /** Counts one call against both windows of a key, or says that one of them is used up. */
  take(key: QuotaKey): Promise<Taken>;
};
