/**
 * Claim: a notice reaches its webhook within a second of its commit, at the 95th percentile. Orders' events are appended at a
 * steady rate by one process; `tallystick serve` in another one folds and delivers them to a webhook in this one.
 *
 *     npx tsx bench/notices.ts [--notices 600] [--rps 20] [--subjects 40]
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { noticeIdOf } from "../src/domain/notices/message.ts";
import { development } from "../test/alerts/delivery-setup.ts";
import { openReceiver } from "../test/alerts/receiver.ts";
import { eventOf, recorded, subscribed } from "../test/notices/notices-setup.ts";
import { withDatabase, withService } from "./load.ts";
import { startServiceProcess } from "./service-process.ts";

const { values } = parseArgs({
  options: {
    notices: { type: "string", default: "600" },
    rps: { type: "string", default: "20" },
    subjects: { type: "string", default: "40" },
  },
});
const [count, rps, subjects] = [values.notices, values.rps, values.subjects].map(Number) as [
  number,
  number,
  number,
];

await withDatabase(async (env) => {
  const settings = { ...env, ...development, SANDBOX: "0" };
  const receiver = await openReceiver();
  const arrived = new Map<string, number>();
  receiver.answers((response) => {
    const id = receiver.received.at(-1)!.headers["webhook-id"] as string;
    if (!arrived.has(id)) arrived.set(id, performance.now());
    response.writeHead(204).end();
  });
  const service = await startServiceProcess(settings);
  try {
    await withService(settings, async (app) => {
      await subscribed(app, receiver.url, { kinds: ["order"] });
      const committed = new Map<string, number>();
      const begun = performance.now();
      for (let n = 0; n < count; n++) {
        const early = begun + (n * 1_000) / rps - performance.now();
        if (early > 0) await pause(early);
        const { event_id } = await recorded(app, eventOf("OrderShipped", { id: String(1 + (n % subjects)) }));
        committed.set(noticeIdOf(event_id), performance.now());
      }
      while (arrived.size < count) await pause(20);
      const taken_ms = [...committed].map(([id, at]) => arrived.get(id)! - at).sort((a, b) => a - b);
      const at = (share: number) => Math.round(taken_ms[Math.floor(share * (taken_ms.length - 1))]!);
      console.table([
        { notices: count, "a second": rps, p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99) },
      ]);
    });
  } finally {
    await service.stop();
    await receiver.close();
  }
});
