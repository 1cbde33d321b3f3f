import type { App } from "../../core/app.ts";

export type GaugeValue = { value: number; labels?: Readonly<Record<string, string>> };

export type Gauge = {
  name: `tallystick_${string}`;
  help: string;
  labels?: readonly string[];
  /** Unknown values are omitted. A gauge that fails or takes over two seconds is omitted too. */
  read(app: App): Promise<readonly GaugeValue[]>;
};

export const secondsSince = ({ clock }: App, time: string): number =>
  Math.max(0, (clock.now().getTime() - Date.parse(time)) / 1000);
