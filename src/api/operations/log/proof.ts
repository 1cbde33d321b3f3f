/** The complete proof of one event, for anybody who has its id. */

import { z } from "zod";
import { MAIN_LOG } from "../../../../eventstore/types.ts";
import { anchorFields } from "../../../anchoring/evidence.ts";
import { headsOf } from "../../../anchoring/heads.ts";
import { proofUnder } from "../../../anchoring/prove.ts";
import { isPublic, shownStream } from "../../../anchoring/public-parts.ts";
import { proofOfAnchor } from "../../../anchoring/stored-proofs.ts";
import { openTree } from "../../../anchoring/tile-store.ts";
import type { App } from "../../../core/app.ts";
import { chainHash, sha256 } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import type { AnchorState } from "../../../domain/anchoring/anchor.ts";
import { shownActors } from "../../../projections/access/keys.ts";
import { eventById, type WholeEvent } from "../../../projections/anchoring/events.ts";
import type { Caller } from "../../declare/caller.ts";
import { json, open, operation } from "../../declare/index.ts";
import { firmness, hex, isoTime, logKey, preciseTime, proof, stream } from "./fields.ts";

export const eventProof = operation({
  name: "log_proof",
  route: "GET /log/proof/{event_id}",
  reads: "log",
  summary: "Everything that proves one event",
  description:
    "The event with its proofs: under the newest checkpoint (also as one text, c2sp.org/tlog-proof), and under an anchor on " +
    "chain, with a state proof of the contract. Events of public types, and with an API key your own, come " +
    "with all that their hash covers. `pending` says when to retry while no checkpoint covers the event.",
  access: [open()],
  input: z.object({
    event_id: z
      .uuid("is a UUID")
      .describe("From the Event-Id header of an answer or a line of the change feed"),
  }),
  output: json(
    z.object({
      origin: z.string(),
      key: z.string().describe("The log's verifier key"),
      event: z.object({
        position: z.int(),
        event_id: z.uuid(),
        type: z.string(),
        recorded_at: preciseTime,
        stream,
        tenant: z.string().optional(),
        stream_id: z.string().optional(),
        version: z.int().describe("Number of the event in its stream").optional(),
        schema_version: z.int().optional(),
        recorded_at_us: z.int().optional(),
        payload: z.string().optional().describe("The stored payload, as the text that was hashed"),
        meta: z.string().optional().describe("The stored metadata, likewise; only of your own events"),
        payload_hash: sha256.optional(),
        meta_hash: sha256.optional(),
        prev_hash: sha256.optional(),
        event_hash: sha256,
        log_hash: sha256,
      }),
      checkpoint: z.string().nullable().describe("The signed note"),
      inclusion: z
        .object({ size: z.int(), proof })
        .nullable()
        .describe("The inclusion proof in the checkpoint's tree"),
      tlog_proof: z.string().nullable(),
      anchor: z
        .object({
          ...anchorFields,
          transaction_hash: chainHash,
          firmness,
          inclusion: z.object({ size: z.int(), proof }).describe("The inclusion proof in the anchored tree"),
        })
        .nullable(),
      pending: z
        .object({
          detail: z.string().describe("The reason, in a sentence"),
          retry_after_s: z.int().nullable().describe("Null: waiting cannot help"),
        })
        .nullable(),
    }),
  ),
  refuses: [404],
  example: { event_id: "019b76da-a800-7000-8000-000000000003" },
  example_from: { event_id: ["log_events"] },
  caching: () => "private, no-cache",
  handle: async ({ input: { event_id }, app, caller }) => {
    const event = await eventById(app.pool, event_id);
    if (!event) return refuse("not_found", "the log has no such event id");
    const { origin, state } = await headsOf(app);
    const proven = await proofUnder(app, state, event.position);
    return {
      origin,
      key: logKey(app, origin),
      event: await shownTo(app, caller, event),
      checkpoint: proven?.note ?? null,
      inclusion: proven ? { size: proven.size, proof: proven.proof.map(hex) } : null,
      tlog_proof: proven?.tlog_proof ?? null,
      anchor: await anchorOver(app, state, event.position),
      pending: proven ? null : pendingOf(app, event),
    };
  },
});

async function shownTo(app: App, caller: Caller, event: WholeEvent) {
  // Keys that may read the event get it in the same form as in the change feed.
  const isOwn = caller.kind === "key" && caller.tenant === event.tenant && caller.scopes.includes("read");
  const { actor = "" } = JSON.parse(event.meta) as { actor?: string };
  const showsMeta = isOwn && new RegExp(await shownActors(app.pool, event.tenant)).test(actor);
  const { position, event_id, type, tenant, stream_id, version, schema_version, recorded_at_us } = event;
  return {
    position,
    event_id,
    type,
    recorded_at: isoTime(recorded_at_us),
    stream: isOwn ? stream_id : shownStream(app, event),
    ...((isOwn || isPublic(app, event)) && {
      tenant,
      stream_id,
      version,
      schema_version,
      recorded_at_us,
      payload: event.payload,
      ...(showsMeta && { meta: event.meta }),
      payload_hash: hex(event.payload_hash),
      meta_hash: hex(event.meta_hash),
      prev_hash: hex(event.prev_hash),
    }),
    event_hash: hex(event.event_hash),
    log_hash: hex(event.log_hash),
  };
}

/** The anchor that covers the event and is the most final, among those with a stored proof. */
async function anchorOver(app: App, { anchors: standing }: AnchorState, position: number) {
  for (const anchor of standing.filter(({ size }) => size >= position)) {
    const gathered = await proofOfAnchor(app.pool, anchor);
    if (!gathered) continue;
    const { evidence: _, ...facts } = gathered;
    const { size, transaction, final } = anchor;
    const hashes = await openTree(app.pool, MAIN_LOG).inclusionProof(position - 1, size);
    return {
      ...facts,
      transaction_hash: transaction,
      firmness: final ? "final" : "mined",
      inclusion: { size, proof: hashes.map(hex) },
    };
  }
  return null;
}

function pendingOf({ settings, clock }: App, { recorded_at_us }: WholeEvent) {
  if (!settings.anchoring)
    return {
      detail: "this service runs without ANCHORING: no checkpoint covers the event",
      retry_after_s: null,
    };
  const due_in_s = settings.anchoring.checkpoint_seconds + recorded_at_us / 1e6 - clock.now().getTime() / 1e3;
  return { detail: "no checkpoint covers the event yet", retry_after_s: Math.max(2, Math.ceil(due_in_s)) };
}
