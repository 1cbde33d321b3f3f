/** An append of one event, for benchmarks of the log alone. */
import { randomBytes, randomUUID } from "node:crypto";
import type { Commit, JsonObject } from "../eventstore/types.ts";
import type { AbandonedChain } from "../src/domain/rng/seeds.ts";

/** One event in a new stream that nobody follows, so that only the append costs. */
export function loneEvent(): Commit {
  const data: AbandonedChain = {
    space: "test",
    chain: 1,
    head_hash: randomBytes(32).toString("hex"),
    reason: "lost",
    void: null,
    abandoned_at: new Date().toISOString(),
  };
  const payload: JsonObject = data;
  const events = [{ type: "SeedChainAbandoned", payload }];
  return { appends: [{ tenant: "acme", stream_id: randomUUID(), expected_version: 0, events }] };
}
