import { failingSubscriptions } from "../../../projections/notices/subscriptions.ts";
import { type Gauge, secondsSince } from "../../declare/gauge.ts";

export const noticeGauges: Gauge[] = [
  {
    name: "tallystick_notices_failing",
    help: "Subscriptions to notices whose webhook failed and is tried again",
    read: async ({ pool }) => [{ value: (await failingSubscriptions(pool)).count }],
  },
  {
    name: "tallystick_notices_overdue_seconds",
    help: "Seconds since the oldest due retry of a notice became due; 0 if none is due",
    read: async (app) => {
      const { retry_at } = await failingSubscriptions(app.pool);
      return [{ value: retry_at === null ? 0 : secondsSince(app, retry_at) }];
    },
  },
];
