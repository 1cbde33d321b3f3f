/**
 * A follower of the log's copy in a separate process, which runs until it is killed: DATABASE and COPY are its two
 * addresses, STREAM the copy's name.
 */

import { openPool } from "../../eventstore/pool.ts";
import { registry } from "../../eventstore/schemas.ts";
import { createEventStore } from "../../eventstore/store.ts";
import { kurrentLog } from "../../src/adapters/kurrentdb.ts";
import type { App } from "../../src/core/app.ts";
import { reactorLeases } from "../../src/core/background/reactor.ts";
import { underLease } from "../../src/core/coordination/lease.ts";
import { followReactor } from "../../src/reactors/outside/follow.ts";

const { DATABASE, COPY, STREAM } = process.env as Record<string, string>;
const pool = openPool(DATABASE!, { max: 3 });
const store = createEventStore(pool, { schemas: registry([]) });
const outside = kurrentLog({ url: COPY!, stream: async () => STREAM! });
const app = { pool, store, outside } as unknown as App;
const begun = followReactor.begin();
const log = { info: () => {}, warn: () => {}, error: () => {} };
const leases = reactorLeases(pool, 0.3);
process.once("disconnect", () => process.exit());
for (let isAtWork = false; ; ) {
  const outcome = await underLease(leases, followReactor.name, (lease) =>
    begun({ app, log, lease, signal: lease.lost }),
  );
  if (typeof outcome === "object" && "status" in outcome && outcome.status !== "unreached")
    throw new Error(`${outcome.status}: ${outcome.reason}`);
  // The killer waits for this line, so that it kills a working process and not a starting one. A tick whose lease was
  // lost also ends without a copy.
  if (!isAtWork && (outside.copied ?? 0) > 0) {
    isAtWork = true;
    process.send!("follows");
  }
  await new Promise((wake) => setTimeout(wake, 5));
}
