/** Subscriptions that post a caller's notices to its webhook. */
import { z } from "zod";
import { refuse } from "../../../core/model/refusal.ts";
import { kindNames } from "../../../domain/notices/kinds.ts";
import { TEST_TYPE, testNotice } from "../../../domain/notices/message.ts";
import * as subscriptions from "../../../domain/notices/subscription.ts";
import { examples } from "../../../domain/sandbox/examples.ts";
import { OLD_SECRET_HOURS, secretOf } from "../../../domain/webhooks/message.ts";
import { existingSubscription, MOST_TESTS, ownSubscription } from "../../../domain/webhooks/subscription.ts";
import {
  countOtherSubscriptions,
  listSubscriptions,
  noticeSubscriptionsProjection,
} from "../../../projections/notices/subscriptions.ts";
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
import {
  kindsField,
  product,
  shownSubscription,
  subscription,
  subscriptionId,
  subscriptionWithSecret,
} from "./fields.ts";
import { noticesStream } from "./stream.ts";

const PATH = "/v1/agent/notices/subscriptions";

const subscribe = operation({
  name: "notices_subscribe",
  route: `POST ${PATH}`,
  effect: { changes: "adds", repeatable: false, reaches_out: true },
  summary:
    "A webhook for changes of your tasks, bounties, orders, executions, checks, refunds and channels, and for releases and duties",
  description: `Each change of a subject of yours is posted to \`url\` as \`{ type, timestamp, data }\`, signed by
[Standard Webhooks](https://www.standardwebhooks.com), as notices_stream lists it. Notices of one subject come in order, each at least once;
a repeat has the same \`webhook-id\`. A failed delivery is retried six times over a day, and later notices of its subject wait for it.`,
  access: [key("order"), pay("0.10")],
  omitted_in_repeats: once_fields,
  input: z.object({
    url,
    kinds: kindsField.default([...kindNames]).describe("Only subjects of these kinds; omitted = all"),
    products: z
      .array(product, "is a list of goods codes")
      .max(100, "has at most 100 codes")
      .default([])
      .describe("Only duties that apply to one of these goods codes; omitted = all"),
  }),
  output: json(z.object({ data: subscriptionWithSecret, meta })),
  status: 201,
  refuses: [409],
  example: { url: "https://agent.example.org/hooks/jobs", kinds: ["task", "order", "refund"] },
  handle: async ({ input, caller, app, unit }) => {
    const address = acceptedUrl(app, input.url);
    await app.caughtUp(noticeSubscriptionsProjection);
    const others = await countOtherSubscriptions(app.pool, caller.tenant, unit.fresh_id);
    if (others >= subscriptions.MOST_SUBSCRIPTIONS)
      refuse("conflict", `you have ${subscriptions.MOST_SUBSCRIPTIONS} subscriptions; delete one`);
    const { position: after } = await app.store.head();
    const facts = {
      subscription_id: unit.fresh_id,
      url: address,
      kinds: [...new Set(input.kinds)],
      products: [...new Set(input.products)],
      after,
      subscribed_at: app.clock.now().toISOString(),
    };
    const own = target(caller, unit.fresh_id);
    const { state } = await unit.decide(subscriptions, own, subscriptions.subscribe(facts));
    const data = shownSubscription(existingSubscription(state));
    const secret = secretOf(app.signer, unit.fresh_id, { rotation: 0 });
    return { data: { ...data, secret }, meta: { tenant: caller.tenant } };
  },
});

const list = operation({
  name: "notices_subscriptions",
  route: `GET ${PATH}`,
  summary: "Your subscriptions to notices, newest first",
  description: "Each entry is what notices_status returns. Free to the owner.",
  access: [owner("read")],
  lists: noticeSubscriptionsProjection,
  omitted_in_repeats: once_fields,
  input: z.object({
    status: statusInput(subscriptions.statuses),
    ...pageInput,
  }),
  output: json(z.object({ data: z.array(subscription), meta: meta.extend({ next_cursor: nextCursor }) })),
  example: { status: "active", limit: 10 },
  handle: async ({ input: { status = null, limit, cursor }, caller, app }) => {
    const { tenant } = caller;
    const { page, next_cursor } = await readPage({ limit, cursor }, (rows) =>
      listSubscriptions(app.pool, { tenant, status, ...rows }),
    );
    return { data: page.map(({ state }) => shownSubscription(state)), meta: { tenant, next_cursor } };
  },
});

const status = operation({
  name: "notices_status",
  route: `GET ${PATH}/{id}`,
  summary: "Status of a subscription to notices",
  description: "Deliveries, failures and their reasons. Always current; only for its owner, and free.",
  access: [owner("read")],
  omitted_in_repeats: once_fields,
  input: z.object({ id: subscriptionId }),
  output: json(z.object({ data: subscription, meta })),
  refuses: [404],
  example: { id: examples.notices.shown },
  handle: async ({ input: { id }, caller, app }) => {
    const state = await app.load(subscriptions, target(caller, id));
    return { data: shownSubscription(ownSubscription(state)), meta: { tenant: caller.tenant } };
  },
});

const resume = operation({
  name: "notices_resume",
  route: `POST ${PATH}/resume`,
  effect: { changes: "adds", repeatable: true, reaches_out: true },
  summary: "Resume a subscription to notices that was disabled",
  description:
    "Deliveries continue with the first notice that the webhook has not accepted; no waiting notice is lost.",
  access: [owner("order")],
  omitted_in_repeats: once_fields,
  input: z.object({ subscription_id: subscriptionId }),
  output: json(z.object({ data: subscription, meta })),
  refuses: [404, 409],
  example: { subscription_id: examples.notices.shown },
  handle: async ({ input: { subscription_id }, caller, app, unit }) => {
    const decision = subscriptions.resume(app.clock.now().toISOString());
    const { state } = await unit.decide(subscriptions, target(caller, subscription_id), decision);
    return {
      data: shownSubscription(existingSubscription(state)),
      meta: { tenant: caller.tenant },
    };
  },
});

const rotate = operation({
  name: "notices_rotate_secret",
  route: `POST ${PATH}/rotate-secret`,
  effect: { changes: "takes", repeatable: false, reaches_out: false },
  summary: "Rotate the signing secret of a subscription to notices",
  description: `For ${OLD_SECRET_HOURS} hours deliveries carry both the old and the new signature (Standard Webhooks).`,
  access: [key("order"), pay("0.001")],
  omitted_in_repeats: once_fields,
  input: z.object({ subscription_id: subscriptionId }),
  output: json(z.object({ data: subscriptionWithSecret, meta })),
  refuses: [404, 409],
  example: { subscription_id: examples.notices.shown },
  handle: async ({ input: { subscription_id }, caller, app, unit }) => {
    const decision = subscriptions.rotateSecret(app.clock.now().toISOString());
    const { state } = await unit.decide(subscriptions, target(caller, subscription_id), decision);
    const found = existingSubscription(state);
    const secret = secretOf(app.signer, subscription_id, found.secrets[0]!);
    return { data: { ...shownSubscription(found), secret }, meta: { tenant: caller.tenant } };
  },
});

const sendTest: OperationDeclaration = operation({
  name: "notices_test",
  route: `POST ${PATH}/test`,
  effect: { changes: "adds", repeatable: false, reaches_out: true },
  summary: "Send a test notice to the webhook of a subscription",
  description: `Posts one notice without content, signed like a real one, with \`type\` "${TEST_TYPE}", and returns the webhook's status. It is not
retried, and also reaches a disabled subscription. At most ${MOST_TESTS} an hour.`,
  access: [owner("order")],
  input: z.object({ subscription_id: subscriptionId }),
  output: json(
    z.object({
      data: z.object({
        notice_id: z.string().describe("The webhook-id of the delivery"),
        type: z.literal(TEST_TYPE),
        ...testFields,
      }),
      meta,
    }),
  ),
  refuses: [404, 409],
  example: { subscription_id: examples.notices.shown },
  handle: async (context) => {
    const { message_id, ...outcome } = await postTest(context, {
      operation: sendTest,
      entity: subscriptions,
      message: testNotice,
    });
    return {
      data: { notice_id: message_id, type: TEST_TYPE, ...outcome },
      meta: { tenant: context.caller.tenant },
    };
  },
});

const unsubscribe = operation({
  name: "notices_delete",
  route: `DELETE ${PATH}/{id}`,
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "End a subscription to notices",
  description: "Deliveries stop. Notices stay in notices_stream, and the subscription's history in the log.",
  access: [owner("order")],
  omitted_in_repeats: once_fields,
  input: z.object({ id: subscriptionId }),
  output: json(z.object({ data: subscription, meta })),
  refuses: [404],
  example: { id: examples.notices.ended },
  handle: async ({ input: { id }, caller, app, unit }) => {
    const decision = subscriptions.unsubscribe(app.clock.now().toISOString());
    const { state } = await unit.decide(subscriptions, target(caller, id), decision);
    if (!state) return refuse("not_found", "you have no such subscription");
    return { data: shownSubscription(state), meta: { tenant: caller.tenant } };
  },
});

export const noticeOperations = [
  noticesStream(),
  subscribe,
  list,
  status,
  resume,
  rotate,
  sendTest,
  unsubscribe,
];
