import type { Chart, Provenance } from "../chart.ts";
import type { Doc } from "../doc.ts";
import type { Sheet } from "../sheet.ts";

export type Print =
  | { form: "text/csv"; sheet: Sheet }
  | { form: "application/vnd.apache.parquet"; sheet: Sheet; meta: object }
  | { form: "image/svg+xml" | "image/png"; chart: Chart; provenance: Provenance; width?: number | undefined }
  | { form: "text/markdown" | "text/html" | "application/pdf"; doc: Doc };

export type Printer = {
  /** Equal documents give equal bytes. Refuses with `busy` if too many wait, with `unavailable` if printing fails. */
  print(order: Print): Promise<Buffer>;
};
