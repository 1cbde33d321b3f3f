/** The printing thread: receives an order as a message and returns its bytes. */
import { parentPort } from "node:worker_threads";
import type { Doc } from "../../core/model/doc.ts";
import type { Print } from "../../core/model/ports/printer.ts";
import { csvOf } from "./csv.ts";
import { htmlOf } from "./html.ts";
import { markdownOf } from "./markdown.ts";
import { parquetOf } from "./parquet.ts";
import type { PrintResult } from "./printer.ts";
import { visible } from "./text.ts";

async function print(order: Print): Promise<Uint8Array> {
  switch (order.form) {
    case "text/csv":
      return csvOf(order.sheet);
    case "application/vnd.apache.parquet":
      return parquetOf(order.sheet, order.meta);
    case "image/svg+xml":
    case "image/png": {
      // Loaded with the first picture, because that takes longer than rows.
      const { draw } = await import("./picture.ts");
      return draw(order);
    }
    case "text/markdown":
      return Buffer.from(markdownOf(shown(order.doc)));
    case "text/html":
    case "application/pdf":
      return printedPages(order.form, shown(order.doc));
  }
}

/** The attachment is not changed: readers check its bytes against a digest. */
const shown = ({ attachment, ...doc }: Doc): Doc => ({ ...visible(doc), attachment });

async function printedPages(form: "text/html" | "application/pdf", doc: Doc): Promise<Uint8Array> {
  const { outlined } = await import("./picture.ts");
  if (form === "text/html") return Buffer.from(htmlOf(doc, outlined));
  const { pdfOf } = await import("./pdf.ts");
  return pdfOf(doc, outlined);
}

parentPort!.on("message", (order: Print) => {
  print(order).then(
    (bytes) => parentPort!.postMessage({ bytes } satisfies PrintResult),
    (error) => parentPort!.postMessage({ error: String(error) } satisfies PrintResult),
  );
});
