import { z } from "zod";
import { time } from "../../../domain/fields.ts";
import { INTERFACE_VERSION } from "../../openapi.ts";
import { json, open, operation } from "../../operation.ts";

const health = operation({
  name: "health",
  route: "GET /v1/agent/health",
  summary: "Health of the service, its log and its datasets",
  description: "The state of the log and of each dataset, with the service's and the interface's version.",
  access: [open()],
  input: z.object({}),
  output: json(
    z.object({
      data: z.object({
        status: z.enum(["ok", "starting"]).describe("`starting` until a trade dataset is open"),
        interface_version: z.string(),
        started_at: time,
        log: z.object({ origin: z.string(), position: z.int().describe("Events in the log") }),
        datasets: z.array(z.object({ dataset: z.string(), vintage: z.string(), synthetic: z.boolean() })),
      }),
      meta: z.object({ served_at: time }),
    }),
  ),
  example: {},
  handle: async ({ app }) => {
    const [identity, head] = await Promise.all([app.store.identity(), app.store.head()]);
    const datasets = app.vintages
      .open()
      .map(({ dataset, vintage, synthetic }) => ({ dataset, vintage, synthetic }));
    return {
      data: {
        status: datasets.length > 0 ? "ok" : "starting",
        interface_version: INTERFACE_VERSION,
        started_at: app.settings.started_at.toISOString(),
        log: { origin: identity.origin, position: head.position },
        datasets,
      },
      meta: { served_at: app.clock.now().toISOString() },
    };
  },
});

const feeds = operation({
  name: "feeds",
  route: "GET /v1/agent/feeds",
  summary: "What can be followed",
  description: "The feeds a consumer can keep up with, their formats and prices, and how to resume each.",
  access: [open()],
  input: z.object({}),
  output: json(
    z.object({
      data: z.array(
        z.object({
          name: z.string(),
          url: z.url(),
          format: z.string(),
          price: z.string().describe("USDC a call"),
          cursor: z.string().describe("The parameter that resumes the feed"),
        }),
      ),
      meta: z.object({ count: z.int() }),
    }),
  ),
  example: {},
  handle: async ({ app }) => {
    const data = [
      {
        name: "wal-since",
        url: `${app.settings.public_url}/v1/agent/replay/wal-since`,
        format: "application/x-ndjson, text/event-stream",
        price: "0.10",
        cursor: "cursor, or Last-Event-ID",
      },
    ];
    return { data, meta: { count: data.length } };
  },
});

export const discoveryOperations = [health, feeds];
