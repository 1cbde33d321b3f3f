/** Lists events of the log: all, those of a type or stream, or the caller's own. */

import { z } from "zod";
import { shownStream } from "../../../anchoring/public-parts.ts";
import type { App } from "../../../core/app.ts";
import { sha256 } from "../../../core/model/fields.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import { type EventFacts, type EventFilter, eventsBefore } from "../../../projections/anchoring/events.ts";
import { MOST_RECENT, recentStreams } from "../../../projections/anchoring/streams.ts";
import type { Caller } from "../../declare/caller.ts";
import { json, open, operation } from "../../declare/index.ts";
import { hex, isoTime, next, page, pageOf, preciseTime, stream } from "./fields.ts";

/** The most events that one page reads while it searches for a type, so that a rare type causes no scan of the log. */
const MOST_READ = 20_000;

/** The tenant whose events the caller may read with their payloads. */
export const readerOf = (caller: Caller): string | undefined =>
  caller.kind === "key" && caller.scopes.includes("read") ? caller.tenant : undefined;

/** The tenant of the public streams. */
export const PUBLIC_TENANT = "operator";

export const eventList = operation({
  name: "log_events",
  route: "GET /log/events",
  reads: "log",
  summary: "The newest events, their public parts",
  description:
    "Position, time, type and hashes of every event, newest first. The stream's name and payloads that are not long " +
    "are shown for public types, and with an API key for your own events. Filter by type or stream, or for your own events.",
  access: [open()],
  lists: "none",
  input: z.object({
    ...page("position"),
    type: z.string().max(100, "is at most 100 characters").describe("Only events of this type").optional(),
    stream: z
      .string()
      .max(500, "is at most 500 characters")
      .describe("Only events of this stream: a public one, or with an API key one of your own")
      .optional(),
    own: z.boolean("is true or false").describe("true: only your own events; needs an API key").optional(),
  }),
  output: json(
    z.object({
      events: z
        .array(
          z.object({
            position: z.int(),
            recorded_at: preciseTime,
            type: z.string(),
            event_id: z.uuid(),
            event_hash: sha256,
            log_hash: sha256,
            stream,
            payload: z.record(z.string(), z.unknown()).optional(),
          }),
        )
        .describe("The events, newest first"),
      next,
    }),
  ),
  example: { limit: 10 },
  handle: async ({ input: { before, limit, type, stream: wanted, own }, app, caller }) => {
    const reader = readerOf(caller);
    const { schemas } = app.unit;
    if (own && reader === undefined)
      return refuse("unauthorized", "own=true lists your own events: send an API key with the scope read");
    if (type !== undefined && schemas.newestVersion(type) === undefined)
      return refuseField("type", "is not an event type; /docs/events lists them");
    const streamFilter = wanted === undefined ? undefined : await streamOf(app, wanted, reader);
    const tenant = own ? reader : undefined;
    const floor = type === undefined || tenant || streamFilter ? 1 : await floorOf(app, before);
    const rows = await eventsBefore(
      app.pool,
      { before, limit: limit + 1 },
      { type, tenant, stream: streamFilter, floor },
      { types: schemas.publicTypes(), tenant: reader },
    );
    const { shown, next: more } = pageOf(rows, limit, ({ position }) => position);
    return {
      events: shown.map(({ payload, ...event }) => ({
        ...shownEvent(app, event, reader),
        ...(payload !== null && { payload: JSON.parse(payload) as Record<string, unknown> }),
      })),
      next: more ?? (floor > 1 ? floor : null),
    };
  },
});

export const shownEvent = (app: App, event: EventFacts, reader: string | undefined) => ({
  position: event.position,
  recorded_at: isoTime(event.recorded_at_us),
  type: event.type,
  event_id: event.event_id,
  event_hash: hex(event.event_hash),
  log_hash: hex(event.log_hash),
  stream: event.tenant === reader ? event.stream_id : shownStream(app, event),
});

const KEYED_HASH = /^[0-9a-f]{64}$/;

async function floorOf(app: App, before: number | undefined): Promise<number> {
  const { position } = await app.store.head();
  return Math.max(1, Math.min(before ?? Number.MAX_SAFE_INTEGER, position + 1) - MOST_READ);
}

/** Finds a stream: the caller's own, one of the most recent by its keyed hash, or a public one of the operator. */
export async function streamOf(
  app: App,
  stream_id: string,
  reader: string | undefined,
): Promise<NonNullable<EventFilter["stream"]>> {
  const own = reader === undefined ? undefined : { tenant: reader, stream_id };
  if (own && (await app.store.streamHead(own))) return own;
  const newest = KEYED_HASH.test(stream_id) ? await recentStreams(app.pool, MOST_RECENT) : [];
  const hashed = newest.find((row) => shownStream(app, { ...row, type: row.last_type }) === stream_id);
  if (hashed) return { tenant: hashed.tenant, stream_id: hashed.stream_id };
  return { tenant: PUBLIC_TENANT, stream_id, only: app.unit.schemas.publicTypes() };
}
