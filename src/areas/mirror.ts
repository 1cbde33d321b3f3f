import { mirrorOperations } from "../api/operations/mirror/reconstruct.ts";
import type { Area } from "./area.ts";

export const mirror: Area = {
  name: "mirror",
  about: "The trade of countries outside the EU, reconstructed from what their partners report",
  envelope: "success",
  entities: [],
  projections: [],
  reactors: [],
  operations: mirrorOperations,
  problems: {},
};
