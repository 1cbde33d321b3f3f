/** A log of which something is signed: what the examples of the operations under /log ask for. */

import { signTurn } from "../../src/anchoring/sign-growth.ts";
import { eventProof } from "../../src/api/operations/log/proof.ts";
import type { App } from "../../src/app.ts";

/** Appends the event that the example of log_proof names, and signs all there is. */
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
  await signTurn(app, { checkpoint_every_events: 0 });
}
