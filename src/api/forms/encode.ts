import type { Charts } from "../../domain/ports.ts";
import type { Output } from "../operation.ts";
import { csvOf } from "./csv.ts";
import type { Form } from "./form.ts";
import { parquetOf } from "./parquet.ts";
import { type Marked, sheetOf } from "./table.ts";

type JsonOutput = Extract<Output, { kind: "json" }>;

/** An answer in another form than JSON, one that its operation has. */
export async function encodeAnswer(
  { table, chart }: JsonOutput,
  form: Exclude<Form, "application/json">,
  answer: Marked,
  charts: Charts,
): Promise<Buffer> {
  switch (form) {
    case "text/csv":
      return csvOf(sheetOf(table!, answer));
    case "application/vnd.apache.parquet":
      return parquetOf(sheetOf(table!, answer), answer.meta);
    case "image/svg+xml":
    case "image/png":
      return charts.draw(chart!(answer as never), answer.meta, form);
  }
}
