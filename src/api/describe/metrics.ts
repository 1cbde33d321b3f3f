import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { App } from "../../core/app.ts";
import { inTime } from "../../core/coordination/concurrency.ts";
import type { Gauge as AreaGauge } from "../declare/gauge.ts";

export type Metrics = {
  contentType: string;
  answered(operation: string, status: number, seconds: number): void;
  broke(operation: string, promise: string): void;
  /** Counts a presented payment. `outcome`: `answered`, `refused` with a new 402, or the type of a problem. */
  presented(outcome: string): void;
  print(): Promise<string>;
};

const GAUGE_MS = 2_000;
const late = () => new Error("late");

export function createMetrics(app: App, areaGauges: readonly AreaGauge[]): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: "tallystick_request_duration_seconds",
    help: "Time from a request's first byte to its answer's last, by operation and status",
    labelNames: ["operation", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const broken = new Counter({
    name: "tallystick_broken_promises_total",
    help: "Answers and refusals that are not as their operation declares: schema, vintage or refusal",
    labelNames: ["operation", "promise"],
    registers: [registry],
  });
  const payments = new Counter({
    name: "tallystick_payments_total",
    help: "Calls with a payment, by outcome",
    labelNames: ["outcome"],
    registers: [registry],
  });
  const behind = new Gauge({
    name: "tallystick_projection_behind_events",
    help: "Events of the log that a read model has not folded yet",
    labelNames: ["projection"],
    registers: [registry],
  });
  const goodTurns = new Gauge({
    name: "tallystick_reactor_last_good_turn_seconds",
    help: "Seconds since a reactor's last good tick, in any process",
    labelNames: ["reactor"],
    registers: [registry],
  });
  const failing = new Gauge({
    name: "tallystick_trouble",
    help: "1 while a read model or a reactor fails, by its name",
    labelNames: ["name"],
    registers: [registry],
  });
  /** Measured whenever the metrics are read, and omitted while the database is unavailable. */
  const measureHealth = async () => {
    const unknown = () => ({ projections: [], reactors: [] });
    const { projections, reactors } = await inTime(GAUGE_MS, app.health(), late).catch(unknown);
    for (const gauge of [behind, goodTurns, failing]) gauge.reset();
    for (const one of projections) behind.set({ projection: one.name }, one.behind);
    for (const { name, last_good_s } of reactors)
      if (last_good_s !== null) goodTurns.set({ reactor: name }, last_good_s);
    for (const { name, trouble } of [...projections, ...reactors]) failing.set({ name }, trouble ? 1 : 0);
  };
  const measured = areaGauges.map(({ name, help, labels = [], read }) => {
    const gauge = new Gauge({ name, help, labelNames: [...labels], registers: [registry] });
    return async () => {
      const found = await inTime(GAUGE_MS, read(app), late).catch(() => []);
      gauge.reset();
      // A gauge without labels and values is removed, because it would show 0.
      if (labels.length === 0 && found.length === 0) gauge.remove();
      for (const { value, labels: at = {} } of found) gauge.set(at, value);
    };
  });
  // Caches the series, because prom-client builds a lookup string for each call.
  const series = new Map<string, Histogram.Internal<"operation" | "status">>();
  const seriesOf = (operation: string, status: number) => {
    const name = `${operation} ${status}`;
    const known = series.get(name) ?? durations.labels({ operation, status });
    series.set(name, known);
    return known;
  };
  const print = async () => {
    await Promise.all([measureHealth(), ...measured.map((measure) => measure())]);
    return registry.metrics();
  };
  let printing: Promise<string> | undefined;
  return {
    contentType: registry.contentType,
    answered: (operation, status, seconds) => seriesOf(operation, status).observe(seconds),
    broke: (operation, promise) => broken.inc({ operation, promise }),
    presented: (outcome) => payments.inc({ outcome }),
    // Concurrent requests share one measurement, because each measurement resets the gauges.
    print: () => {
      printing ??= print().finally(() => {
        printing = undefined;
      });
      return printing;
    },
  };
}
