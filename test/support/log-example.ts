/** A partly signed log, for the examples of the operations under /log. */

import { logGenesis } from "../../eventstore/hash.ts";
import { putSegment } from "../../src/anchoring/seal-segments.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { eventProof } from "../../src/api/operations/log/proof.ts";
import type { App } from "../../src/core/app.ts";
import * as segments from "../../src/domain/log/segments.ts";

/** Appends log_proof's example event, signs everything, and seals the log's first event. */
export async function signExample(app: App): Promise<void> {
  const { event_id } = eventProof.example as { event_id: string };
  const revoked = { key_id: "k_example", revoked_at: "2026-01-02T03:04:05.678Z" };
  await app.store.append({
    appends: [
      {
        tenant: "operator",
        stream_id: "key-k_example",
        expected_version: "absent",
        events: [{ type: "KeyRevoked", payload: revoked, event_id }],
      },
    ],
    meta: { actor: "test", operation: "test" },
  });
  await signTick(app, { checkpoint_every_events: 0 });
  await sealFirst(app);
}

/** Seals the log's first event, a segment of one, as if a final anchor covered it. */
export async function sealFirst(app: App): Promise<void> {
  const { origin } = await app.store.identity();
  const first = { origin, first: 1, last: 1, previous_log_hash: logGenesis(origin).toString("hex") };
  const sealed = await app.objects.aside((path) => putSegment(app, first, path));
  const meta = { actor: "test", operation: "test" };
  if (sealed !== "stopped")
    await app.decide(segments, segments.targetOf(origin), segments.seal(sealed), { meta });
}
