import { salaryOperations } from "../api/operations/salary/salary.ts";
import { meta } from "../projections/salary/answers/tables.ts";
import type { Area } from "./area.ts";

export const salary: Area = {
  name: "salary",
  about: "Wages, labour costs and exposure to AI: EU27, EFTA, candidates; ISCO and NACE",
  envelope: "success",
  entities: [],
  projections: [],
  reactors: [],
  operations: salaryOperations,
  shares: { TablesMeta: meta },
  problems: {},
};
