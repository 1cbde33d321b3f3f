import { documentOperations } from "../api/operations/compliance/documents.ts";
import { erasedOperations } from "../api/operations/compliance/erased.ts";
import { ruleOperations } from "../api/operations/compliance/rules.ts";
import { summaryOperations } from "../api/operations/compliance/summary.ts";
import * as document from "../domain/compliance/document.ts";
import type { Area } from "./area.ts";

export const compliance: Area = {
  name: "compliance",
  about: "The EU AI Act by dated rules: classes of systems, and documents from an agent's own log",
  envelope: "none",
  entities: [document],
  projections: [],
  reactors: [],
  operations: [...ruleOperations, ...documentOperations, ...summaryOperations, ...erasedOperations],
  problems: {},
};
