/** The fields of an operation's answer, for a table. */
import { z } from "zod";
import { type JsonSchema, jsonSchemaOf } from "../../declare/json-schema.ts";
import type { Operation } from "../../declare/operation.ts";
import { fieldWords } from "../field-words.ts";

/** `path`: for example "data.months[].value_eur". */
export type AnswerField = { path: string; type: string; about: string };

const DEEPEST = 5;

const cached = new WeakMap<Operation, AnswerField[]>();

export function answerFields(operation: Operation): AnswerField[] {
  const fields = cached.get(operation) ?? fieldsIn(operation);
  cached.set(operation, fields);
  return fields;
}

function fieldsIn({ output }: Operation): AnswerField[] {
  const schema =
    output.kind === "json"
      ? output.schema
      : output.kind === "stream"
        ? z.union([output.item, output.last])
        : undefined;
  if (!schema) return [];
  const { $defs = {}, ...root } = jsonSchemaOf(schema, "output");
  const fields = new Map<string, AnswerField>();
  const resolved = (part: JsonSchema): JsonSchema => {
    const name = part.$ref?.split("/").at(-1);
    const target = name === undefined ? undefined : $defs[name];
    return target ? { ...target, ...(part.description && { description: part.description }) } : part;
  };
  const walk = (given: JsonSchema, path: string, depth: number): void => {
    const part = resolved(given);
    const options = (part.anyOf ?? [part]).map(resolved);
    for (const { properties = {} } of options)
      for (const [name, field] of Object.entries(properties)) {
        const own = path === "" ? name : `${path}.${name}`;
        const target = resolved(field);
        if (!fields.has(own))
          fields.set(own, {
            path: own,
            type: typeOf(target, resolved),
            about: target.description ?? wordOf(name),
          });
        if (depth < DEEPEST) walk(target, own, depth + 1);
      }
    for (const { items } of options) if (items && depth < DEEPEST) walk(items, `${path}[]`, depth + 1);
  };
  walk(root, "", 0);
  return [...fields.values()];
}

const wordOf = (name: string) => (Object.hasOwn(fieldWords, name) ? fieldWords[name]! : "");

function typeOf(part: JsonSchema, resolved: (part: JsonSchema) => JsonSchema): string {
  const options = (part.anyOf ?? [part]).map(resolved);
  const names = options.flatMap(({ type, enum: values, const: only, items, format, properties }) => {
    if (values) return values.length > 6 ? ["text"] : values.map(String);
    if (only !== undefined) return [String(only)];
    if (items) return [`list of ${plural(typeOf(resolved(items), resolved))}`];
    if (properties) return ["object"];
    return [type ?? "any"].flat().map((one) => (one === "string" ? (format ?? "text") : one));
  });
  return [...new Set(names)].join(" or ");
}

const plural = (type: string) => (/^(object|number|integer|boolean)$/.test(type) ? `${type}s` : type);
