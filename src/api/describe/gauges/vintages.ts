import { addMonths, monthText } from "../../../domain/trade/units.ts";
import { currentReferences } from "../../../projections/reference/releases.ts";
import { currentReleases } from "../../../projections/trade/releases.ts";
import { type Gauge, secondsSince } from "../../declare/gauge.ts";

export const vintageGauges: Gauge[] = [
  {
    name: "tallystick_vintage_age_seconds",
    help: "Seconds since the current vintage of a dataset or table was released",
    labels: ["dataset"],
    read: async (app) => {
      const released = [...(await currentReleases(app.pool)), ...(await currentReferences(app.pool))];
      return released.map(({ dataset, released_at }) => ({
        labels: { dataset },
        value: secondsSince(app, released_at),
      }));
    },
  },
  {
    name: "tallystick_vintage_newest_month_age_seconds",
    help: "Seconds since the end of the newest month in the current vintage of a real trade dataset",
    labels: ["dataset"],
    read: async (app) => {
      const real = (await currentReleases(app.pool)).filter(({ synthetic }) => !synthetic);
      return real.map(({ dataset, periods: { to } }) => ({
        labels: { dataset },
        value: secondsSince(app, `${monthText(addMonths(to, 1))}-01T00:00:00Z`),
      }));
    },
  },
  {
    name: "tallystick_vintage_open",
    help: "1 where this process has opened the dataset or table and answers from it",
    labels: ["dataset"],
    read: async (app) => {
      const released = [...(await currentReleases(app.pool)), ...(await currentReferences(app.pool))];
      const open = new Set(
        [...app.data.vintages.open(), ...app.data.reference.open()].map(({ dataset }) => dataset),
      );
      return released.map(({ dataset }) => ({ labels: { dataset }, value: open.has(dataset) ? 1 : 0 }));
    },
  },
];
