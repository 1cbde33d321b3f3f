/** What operators watch of an area, measured whenever metrics are asked for. */
import type { App } from "../../core/app.ts";

/** A number, by the values of its gauge's labels. */
export type Measured = { value: number; labels?: Readonly<Record<string, string>> };

export type Gauge = {
  name: `tallystick_${string}`;
  /** With its unit, which the name ends with where it has one. */
  help: string;
  labels?: readonly string[];
  /** What there is nothing to say of is left out; so is a gauge whose reading fails or takes longer than two seconds. */
  read(app: App): Promise<readonly Measured[]>;
};

/** Seconds since an ISO time by the service's clock; never below 0. */
export const secondsSince = ({ clock }: App, time: string): number =>
  Math.max(0, (clock.now().getTime() - Date.parse(time)) / 1000);
