import type { Chart, Provenance } from "../chart.ts";
import type { Doc } from "../doc.ts";
import type { Sheet } from "../sheet.ts";

export type Print =
  | { form: "text/csv"; sheet: Sheet }
  | { form: "application/vnd.apache.parquet"; sheet: Sheet; meta: object }
  | { form: "image/svg+xml" | "image/png"; chart: Chart; provenance: Provenance; width?: number | undefined }
  | { form: "text/markdown" | "text/html" | "application/pdf"; doc: Doc };

export type Printer = {
  /** Deterministic. Refuses `busy` when too many wait, `unavailable` when it fails. */
  print(order: Print): Promise<Buffer>;
};
