import { chartOperations } from "../api/operations/charts/charts.ts";
import type { Area } from "./area.ts";

export const charts: Area = {
  name: "charts",
  about: "Agents as pictures: how their trust went, and what they are like",
  envelope: "none",
  entities: [],
  projections: [],
  reactors: [],
  operations: chartOperations,
  problems: {},
};
