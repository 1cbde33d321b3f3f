import type { Printer } from "../../../core/model/ports/printer.ts";
import type { Output, Picture } from "../output.ts";
import { type Form, isPictureForm, type JSON_FORM } from "./form.ts";
import { type SourcedAnswer, sheetOf } from "./table.ts";

export function encodeAnswer(
  { table, chart, pages }: Extract<Output, { kind: "json" }>,
  form: Exclude<Form, typeof JSON_FORM>,
  answer: SourcedAnswer,
  printer: Printer,
  width?: number,
): Promise<Buffer> {
  switch (form) {
    case "text/csv":
      return printer.print({ form, sheet: sheetOf(table!, answer) });
    case "application/vnd.apache.parquet":
      return printer.print({ form, sheet: sheetOf(table!, answer), meta: answer.meta });
    case "image/svg+xml":
    case "image/png":
      return printer.print({ form, chart: chart!(answer as never), provenance: answer.meta, width });
    case "text/markdown":
    case "text/html":
    case "application/pdf":
      return printer.print({ form, doc: pages!(answer as never) });
  }
}

export function encodePicture(
  form: Form,
  { chart, meta }: Picture,
  printer: Printer,
  width?: number,
): Promise<Buffer> {
  if (!isPictureForm(form)) throw new Error(`${form} is not a picture format`);
  return printer.print({ form, chart, provenance: meta, width });
}
