import { ingestOperations } from "../api/operations/ingest/ingest.ts";
import * as batch from "../domain/ingest/batch.ts";
import { newsProjection } from "../projections/ingest/news.ts";
import { newsReactor } from "../reactors/ingest/correlate.ts";
import type { Area } from "./area.ts";

export const ingest: Area = {
  name: "ingest",
  about: "News from the operator's own servers, and the events in them",
  envelope: "success",
  entities: [batch],
  projections: [newsProjection],
  reactors: [newsReactor],
  operations: ingestOperations,
  problems: {},
};
