/** The public history of the log: streams, checkpoints and anchors. */

import { z } from "zod";
import { MAIN_LOG } from "../../../../eventstore/types.ts";
import { isPublic, shownStream } from "../../../anchoring/public-parts.ts";
import { anchorStatus } from "../../../anchoring/status.ts";
import { chainHash, sha256, time } from "../../../core/model/fields.ts";
import type { Anchor } from "../../../domain/anchoring/anchor.ts";
import { ANCHOR_ADDRESS } from "../../../domain/anchoring/contract.ts";
import { anchorsBefore, checkpointsBefore, headsProjection } from "../../../projections/anchoring/heads.ts";
import { recentStreams, streamsProjection } from "../../../projections/anchoring/streams.ts";
import { sealedCounts } from "../../../projections/subjects/erasures.ts";
import { json, open, operation } from "../../declare/index.ts";
import { firmness, hex, isoTime, logKey, newest, next, page, pageOf, preciseTime, stream } from "./fields.ts";

const bare = (root: string) => root.slice(2);

const anchorFacts = {
  size: z.int(),
  root: sha256,
  network: z.string(),
  contract: z.string(),
  signer: z.string(),
  transaction: chainHash.describe("Its hash"),
  block_number: z.int(),
  block_hash: chainHash,
  timestamp: z.int().describe("The block's time in Unix seconds"),
  fee_wei: z.string(),
  firmness,
  anchored_at: time,
};

const anchorOf = (facts: Anchor, firm: z.infer<typeof firmness>) => ({
  ...facts,
  root: bare(facts.root),
  firmness: firm,
});

const status = operation({
  name: "log_status",
  route: "GET /log/status",
  summary: "The log's size, and how much of it is proven",
  description:
    "How many events the log has, and how many the newest checkpoint and the newest anchor cover. It names the key, contract and account to verify them.",
  access: [open()],
  input: z.object({}),
  output: json(
    z.object({
      origin: z.string(),
      key: z.string().describe("The log's verifier key"),
      events: z.int(),
      head: z.object({ position: z.int(), log_hash: sha256 }),
      checkpoint: z
        .object({ size: z.int(), root: sha256, signed_at: time, cosigned_by: z.array(z.string()) })
        .nullable(),
      anchor: z.object(anchorFacts).nullable(),
      unproven_events: z.int().describe("Number of events after the newest final anchor"),
      network: z.string().describe("The chain, as CAIP-2"),
      contract: z.string().describe("The contract that this service anchors in"),
      signer: z.string(),
      witnesses: z.array(z.string()).describe("Verifier keys of the witnesses that cosign for this service"),
      sealed: z
        .object({ values: z.int(), erased: z.int().describe("Number that can no longer be opened") })
        .describe("Sealed personal values in the log, and how many can no longer be opened"),
      contradiction: z
        .string()
        .nullable()
        .describe("How the log differs from its signatures or anchors; null if no difference is known"),
      detail: z.string().nullable().describe("Why signing is off; null if it is on"),
    }),
  ),
  example: {},
  caching: () => "no-cache",
  handle: async ({ app }) => {
    const [{ origin, checkpoint, anchor, unproven_events, contradiction }, head, sealed] = await Promise.all([
      anchorStatus(app),
      app.store.head(MAIN_LOG),
      sealedCounts(app.pool),
    ]);
    return {
      origin,
      key: logKey(app, origin),
      events: head.position,
      head: { position: head.position, log_hash: hex(head.log_hash) },
      checkpoint: checkpoint && { ...checkpoint, root: bare(checkpoint.root) },
      anchor: anchor && anchorOf(anchor, anchor.firmness),
      unproven_events,
      network: `eip155:${app.chain.chain_id}`,
      contract: ANCHOR_ADDRESS,
      signer: app.chain.sender,
      witnesses: app.settings.anchoring?.witnesses.map(({ key }) => key) ?? [],
      sealed,
      contradiction,
      detail: app.settings.anchoring ? null : "this service runs without ANCHORING: it signs nothing",
    };
  },
});

const streams = operation({
  name: "log_streams",
  route: "GET /log/streams",
  summary: "The streams that changed last",
  description:
    "A stream is an entity's history: how many events it has, and when it last changed, newest change first.",
  access: [open()],
  lists: streamsProjection,
  input: z.object({ limit: newest }),
  output: json(
    z.object({
      streams: z.array(
        z.object({
          stream,
          public: z.boolean().describe("true: `stream` is its id"),
          events: z.int(),
          last_position: z.int(),
          last_type: z.string(),
          last_at: preciseTime,
        }),
      ),
    }),
  ),
  example: { limit: 10 },
  handle: async ({ input: { limit }, app }) => {
    const rows = await recentStreams(app.pool, limit);
    return {
      streams: rows.map((row) => ({
        stream: shownStream(app, { ...row, type: row.last_type }),
        public: isPublic(app, { type: row.last_type }),
        events: row.events,
        last_position: row.last_position,
        last_type: row.last_type,
        last_at: isoTime(row.last_at_us),
      })),
    };
  },
});

const checkpoints = operation({
  name: "log_checkpoints",
  route: "GET /log/checkpoints",
  summary: "Every signed checkpoint",
  description: "The signed notes, newest first, each with its cosigning witnesses.",
  access: [open()],
  lists: headsProjection,
  input: z.object(page("size")),
  output: json(
    z.object({
      checkpoints: z.array(
        z.object({
          size: z.int(),
          root: sha256,
          signed_at: time,
          note: z.string().describe("The signed note"),
          cosigned_by: z.array(z.string()),
        }),
      ),
      next,
    }),
  ),
  example: { limit: 10 },
  handle: async ({ input: { before, limit }, app }) => {
    const rows = await checkpointsBefore(app.pool, { before, limit: limit + 1 });
    const { shown, next } = pageOf(rows, limit, ({ size }) => size);
    return { checkpoints: shown.map((row) => ({ ...row, root: bare(row.root) })), next };
  },
});

const anchorsOperation = operation({
  name: "log_anchors",
  route: "GET /log/anchors",
  summary: "Every anchor on the chain",
  description:
    "The transactions that committed the log to the chain, newest first, including those the chain reverted.",
  access: [open()],
  lists: headsProjection,
  input: z.object(page("position")),
  output: json(z.object({ anchors: z.array(z.object(anchorFacts)), next })),
  example: { limit: 10 },
  handle: async ({ input: { before, limit }, app }) => {
    const rows = await anchorsBefore(app.pool, { before, limit: limit + 1 });
    const { shown, next } = pageOf(rows, limit, ({ position }) => position);
    return { anchors: shown.map(({ facts, firmness: firm }) => anchorOf(facts, firm)), next };
  },
});

export const historyOperations = [status, streams, checkpoints, anchorsOperation];
