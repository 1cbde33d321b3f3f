/** Descriptions of answer fields by field name, for fields whose schema has none. */
import type { JsonSchema } from "../declare/json-schema.ts";
import words from "./field-words.json" with { type: "json" };

export const fieldWords: Readonly<Record<string, string>> = words;

const wordOf = (name: string) => (Object.hasOwn(fieldWords, name) ? fieldWords[name] : undefined);

type Answers = Record<string, { content?: Record<string, { schema?: unknown }> }>;
type Described = {
  paths: Record<string, Record<string, { responses?: unknown }>>;
  components: { schemas?: Record<string, JsonSchema> };
};

/** A copy of an OpenAPI document in which each field of an answer has a description. */
export function describeAnswers<Document extends object>(document: Document): Document {
  const copy = structuredClone(document);
  const { paths, components } = copy as unknown as Described;
  const schemas = components.schemas ?? {};
  const isDescribed = ({ description, $ref }: JsonSchema) =>
    description !== undefined || schemas[$ref?.split("/").at(-1) ?? ""]?.description !== undefined;
  const describe = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    if (Array.isArray(part)) {
      for (const inner of part) describe(inner);
      return;
    }
    const { properties = {}, ...rest } = part as JsonSchema;
    for (const [name, field] of Object.entries(properties)) {
      const word = wordOf(name);
      if (!isDescribed(field) && word !== undefined) field.description = word;
      describe(field);
    }
    Object.values(rest).forEach(describe);
  };
  for (const operation of Object.values(paths).flatMap(Object.values))
    for (const { content = {} } of Object.values((operation.responses ?? {}) as Answers))
      for (const { schema } of Object.values(content)) describe(schema);
  Object.values(schemas).forEach(describe);
  return copy;
}
