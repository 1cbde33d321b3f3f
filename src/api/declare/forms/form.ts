/** The choice of an answer's media type by the Accept header (RFC 9110, 12.5.1). */

import Negotiator from "negotiator";
import { coreProblems } from "../../../core/model/problem.ts";
import { refuse } from "../../../core/model/refusal.ts";
import type { OperationDeclaration } from "../operation.ts";

const forms = {
  "application/json": { extension: "json", parameters: "; charset=utf-8" },
  "text/csv": { extension: "csv", parameters: "; charset=utf-8; header=present" },
  "application/vnd.apache.parquet": { extension: "parquet", parameters: "" },
  "image/svg+xml": { extension: "svg", parameters: "; charset=utf-8" },
  "image/png": { extension: "png", parameters: "" },
  "text/markdown": { extension: "md", parameters: "; charset=utf-8" },
  "text/html": { extension: "html", parameters: "; charset=utf-8" },
  "application/pdf": { extension: "pdf", parameters: "" },
} as const;

export type Form = keyof typeof forms;

export const JSON_FORM = "application/json";

const PICTURES = ["image/png", "image/svg+xml"] as const;
const PAGES = ["text/markdown", "text/html", "application/pdf"] as const;

export const isPictureForm = (form: Form): form is (typeof PICTURES)[number] =>
  (PICTURES as readonly Form[]).includes(form);

export function formsOf({ output }: Pick<OperationDeclaration, "output">): Form[] {
  if (output.kind === "picture") return [...PICTURES];
  if (output.kind !== "json") return [];
  return [
    JSON_FORM,
    ...(output.table ? (["text/csv", "application/vnd.apache.parquet"] as const) : []),
    ...(output.chart ? PICTURES : []),
    ...(output.pages ? PAGES : []),
  ];
}

/** The longest Accept header that is not refused; a browser's has about two hundred characters. */
const MOST_ACCEPT = 1_000;

/**
 * Chooses by quality, then by specificity, then by the header's order; without a header, the default. Refuses with
 * 406. `field` is the header's name.
 */
export function chosenForm(
  operation: OperationDeclaration,
  accept: string | undefined,
  field = "Accept",
): Form {
  const offered = formsOf(operation);
  if (accept !== undefined && accept.length > MOST_ACCEPT)
    refuse("invalid", `invalid ${field}`, {
      errors: [{ path: field, message: `is at most ${MOST_ACCEPT} characters` }],
    });
  if (!accept || offered.length === 0) return offered[0] ?? JSON_FORM;
  // Media types are compared with their parameters, because some clients name a charset.
  const whole = new Map(offered.map((form) => [form + forms[form].parameters, form]));
  const chosen = new Negotiator({ headers: { accept } }).mediaType([...whole.keys()]);
  if (chosen !== undefined) return whole.get(chosen)!;
  const message = `available: ${offered.join(", ")}`;
  return refuse(coreProblems["not-acceptable"], `${message}, but ${field} accepts none`, {
    errors: [{ path: field, message }],
  });
}

export function formHeaders(operation: OperationDeclaration, form: Form): Record<string, string> {
  const { extension, parameters } = forms[form];
  if (form === JSON_FORM) return { "Content-Type": form + parameters };
  const shown = form.startsWith("image/") || form.startsWith("text/html") ? "inline" : "attachment";
  return {
    "Content-Type": form + parameters,
    "Content-Disposition": `${shown}; filename="${operation.name.replaceAll("_", "-")}.${extension}"`,
    // A browser shows an SVG or HTML answer as a page, which needs its inline styles.
    ...((form === "image/svg+xml" || form === "text/html") && {
      "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    }),
  };
}
