import { z } from "zod";
import { feed } from "../../../../eventstore/feed.ts";
import type { LogHead } from "../../../../eventstore/types.ts";
import type { App } from "../../../core/app.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import { shownActors } from "../../../projections/access/keys.ts";
import { isoTime, microsecondsOf } from "../../../standards/iso-time.ts";
import { key, operation, pay, stream } from "../../declare/index.ts";
import { afterCursor } from "./after-cursor.ts";

const line = z.object({
  op: z.literal("INSERT"),
  cursor: z.string(),
  position: z.int(),
  stream_id: z.string(),
  version: z.int().describe("Number of the event in its stream"),
  event_id: z.uuid(),
  type: z.string(),
  schema_version: z.int(),
  recorded_at: z.iso.datetime({ precision: 6 }),
  payload: z.union([z.record(z.string(), z.unknown()), z.string()]),
  meta: z
    .union([z.record(z.string(), z.unknown()), z.string()])
    .optional()
    .describe("Absent where another caller's command caused the event; `meta_hash` replaces it"),
  meta_hash: z.string().optional(),
  event_hash: z.string(),
  prev_hash: z.string(),
});

const mark = z.object({ cursor: z.string(), up_to_date: z.boolean() });

/** A feed that follows sends a heartbeat after each `heartbeat_ms` of silence. */
export const walSince = (heartbeat_ms = 15_000) =>
  operation({
    name: "wal_since",
    route: "GET /v1/agent/replay/wal-since",
    reads: "log",
    summary: "Your changes since a time",
    description:
      "Every event that your tenant caused, in log order, since a time or after a cursor: one JSON object a line, or " +
      "server-sent events. It ends at the log's head when the request came; `follow=true` and " +
      `server-sent events continue with new events, with a heartbeat after every ${heartbeat_ms / 1000} seconds of silence, and end ` +
      "when the key is revoked. A paid feed runs 24 hours. Until then the paying wallet can repeat it with its payment and " +
      "signature (`SIGN-IN-WITH-X`): up to the time of purchase, or live if it was bought with `follow`. Only INSERT " +
      "exists: the log never updates or deletes. Each line carries the cursor that resumes after it; the last " +
      "line, `{ cursor, up_to_date }`, is missing if the connection broke. Payloads stay as stored, in the " +
      "`schema_version` of their time, not the newest. An event of another caller's command has " +
      "`meta_hash` but no `meta`: its key and request id are private. `Last-Event-ID` overrides `cursor`, which overrides `since`.",
    access: [key("read"), pay("0.10")],
    input: z.object({
      since: isoTime
        .describe("Events recorded at or after this ISO 8601 time; a cursor takes precedence")
        .optional(),
      cursor: z.string().max(200, "is a cursor of this feed").describe("Events after this cursor").optional(),
      tenant: z.string().max(255).describe("Your own tenant, as a check; any other is refused").optional(),
      follow: z.boolean("is true or false").default(false).describe("Send new events"),
      proof: z
        .boolean("is true or false")
        .default(false)
        .describe("Payload and meta as the stored text that was hashed, for verifying event_hash"),
    }),
    output: stream(line, mark, { is_bounded: true }),
    refuses: [409],
    example: { since: "2026-01-01T00:00:00Z" },
    handle: async ({ input, caller, app, signal, stream }) => {
      const { tenant } = caller;
      if (input.tenant !== undefined && input.tenant !== tenant) {
        refuse("forbidden", `your tenant is ${tenant}; omit tenant or name that one`);
      }
      const after =
        stream.last_event_id !== undefined
          ? await afterCursor(app, stream.last_event_id, "Last-Event-ID")
          : input.cursor !== undefined
            ? await afterCursor(app, input.cursor, "cursor")
            : await before(app, tenant, input.since);
      const follow = input.follow || stream.wire === "sse";
      return feed(app, {
        shownActors: () => shownActors(app.pool, tenant),
        ...{
          tenant,
          after,
          proof: input.proof,
          follow,
          framing: stream.wire,
          signal,
          still: stream.still,
          heartbeat_ms,
        },
        ...(stream.bought && !follow && { up_to: stream.bought.position }),
      });
    },
  });

/** The position before the tenant's first event at or after a time. */
async function before(app: App, tenant: string, since: string | undefined): Promise<LogHead> {
  if (since === undefined) {
    return refuseField("since", "is required unless a cursor is given: an ISO 8601 time");
  }
  const first = await app.store.positionAt({ tenant, since_us: microsecondsOf(since)! });
  return (await app.store.headAt(first - 1))!;
}

export const replayOperations = [walSince()];
