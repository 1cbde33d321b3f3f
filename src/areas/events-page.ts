/** docs/events.md: the payload of each event type, from the schemas that validate events. */
import { toJSONSchema, type ZodType } from "zod";
import type { EventType } from "../../eventstore/schemas.ts";
import type { Area } from "./area.ts";

/** As much of JSON Schema as zod writes. */
type Schema = {
  type?: string | string[];
  description?: string;
  format?: string;
  pattern?: string;
  const?: unknown;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
};

type Row = { path: string; form: string; about: string };

/** Generated: the schemas are where it is changed. */
export function eventsPage(areas: readonly Area[]): string {
  const lines = [
    "# Events",
    "",
    "Generated from the schemas by `npm run docs`. The page lists the payload of each event type, version by version.",
    "An event's `schema_version` names its version; stored events never change. [event-log.md](event-log.md) describes the",
    "columns around the payload, and its hash. In the tables `a.b` is a member of an object and `a[]` an item of a list. Every",
    "member is there unless it is optional. A time is ISO 8601 in UTC. Addresses and hashes of a chain are hex with 0x in front.",
    "A heading gives the beginning of a stream's name.",
    "",
  ];
  for (const { name, about, entities } of areas) {
    if (entities.length === 0) continue;
    lines.push(`## ${name}`, "", `${about}.`, "");
    for (const { prefix, events } of entities)
      for (const [type, declared] of Object.entries(events)) lines.push(...section(type, prefix, declared));
  }
  return lines.join("\n");
}

function section(type: string, prefix: string, declared: EventType): string[] {
  const versions = Object.entries(declared).filter(([version]) => /^\d+$/.test(version));
  return versions.flatMap(([version, schema]) => {
    const payload = toJSONSchema(schema as ZodType, { unrepresentable: "any" }) as Schema;
    const shown = declared.public ? " Anybody may see it." : "";
    const about = [declared.means, payload.description, `In streams \`${prefix}…\`.${shown}`];
    return [
      `### ${type}, version ${version}`,
      "",
      about.filter(Boolean).join(" "),
      "",
      "| member | is | |",
      "|---|---|---|",
      ...rowsOf(payload, "").map(
        ({ path, form, about }) => `| \`${path}\` | ${cell(form)} | ${cell(about)} |`,
      ),
      "",
    ];
  });
}

/** The members under a path; those of a member that may have one of several forms follow one another. */
function rowsOf(schema: Schema, path: string): Row[] {
  const { properties = {}, required = [], items, additionalProperties } = schema;
  const below = (name: string) => (path === "" ? name : `${path}.${name}`);
  return [
    ...Object.entries(properties).flatMap(([name, member]) =>
      memberRows(member, below(name), required.includes(name)),
    ),
    ...(typeof additionalProperties === "object" ? memberRows(additionalProperties, below("*"), true) : []),
    ...(items ? rowsOf(items, `${path}[]`) : []),
    ...formsOf(schema).flatMap((form) => rowsOf(form, path)),
  ];
}

function memberRows(schema: Schema, path: string, isRequired: boolean): Row[] {
  const form = formOf(schema) + (isRequired ? "" : "; optional");
  return [{ path, form, about: schema.description ?? "" }, ...rowsOf(schema, path)];
}

const formsOf = ({ anyOf, oneOf }: Schema): Schema[] => anyOf ?? oneOf ?? [];

function formOf(schema: Schema): string {
  if (Array.isArray(schema.type)) return schema.type.map((type) => formOf({ ...schema, type })).join(" or ");
  const forms = formsOf(schema);
  if (forms.length > 0) return [...new Set(forms.map(formOf))].join(" or ");
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((one) => `\`${JSON.stringify(one)}\``).join(", ");
  switch (schema.type) {
    case "string":
      return textForm(schema);
    case "integer":
    case "number":
      return numberForm(schema);
    case "array":
      return `list${between("items", schema.minItems, schema.maxItems)}${schema.items ? ` of ${formOf(schema.items)}` : ""}`;
    case "null":
      return "null";
    case "boolean":
      return "true or false";
    case "object":
      return "object";
    default:
      return "any JSON value";
  }
}

/** Forms that many members have, in words. */
const PATTERNS: Record<string, string> = {
  "^[0-9a-f]{32}$": "32 lowercase hex digits",
  "^[0-9a-f]{64}$": "64 lowercase hex digits",
  "^0x[0-9a-f]{40}$": "address: 0x and 40 lowercase hex digits",
  "^0x[0-9a-f]{64}$": "0x and 64 lowercase hex digits",
  "^0x(?:[0-9a-f]{2})*$": "bytes: 0x and lowercase hex digits",
  "^\\d{1,78}$": "whole number as text, in decimal digits",
};

function textForm({ format, pattern, minLength, maxLength }: Schema): string {
  if (format === "date-time") return "time";
  if (pattern !== undefined) return PATTERNS[pattern] ?? `text of the form \`${pattern}\``;
  return `text${between("characters", minLength, maxLength)}`;
}

function numberForm({ type, minimum, exclusiveMinimum, maximum }: Schema): string {
  const word = type === "integer" ? "whole number" : "number";
  const least = exclusiveMinimum !== undefined ? `above ${exclusiveMinimum}` : atLeast(minimum);
  const most = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? "" : `up to ${maximum}`;
  return [word, least, most].filter(Boolean).join(" ");
}

const atLeast = (minimum: number | undefined) =>
  minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? "" : `from ${minimum}`;

function between(what: string, least: number | undefined, most: number | undefined): string {
  if (least === undefined && most === undefined) return "";
  if (most === undefined) return ` of ${least} ${what} or more`;
  return least === undefined ? ` of up to ${most} ${what}` : ` of ${least} to ${most} ${what}`;
}

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
