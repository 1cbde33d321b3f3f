import type { CallToolRequestParams, CallToolResult } from "@modelcontextprotocol/server";
import type { Printer } from "../../../core/model/ports/printer.ts";
import { Refusal } from "../../../core/model/refusal.ts";
import type { Operation } from "../operation.ts";
import { pathWith } from "../operation-facts.ts";
import type { Output } from "../output.ts";
import { encodeAnswer } from "./encode.ts";
import type { Form, JSON_FORM } from "./form.ts";
import type { SourcedAnswer } from "./table.ts";

export function acceptedForms(meta: CallToolRequestParams["_meta"]): string | undefined {
  const accepted: unknown = meta?.["tallystick/accept"];
  return accepted === undefined || accepted === null ? undefined : String(accepted);
}

/**
 * The rendered form precedes the JSON, which the tool's schema and the receipt need. If the rendering fails, the
 * caller still gets the JSON.
 */
export async function contentOf(
  { printer, public_url }: { printer: Printer; public_url: string },
  operation: Operation,
  form: Exclude<Form, typeof JSON_FORM>,
  json: Buffer,
  input: Record<string, unknown>,
): Promise<CallToolResult["content"][number]> {
  try {
    const { output } = operation as { output: Extract<Output, { kind: "json" }> };
    const body = await encodeAnswer(output, form, JSON.parse(json.toString()) as SourcedAnswer, printer);
    if (form.startsWith("text/")) return { type: "text", text: body.toString() };
    const base64 = body.toString("base64");
    if (form.startsWith("image/")) return { type: "image", data: base64, mimeType: form };
    const uri = public_url + pathWith(operation, input);
    return { type: "resource", resource: { uri, mimeType: form, blob: base64 } };
  } catch (error) {
    if (error instanceof Refusal) return { type: "text", text: error.message };
    throw error;
  }
}
