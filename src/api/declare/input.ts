import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";
import { MAX_DEPTH } from "../../../eventstore/canonical.ts";
import { plainIssue } from "../../core/model/plain-issue.ts";
import { type FieldError, refuse, refuseFields } from "../../core/model/refusal.ts";
import { type JsonSchema, jsonSchemaOf } from "./json-schema.ts";

export type Fields = Record<string, unknown>;

/** Limits the errors in the answer to hostile input. */
const MOST_ERRORS = 50;
const shown = (path: string) => path.slice(0, 60);
const MOST_PATH = 200;
const MOST_MESSAGE = 300;

const IS_REQUIRED = "is required";

/** False for the error that a required field is missing. */
export const isPresent = ({ message }: FieldError): boolean => !message.startsWith(IS_REQUIRED);

export type InputReader = {
  schema: { type: "object"; properties: Record<string, JsonSchema>; required?: string[] };
  /** Reads a query string. Text becomes numbers, booleans or lists (separated by commas) if the field needs them. */
  fromQuery(query: URLSearchParams, path: Fields): Fields;
  fromObject(body: unknown, path: Fields): Fields;
};

export function inputReader(input: z.ZodObject): InputReader {
  const made = readers.get(input) ?? readerOf(input);
  readers.set(input, made);
  return made;
}

const readers = new WeakMap<z.ZodObject, InputReader>();

function readerOf(input: z.ZodObject): InputReader {
  const strict = z.strictObject(input.shape);
  const { properties = {}, ...rest } = jsonSchemaOf(input, "input");
  const schema: InputReader["schema"] = { ...rest, type: "object", properties };
  const kinds = new Map(
    Object.entries(schema.properties).map(([name, property]) => [name, kindOf(property)]),
  );

  const aliases = aliasesOf(input);

  const judge = (given: Fields, errors: FieldError[]): Fields => {
    const { fields, calledBy } = withoutAliases(given, aliases, errors);
    const before = errors.length;
    for (const [name, property] of Object.entries(schema.properties))
      findFarTooMuch(fields[name], property, name, errors);
    const isFar = errors.length > before;
    for (const name of Object.keys(fields)) {
      if (!kinds.has(name))
        errors.push({ path: shown(name), message: unknownField(name, [...kinds.keys()]) });
      else if (!isFar) findBadText(fields[name], name, errors);
      if (errors.length >= MOST_ERRORS) break;
    }
    const accepted = Object.fromEntries(Object.entries(fields).filter(([name]) => kinds.has(name)));
    const answer = isFar ? undefined : strict.safeParse(accepted, { error: plainIssue });
    if (answer && !answer.success)
      errors.push(
        ...answer.error.issues
          .slice(0, MOST_ERRORS)
          .map((issue) => explain(issue, accepted, schema.properties))
          .map(({ path, message }) => ({ path: calledBy.get(path) ?? path, message })),
      );
    if (errors.length > 0 || !answer?.success) {
      refuseFields(errors.slice(0, MOST_ERRORS));
    }
    return answer.data;
  };

  return {
    schema,
    fromQuery(query, path) {
      // An object without a prototype, so that a parameter of any name is safe.
      const fields: Fields = Object.create(null);
      const errors: FieldError[] = [];
      for (const [name, text] of query) {
        if (Object.hasOwn(fields, name) || Object.hasOwn(path, name)) {
          if (errors.length < MOST_ERRORS)
            errors.push({ path: shown(name), message: "appears more than once; send it once" });
        } else fields[name] = fromText(text, kinds.get(name));
      }
      for (const [name, text] of Object.entries(path)) fields[name] = fromText(String(text), kinds.get(name));
      return judge(fields, errors);
    },
    fromObject(body, path) {
      if (typeof body !== "object" || body === null || Array.isArray(body)) {
        refuse("invalid", "the body must be a JSON object", {
          errors: [{ path: "", message: "must be a JSON object" }],
        });
      }
      const twice = Object.keys(path).filter((name) => Object.hasOwn(body, name));
      const errors = twice.map((name) => ({
        path: name,
        message: "is in the path; omit it from the body",
      }));
      const fromPath = Object.entries(path).map(([name, text]) => [
        name,
        fromText(String(text), kinds.get(name)),
      ]);
      return judge({ ...body, ...Object.fromEntries(fromPath) }, errors);
    },
  };
}

/** The other names of fields. A field declares one as `alias` in its meta. */
function aliasesOf(input: z.ZodObject): [field: string, alias: string][] {
  return Object.entries(input.shape).flatMap(([field, schema]): [string, string][] => {
    let inner: unknown = schema;
    while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault) inner = inner.unwrap();
    const alias = inner instanceof z.ZodType ? inner.meta()?.alias : undefined;
    return typeof alias === "string" && !Object.hasOwn(input.shape, alias) ? [[field, alias]] : [];
  });
}

/** Moves each value to its field's own name. `calledBy` has the names that the caller used. */
function withoutAliases(
  given: Fields,
  aliases: readonly [field: string, alias: string][],
  errors: FieldError[],
): { fields: Fields; calledBy: ReadonlyMap<string, string> } {
  const present = aliases.filter(([, alias]) => Object.hasOwn(given, alias));
  if (present.length === 0) return { fields: given, calledBy: new Map() };
  const fields: Fields = Object.assign(Object.create(null), given);
  const calledBy = new Map<string, string>();
  for (const [field, alias] of present) {
    const value = fields[alias];
    delete fields[alias];
    if (!Object.hasOwn(given, field)) {
      fields[field] = value;
      calledBy.set(field, alias);
    } else if (!String(given[field]).startsWith(String(value)))
      errors.push({
        path: field,
        message: `${field} ${shown(String(given[field]))} is not within ${alias} ${shown(String(value))}; ${alias} is another name of ${field}, so send ${field} alone`,
      });
  }
  return { fields, calledBy };
}

/** A value far over its limit gets only this error, because the other checks of it may be slow. */
const isFarBeyond = (size: number, most: number | undefined) => most !== undefined && size > 4 * most + 1_000;

const isOfType = (value: unknown) => {
  const type = Array.isArray(value) ? "array" : typeof value;
  return (schema: JsonSchema) => schema.type === undefined || schema.type === type || type === "number";
};

function findFarTooMuch(value: unknown, schema: JsonSchema, path: string, errors: FieldError[]): void {
  if (errors.length >= MOST_ERRORS) return;
  if (schema.anyOf) {
    // If the value is far too large for every alternative, one error is enough.
    const each = schema.anyOf.filter(isOfType(value)).map((one) => {
      const found: FieldError[] = [];
      findFarTooMuch(value, one, path, found);
      return found;
    });
    if (each.every((found) => found.length > 0)) errors.push(...(each[0] ?? []));
    return;
  }
  if (typeof value === "string" && isFarBeyond(value.length, schema.maxLength))
    errors.push({ path: shown(path), message: `is at most ${schema.maxLength} characters` });
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    if (isFarBeyond(value.length, schema.maxItems))
      errors.push({ path: shown(path), message: `has at most ${schema.maxItems} entries` });
    else if (schema.items)
      for (const one of value) findFarTooMuch(one, schema.items, `${shown(path)}[]`, errors);
    return;
  }
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    if (Object.hasOwn(value, name))
      findFarTooMuch((value as Fields)[name], property, `${shown(path)}.${name}`, errors);
}

/** Rejects text and names that JSON parsers read differently, or that Postgres cannot store. */
function findBadText(value: unknown, path: string, errors: FieldError[], depth = 0): void {
  if (errors.length >= MOST_ERRORS) return;
  if (typeof value === "string") {
    if (!value.isWellFormed())
      errors.push({
        path: path.slice(0, MOST_PATH),
        message: "has half a surrogate pair; send well-formed Unicode",
      });
    else if (value.includes("\0"))
      errors.push({ path: path.slice(0, MOST_PATH), message: "has a NUL character" });
  }
  if (typeof value !== "object" || value === null) return;
  if (depth === MAX_DEPTH) {
    errors.push({ path: shown(path), message: `is nested more than ${MAX_DEPTH} deep` });
    return;
  }
  // JSON parsers drop this name silently, so the check for unknown names would miss it.
  if (Object.hasOwn(value, "__proto__"))
    errors.push({ path: shown(`${path}.__proto__`), message: "is unknown; omit it" });
  // Truncates each name, because nested long names would make a very long path.
  for (const [name, inner] of Object.entries(value))
    findBadText(inner, `${path.slice(0, MOST_PATH)}.${shown(name)}`, errors, depth + 1);
}

type Kind = "text" | "number" | "boolean" | "list" | "numbers";

function kindOf(property: JsonSchema): Kind {
  const types = [property, ...(property.anyOf ?? [])].flatMap(({ type }) => type ?? []);
  if (types.includes("array"))
    return property.items && kindOf(property.items) === "number" ? "numbers" : "list";
  if (types.includes("string")) return "text";
  if (types.includes("integer") || types.includes("number")) return "number";
  return types.includes("boolean") ? "boolean" : "text";
}

/** Text that cannot be converted stays text, so that the schema reports the error. */
function fromText(text: string, kind: Kind | undefined): unknown {
  switch (kind) {
    case "number":
      return /^-?\d{1,15}(\.\d{1,12})?$/.test(text) || isWhole(text) ? Number(text) : text;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    case "list":
      return text === "" ? [] : text.split(",");
    case "numbers":
      return text === "" ? [] : text.split(",").map((part) => fromText(part, "number"));
    default:
      return text;
  }
}

/** Some numbers of sixteen digits are exact in JavaScript. */
const isWhole = (text: string) => /^-?\d{16}$/.test(text) && Number.isSafeInteger(Number(text));

function unknownField(name: string, accepted: string[]): string {
  const short = name.slice(0, 60);
  if (accepted.length === 0) return `is unknown; this operation has no parameters`;
  const near = closest(short, accepted);
  const isTypo = 2 * distance(short, near) <= Math.max(short.length, near.length);
  return `is unknown; ${isTypo ? `did you mean ${near}? It` : "it"} takes ${accepted.join(", ")}`;
}

function explain(
  issue: z.core.$ZodIssue,
  fields: Fields,
  properties: Record<string, JsonSchema>,
): FieldError {
  const path = issue.path
    .map((part) => shown(String(part)))
    .join(".")
    .slice(0, MOST_PATH);
  const first = String(issue.path[0] ?? "");
  if (issue.path.length === 1 && issue.code === "invalid_type" && !Object.hasOwn(fields, first)) {
    const description = properties[first]?.description;
    return { path, message: description ? `${IS_REQUIRED}: ${description}` : IS_REQUIRED };
  }
  return { path, message: issue.message.slice(0, MOST_MESSAGE) };
}
