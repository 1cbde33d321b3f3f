import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { month } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import type { Data } from "../../../datasets/reading.ts";
import { ALERT_TYPE, TEST_TYPE, testMessage } from "../../../domain/alerts/message.ts";
import type { Subscription } from "../../../domain/alerts/subscription.ts";
import * as subscriptions from "../../../domain/alerts/subscription.ts";
import { examples } from "../../../domain/sandbox/examples.ts";
import { FALSE_DISCOVERY_RATE, LEAST_Z } from "../../../domain/trade/anomalies.ts";
import { dataset, flow, hs, reporter } from "../../../domain/trade/inputs.ts";
import { OLD_SECRET_HOURS, secretOf } from "../../../domain/webhooks/message.ts";
import { existingSubscription, MOST_TESTS, ownSubscription } from "../../../domain/webhooks/subscription.ts";
import {
  alertsProjection,
  countOthers,
  listSubscriptions,
} from "../../../projections/alerts/subscriptions.ts";
import type { Caller } from "../../declare/caller.ts";
import { json, key, type OperationDeclaration, operation, owner, pay } from "../../declare/index.ts";
import { nextCursor, pageInput, readPage } from "../../declare/page.ts";
import {
  acceptedUrl,
  meta,
  once_fields,
  postTest,
  statusInput,
  target,
  testFields,
  url,
} from "../webhooks/subscription.ts";
import { shownSubscription, subscription, subscriptionId, subscriptionWithSecret } from "./fields.ts";

const shownToOwner = (state: Subscription, data: Data, { tenant }: Caller) => ({
  data: shownSubscription(state, data),
  meta: { tenant },
});

const subscribe = operation({
  name: "alerts_subscribe",
  route: "POST /v1/agent/trade/alerts/subscribe",
  effect: { changes: "adds", repeatable: false, reaches_out: true },
  summary: "Send anomalies of EU trade figures to a webhook at each dataset release",
  description: `When a dataset is released, the last months of each country, chapter and flow are judged as in trade_alerts
(false alarms at most ${FALSE_DISCOVERY_RATE * 100} %). Matches are posted to \`url\` as \`{ type: "${ALERT_TYPE}", timestamp, data }\`, signed by
[Standard Webhooks](https://www.standardwebhooks.com). A month of a series is sent once, however many releases show it. A subscription
may wait for data that do not exist yet: \`waiting_for\` names them. Each delivered alert costs
one of the ${subscriptions.FIRST_CREDITS} credits included. A failed delivery is retried six times over a day; \`webhook-id\` stays the same.`,
  access: [key("order"), pay("1.00")],
  omitted_in_repeats: once_fields,
  input: z.object({
    url,
    reporter: reporter
      .describe(
        "Only this reporting country; omitted = all, which for a product below a chapter needs data of all 27",
      )
      .optional(),
    hs: hs
      .describe("Only this product, an HS or CN code of 2, 4, 6 or 8 digits; omitted = every chapter")
      .optional(),
    flow: flow.describe("Only IMPORT or EXPORT; omitted = both").optional(),
    threshold: z
      .number("is a number")
      .min(LEAST_Z, `is at least ${LEAST_Z}: below it nothing is significant`)
      .max(1_000, "is at most 1000")
      .default(3)
      .describe("The smallest |z| to send: standard deviations from the mean of the twelve months before"),
    dataset: dataset
      .describe("Only this dataset, which may be released later; omitted = all but `sandbox`")
      .optional(),
    from: month.optional().describe("First month to report, YYYY-MM; may be in the future; omitted = any"),
  }),
  output: json(z.object({ data: subscriptionWithSecret, meta })),
  status: 201,
  refuses: [409],
  example: { url: "https://agent.example.org/hooks/trade", reporter: "DE", flow: "IMPORT", threshold: 3 },
  handle: async ({ input, caller, app, data, unit }) => {
    const { reporter = null, hs = null, flow = null, threshold, dataset = null, from = null } = input;
    const url = acceptedUrl(app, input.url);
    await app.caughtUp(alertsProjection);
    if ((await countOthers(app.pool, caller.tenant, unit.fresh_id)) >= subscriptions.MOST_SUBSCRIPTIONS)
      refuse(
        "conflict",
        `you have ${subscriptions.MOST_SUBSCRIPTIONS} subscriptions; delete one, or widen one`,
      );
    const at = app.clock.now().toISOString();
    const facts = {
      subscription_id: unit.fresh_id,
      watch: { reporter, hs, flow, threshold, dataset, from },
      url,
      credits: subscriptions.FIRST_CREDITS,
      subscribed_at: at,
    };
    const { state } = await unit.decide(
      subscriptions,
      target(caller, unit.fresh_id),
      subscriptions.subscribe(facts),
    );
    return {
      data: withSecret(app, existingSubscription(state), data),
      meta: { tenant: caller.tenant },
    };
  },
});

const withSecret = (app: App, state: Subscription, data: Data) => ({
  ...shownSubscription(state, data),
  secret: secretOf(app.signer, state.facts.subscription_id, state.secrets[0]!),
});

const topUp = operation({
  name: "alerts_topup",
  route: "POST /v1/agent/trade/alerts/topup",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  summary: `Add ${subscriptions.TOPUP_CREDITS} credits to an alert subscription`,
  description:
    "A paused or disabled subscription resumes with its waiting alerts. If it was disabled, each alert gets all its delivery attempts again.",
  access: [key("order"), pay("5.00")],
  omitted_in_repeats: once_fields,
  input: z.object({ subscription_id: subscriptionId }),
  output: json(z.object({ data: subscription, meta })),
  refuses: [404, 409],
  example: { subscription_id: examples.alerts.shown },
  handle: async ({ input: { subscription_id }, caller, app, data, unit }) => {
    const at = app.clock.now().toISOString();
    const decision = subscriptions.topUp(subscriptions.TOPUP_CREDITS, at);
    const { state } = await unit.decide(subscriptions, target(caller, subscription_id), decision);
    return shownToOwner(existingSubscription(state), data, caller);
  },
});

const resume = operation({
  name: "alerts_resume",
  route: "POST /v1/agent/trade/alerts/resume",
  effect: { changes: "adds", repeatable: true, reaches_out: false },
  summary: "Resume an alert subscription that was disabled",
  description:
    "Waiting alerts get all their delivery attempts again. Free to the owner; without credits use alerts_topup.",
  access: [owner("order")],
  omitted_in_repeats: once_fields,
  input: z.object({ subscription_id: subscriptionId }),
  output: json(z.object({ data: subscription, meta })),
  refuses: [404, 409],
  example: { subscription_id: examples.alerts.shown },
  handle: async ({ input: { subscription_id }, caller, app, data, unit }) => {
    const decision = subscriptions.resume(app.clock.now().toISOString());
    const { state } = await unit.decide(subscriptions, target(caller, subscription_id), decision);
    return shownToOwner(existingSubscription(state), data, caller);
  },
});

const rotate = operation({
  name: "alerts_rotate_secret",
  route: "POST /v1/agent/trade/alerts/rotate-secret",
  effect: { changes: "takes", repeatable: false, reaches_out: false },
  summary: "Rotate an alert subscription's signing secret",
  description: `For ${OLD_SECRET_HOURS} hours deliveries carry both the old and the new signature (Standard Webhooks).`,
  access: [key("order"), pay("0.001")],
  omitted_in_repeats: once_fields,
  input: z.object({ subscription_id: subscriptionId }),
  output: json(z.object({ data: subscriptionWithSecret, meta })),
  refuses: [404, 409],
  example: { subscription_id: examples.alerts.shown },
  handle: async ({ input: { subscription_id }, caller, app, data, unit }) => {
    const at = app.clock.now().toISOString();
    const decision = subscriptions.rotateSecret(at);
    const { state } = await unit.decide(subscriptions, target(caller, subscription_id), decision);
    return {
      data: withSecret(app, existingSubscription(state), data),
      meta: { tenant: caller.tenant },
    };
  },
});

const sendTest: OperationDeclaration = operation({
  name: "alerts_test",
  route: "POST /v1/agent/trade/alerts/test",
  effect: { changes: "adds", repeatable: false, reaches_out: true },
  summary: "Send a test event to the webhook of an alert subscription",
  description: `Posts one synthetic alert, signed like a real one, with \`type\` "${TEST_TYPE}", and returns the webhook's status. It costs no
credit, is not retried, and also reaches a paused or disabled subscription. At most ${MOST_TESTS} an hour.`,
  access: [owner("order")],
  input: z.object({ subscription_id: subscriptionId }),
  output: json(
    z.object({
      data: z.object({
        alert_id: z.string().describe("The webhook-id of the delivery"),
        type: z.literal(TEST_TYPE),
        ...testFields,
      }),
      meta,
    }),
  ),
  refuses: [404, 409],
  example: { subscription_id: examples.alerts.shown },
  handle: async (context) => {
    const { message_id, ...outcome } = await postTest(context, {
      operation: sendTest,
      entity: subscriptions,
      message: testMessage,
    });
    return {
      data: { alert_id: message_id, type: TEST_TYPE, ...outcome },
      meta: { tenant: context.caller.tenant },
    };
  },
});

const list = operation({
  name: "alerts_subscriptions",
  route: "GET /v1/agent/trade/alerts/subscriptions",
  summary: "Your alert subscriptions, newest first",
  description: "Each entry is what alerts_status returns. Free to the owner.",
  access: [owner("read")],
  lists: alertsProjection,
  omitted_in_repeats: once_fields,
  input: z.object({
    status: statusInput(subscriptions.statuses),
    ...pageInput,
  }),
  output: json(z.object({ data: z.array(subscription), meta: meta.extend({ next_cursor: nextCursor }) })),
  example: { status: "active", limit: 10 },
  handle: async ({ input: { status = null, limit, cursor }, caller, app, data }) => {
    const { tenant } = caller;
    const { page, next_cursor } = await readPage({ limit, cursor }, (rows) =>
      listSubscriptions(app.pool, { tenant, status, ...rows }),
    );
    const states = await Promise.all(page.map(({ id }) => app.load(subscriptions, { tenant, id })));
    return { data: states.map((state) => shownSubscription(state!, data)), meta: { tenant, next_cursor } };
  },
});

const alertStatus = operation({
  name: "alerts_status",
  route: "GET /v1/agent/trade/alerts/status/{id}",
  summary: "Status of an alert subscription",
  description:
    "The subscription's credits, deliveries and waiting alerts, and why it is disabled. Always current; only for its owner.",
  access: [key("read"), pay("0.005")],
  omitted_in_repeats: once_fields,
  input: z.object({ id: subscriptionId }),
  output: json(z.object({ data: subscription, meta })),
  refuses: [404],
  example: { id: examples.alerts.shown },
  handle: async ({ input: { id }, caller, app, data }) => {
    const state = await app.load(subscriptions, target(caller, id));
    return shownToOwner(ownSubscription(state), data, caller);
  },
});

const remove = operation({
  name: "alerts_delete",
  route: "DELETE /v1/agent/trade/alerts/{id}",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Cancel an alert subscription",
  description: "Deliveries stop, and the remaining credits are lost. The history stays in the log.",
  access: [key("order"), pay("0.001")],
  omitted_in_repeats: once_fields,
  input: z.object({ id: subscriptionId }),
  output: json(z.object({ data: subscription, meta })),
  refuses: [404],
  example: { id: examples.alerts.ended },
  handle: async ({ input: { id }, caller, app, data, unit }) => {
    const at = app.clock.now().toISOString();
    const { state } = await unit.decide(subscriptions, target(caller, id), subscriptions.remove(at));
    if (!state) return refuse("not_found", "you have no such subscription");
    return shownToOwner(state, data, caller);
  },
});

export const alertOperations = [subscribe, topUp, resume, rotate, sendTest, list, alertStatus, remove];
