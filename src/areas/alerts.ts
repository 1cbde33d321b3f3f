import { alertGauges } from "../api/describe/gauges/alerts.ts";
import { alertOperations } from "../api/operations/alerts/subscriptions.ts";
import * as evaluation from "../domain/alerts/evaluation.ts";
import * as subscription from "../domain/alerts/subscription.ts";
import { webhookProblems } from "../domain/webhooks/problems.ts";
import { alertsProjection } from "../projections/alerts/subscriptions.ts";
import { deliveriesReactor } from "../reactors/alerts/deliver.ts";
import { evaluationsReactor } from "../reactors/alerts/evaluate.ts";
import type { Area } from "./area.ts";

export const alerts: Area = {
  name: "alerts",
  about: "Webhooks for anomalies in EU trade",
  envelope: "success",
  entities: [subscription, evaluation],
  projections: [alertsProjection],
  reactors: [evaluationsReactor, deliveriesReactor],
  operations: alertOperations,
  problems: webhookProblems,
  gauges: alertGauges,
};
