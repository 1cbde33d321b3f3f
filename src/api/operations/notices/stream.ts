/** Streams a caller's notices as lines or server-sent events. */
import { z } from "zod";
import type { LogHead } from "../../../../eventstore/types.ts";
import type { App } from "../../../core/app.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { kindNames, noticeTypes } from "../../../domain/notices/kinds.ts";
import { contentOf } from "../../../domain/notices/message.ts";
import { noticeProblems } from "../../../domain/notices/problems.ts";
import { KEEP_DAYS } from "../../../domain/notices/subscription.ts";
import { eventsAt } from "../../../projections/anchoring/events.ts";
import { noticeFeed } from "../../../projections/notices/feed.ts";
import { operation, owner, stream } from "../../declare/index.ts";
import { afterCursor } from "../replay/after-cursor.ts";
import { kindsField, product } from "./fields.ts";

const line = z.object({
  type: z.enum(noticeTypes as [string, ...string[]]).describe("What happened"),
  timestamp: z.string().describe("When its event was recorded"),
  data: z
    .looseObject({
      notice_id: z.string().describe("The `webhook-id` of the same notice at a webhook"),
      event_id: z.string().describe("Its event in the log"),
      cursor: z.string().describe("Resumes after this notice"),
      subject: z
        .object({ kind: z.enum(kindNames).describe("Its kind"), id: z.string().describe("Its id") })
        .describe("The task, order or other thing that changed"),
    })
    .describe("The subject, and facts of the event"),
});

const mark = z.object({
  cursor: z.string().describe("Resumes here"),
  up_to_date: z.boolean().describe("True: nothing newer is known"),
});

/** A stream that follows sends a heartbeat after each `heartbeat_ms` of silence. */
export const noticesStream = (heartbeat_ms = 15_000) =>
  operation({
    name: "notices_stream",
    route: "GET /v1/agent/notices",
    summary:
      "Changes of your tasks, bounties, orders, executions, checks, refunds and channels, and new releases",
    description: `Each change of a task, order or other subject of yours, in log order: as requester, worker, creator, claimant, buyer, issuer or payee. Releases and
duties are for everybody. One JSON object a line, or server-sent events, whose \`id\` is the cursor: \`Last-Event-ID\` resumes after it, and
nothing is lost or repeated for ${KEEP_DAYS} days. Without a cursor it begins now. It ends when it is up to date; \`follow=true\` and server-sent events continue, with a heartbeat after every ${heartbeat_ms / 1000} seconds of silence. notices_subscribe sends the same to a webhook.`,
    access: [owner("read")],
    input: z.object({
      cursor: z
        .string()
        .max(200, "is a cursor of this stream")
        .optional()
        .describe("Notices after this cursor; `start`: all that are stored; omitted: only new ones"),
      kinds: z
        .preprocess((given) => (typeof given === "string" ? given.split(",") : given), kindsField)
        .optional()
        .describe(`Only these kinds, comma-separated: ${kindNames.join(", ")}; omitted = all`),
      product: product.optional().describe("Only duties that apply to this goods code; omitted = all"),
      follow: z.boolean("is true or false").default(false).describe("Send new notices as they come"),
    }),
    output: stream(line, mark),
    refuses: [409, 410],
    example: { cursor: "start", kinds: ["release"] },
    handle: async ({ input, caller, app, signal, stream }) => {
      const [name, cursor] =
        stream.last_event_id === undefined
          ? (["cursor", input.cursor] as const)
          : (["Last-Event-ID", stream.last_event_id] as const);
      const after =
        cursor === undefined
          ? await app.store.head()
          : cursor === "start"
            ? (await app.store.headAt(0))!
            : await withinRetention(app, await afterCursor(app, cursor, name));
      const isSse = stream.wire === "sse";
      return noticeFeed(app, {
        tenant: caller.tenant,
        kinds: input.kinds ?? kindNames,
        products: input.product === undefined ? [] : [input.product],
        after,
        follow: input.follow || isSse,
        contentOf,
        framed: (id, item) =>
          isSse ? `id: ${id}\ndata: ${JSON.stringify(item)}\n\n` : `${JSON.stringify(item)}\n`,
        signal,
        still: stream.still,
        heartbeat_ms,
      });
    },
  });

/** Refuses a cursor that is older than the retained notices, because the stream would lack some. */
async function withinRetention({ pool, clock }: App, head: LogHead): Promise<LogHead> {
  const event = (await eventsAt(pool, [head.position])).get(head.position);
  const oldest_us = (clock.now().getTime() - KEEP_DAYS * 86_400_000) * 1_000;
  if (event && event.recorded_at_us < oldest_us)
    refuse(
      noticeProblems["notices-past-keeping"],
      `the cursor is older than ${KEEP_DAYS} days: begin without a cursor, and read what you missed in wal-since`,
    );
  return head;
}
