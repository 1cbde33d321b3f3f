import { z } from "zod";
import { time } from "../../../core/model/fields.ts";
import { buildsOf } from "../../../datasets/builds.ts";
import { stages } from "../../../datasets/progress.ts";
import { json, open, operation } from "../../declare/index.ts";
import { INTERFACE_VERSION } from "../../describe/openapi.ts";

const health = operation({
  name: "health",
  route: "GET /v1/agent/health",
  summary: "Health of the service, its log and its datasets",
  description:
    "Status of the log, each dataset, read model and background job (reactor), with the versions of service and interface.",
  access: [open()],
  input: z.object({}),
  output: json(
    z.object({
      data: z.object({
        status: z
          .enum(["ok", "starting", "contradicted"])
          .describe(
            "`starting` while a required dataset is being made or opened; `contradicted` while the log differs from the signed one: reads work, nothing is recorded or sold",
          ),
        interface_version: z.string(),
        started_at: time,
        log: z.object({
          origin: z.string(),
          position: z.int().describe("Events in the log"),
          contradiction: z
            .string()
            .nullable()
            .describe("How the log differs from its signatures or anchors; null if no difference is known"),
        }),
        datasets: z.array(z.object({ dataset: z.string(), vintage: z.string(), synthetic: z.boolean() })),
        making: z
          .array(
            z.object({
              dataset: z.string(),
              stage: z.enum(stages),
              percent: z.int().describe("Finished part of the stage, in percent"),
              seconds_left: z.int().describe("Estimated seconds until it ends"),
            }),
          )
          .describe("Datasets in the making"),
        projections: z
          .array(
            z.object({
              name: z.string(),
              behind: z.int().describe("Events it has not folded yet"),
              trouble: z.string().nullable().describe("Why it cannot fold"),
            }),
          )
          .describe("The read models"),
        reactors: z
          .array(
            z.object({
              name: z.string(),
              last_good_s: z
                .int()
                .nullable()
                .describe(
                  "Seconds since its last good run, accurate to thirty. Without work it runs every five minutes. Null before the first run",
                ),
              trouble: z
                .object({
                  status: z.string(),
                  since: z.iso.datetime().describe("When the failure began"),
                })
                .nullable()
                .describe("Why it cannot work, in any process; null: it works"),
            }),
          )
          .describe("The service's background work"),
      }),
      meta: z.object({ served_at: time }),
    }),
  ),
  example: {},
  handle: async ({ app, data }) => {
    const [identity, head, health, contradiction] = await Promise.all([
      app.store.identity(),
      app.store.head(),
      app.health(),
      app.accepting.contradiction(),
    ]);
    const awaited = data.vintages.awaited();
    const stage = awaited.length === 0 ? "ok" : "starting";
    const datasets = data.vintages
      .open()
      .map(({ dataset, vintage, synthetic }) => ({ dataset, vintage, synthetic }));
    return {
      data: {
        status: contradiction === null ? stage : "contradicted",
        interface_version: INTERFACE_VERSION,
        started_at: app.settings.started_at.toISOString(),
        log: { origin: identity.origin, position: head.position, contradiction },
        datasets,
        making: buildsOf(awaited),
        projections: health.projections.map(({ name, behind, trouble }) => ({
          name,
          behind,
          trouble: trouble && "an event cannot be folded; the process's error output says why",
        })),
        // The reason of a failure may contain addresses of this network, so it is only in the service's log, for the
        // operator.
        reactors: health.reactors.map(({ name, last_good_s, trouble }) => ({
          name,
          last_good_s,
          trouble: trouble && { status: trouble.status, since: trouble.since },
        })),
      },
      meta: { served_at: app.clock.now().toISOString() },
    };
  },
});

const feeds = operation({
  name: "feeds",
  route: "GET /v1/agent/feeds",
  summary: "The feeds that you can follow",
  description: "Each feed with its formats and prices, and how to resume it.",
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
