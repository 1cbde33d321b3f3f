import { waitingAlerts } from "../../../projections/alerts/subscriptions.ts";
import { type Gauge, secondsSince } from "../../declare/gauge.ts";

export const alertGauges: Gauge[] = [
  {
    name: "tallystick_webhooks_waiting",
    help: "Alerts that are not delivered yet, those that wait for another attempt among them",
    read: async ({ pool }) => [{ value: (await waitingAlerts(pool)).count }],
  },
  {
    name: "tallystick_webhooks_overdue_seconds",
    help: "How long the alert that is due longest has been; 0 where none is",
    read: async (app) => {
      const { due_since } = await waitingAlerts(app.pool);
      return [{ value: due_since === null ? 0 : secondsSince(app, due_since) }];
    },
  },
];
