import { noticeGauges } from "../api/describe/gauges/notices.ts";
import { noticeOperations } from "../api/operations/notices/subscriptions.ts";
import { noticeProblems } from "../domain/notices/problems.ts";
import * as subscription from "../domain/notices/subscription.ts";
import { noticesProjection } from "../projections/notices/notices.ts";
import { noticeSubscriptionsProjection } from "../projections/notices/subscriptions.ts";
import { noticesReactor } from "../reactors/notices/deliver.ts";
import type { Area } from "./area.ts";

export const notices: Area = {
  name: "notices",
  about: "Webhooks and server-sent events of your jobs, orders, refunds and of new releases",
  envelope: "success",
  entities: [subscription],
  projections: [noticesProjection, noticeSubscriptionsProjection],
  reactors: [noticesReactor],
  operations: noticeOperations,
  problems: noticeProblems,
  gauges: noticeGauges,
};
