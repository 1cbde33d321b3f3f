import { waitingAlerts } from "../../../projections/alerts/subscriptions.ts";
import { type Gauge, secondsSince } from "../../declare/gauge.ts";

export const alertGauges: Gauge[] = [
  {
    name: "tallystick_webhooks_waiting",
    help: "Alerts that are not delivered yet, including those that wait for another attempt",
    read: async ({ pool }) => [{ value: (await waitingAlerts(pool)).count }],
  },
  {
    name: "tallystick_webhooks_overdue_seconds",
    help: "Seconds since the oldest due alert became due; 0 if none is due",
    read: async (app) => {
      const { due_since } = await waitingAlerts(app.pool);
      return [{ value: due_since === null ? 0 : secondsSince(app, due_since) }];
    },
  },
];
