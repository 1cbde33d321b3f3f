/** The form of an operation's page: its fields, and the ways to authenticate. */
import { html, type Markup, prose } from "../../../web/html.ts";
import { isOpen } from "../../declare/access/way.ts";
import type { JsonSchema } from "../../declare/json-schema.ts";
import type { Operation } from "../../declare/operation.ts";
import { isInPath, methodOf } from "../../declare/operation-facts.ts";

export type InputSchema = { properties: Record<string, JsonSchema>; required?: string[] };

export function waysIn(operation: Operation, isPaid: boolean): Markup {
  const takesKey = operation.access.some(({ is_open, payment }) => !is_open && !payment);
  const way = (value: string, title: string, about: string, isFirst = false, hidden = false) => html`
            <label class="way"${hidden ? html` data-development hidden` : ""}><input type="radio" name="way" value="${value}"${isFirst ? html` checked` : ""}> <span>${title} <span class="soft">${about}</span></span></label>`;
  const free = isOpen(operation);
  return html`${way("none", "None", free ? "It is free." : isPaid ? "The answer is a 402, explained." : "The answer is a 401.", free || !takesKey)}${
    takesKey || !free
      ? html`${way("key", "API key", "It stays in this page.", takesKey && !free)}
            <div class="key-field"><label for="key">API key</label><input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="sk_…"></div>`
      : ""
  }${isPaid ? way("wallet", "Demo wallet", "It signs the 402 in this browser; USDC on this chain is worthless.", false, true) : ""}`;
}

export const fieldsOf = (operation: Operation, schema: InputSchema): Markup =>
  Object.keys(schema.properties).length === 0
    ? html`<p class="soft">It takes no parameters.</p>`
    : html`<div class="fields">${Object.entries(schema.properties).map(([name, property]) =>
        field(operation, name, property, (schema.required ?? []).includes(name)),
      )}
          </div>`;

function field(operation: Operation, name: string, property: JsonSchema, isRequired: boolean): Markup {
  const given = operation.example[name];
  const kind = kindOf(property, methodOf(operation));
  const shown = given === undefined ? "" : kind === "json" ? JSON.stringify(given, null, 2) : String(given);
  const place = isInPath(operation, name) ? "path" : methodOf(operation) === "POST" ? "body" : "query";
  const attributes = html`id="field-${name}" name="${name}" data-kind="${kind}" data-in="${place}" aria-describedby="about-${name}"`;
  const control =
    property.enum && kind !== "json"
      ? html`<select ${attributes}>${isRequired ? "" : html`<option value="">–</option>`}${property.enum.map(
          (value) => html`<option${String(value) === shown ? html` selected` : ""}>${String(value)}</option>`,
        )}</select>`
      : kind === "json"
        ? html`<textarea ${attributes} rows="${Math.min(8, shown.split("\n").length)}" spellcheck="false">${shown}</textarea>`
        : html`<input ${attributes} type="text" autocomplete="off" spellcheck="false" value="${shown}"${
            property.default === undefined ? "" : html` placeholder="${String(property.default)}"`
          }>`;
  return html`
            <div${kind === "json" ? html` class="wide"` : ""}><label for="field-${name}">${name}${isRequired ? html` <span class="soft">required</span>` : ""}</label>${control}
              <p id="about-${name}" class="soft">${prose(property.description ?? "")}</p></div>`;
}

function kindOf({ type, enum: values, items, anyOf }: JsonSchema, method: string): string {
  if (type === "boolean" || type === "integer" || type === "number")
    return type === "boolean" ? "boolean" : "number";
  // A query parameter has only text; lists are comma-separated.
  if (method !== "POST") return "text";
  if (type === "object" || items) return "json";
  if (anyOf && values === undefined) return anyOf.some(({ type }) => type === "object") ? "json" : "text";
  return "text";
}
