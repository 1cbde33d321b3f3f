/** Writes JSON Schemas in a small subset that all kinds of clients understand. */
import { z } from "zod";

export type JsonSchema = {
  type?: string | string[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  description?: string;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  propertyNames?: JsonSchema;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
};

/**
 * The JSON Schema of a zod schema. Schemas with an id are in `$defs`. Outputs permit unknown fields, because later
 * versions may add some. Do not change the result: it is cached.
 */
export function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const made = schemas[io].get(schema) ?? written(schema, io);
  schemas[io].set(schema, made);
  return made;
}

/** The cached schemas. OpenAPI, MCP, the 402 and the pages use the same ones. */
const schemas = { input: new WeakMap<z.ZodType, JsonSchema>(), output: new WeakMap<z.ZodType, JsonSchema>() };

function written(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...own } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return plain(own as JsonSchema, io);
}

/**
 * A schema for language models: descriptions replace patterns, which some clients refuse. The service still checks
 * all patterns.
 */
export function withoutPatterns<S extends JsonSchema>(schema: S): S {
  const { pattern: _, maxLength: __, ...own } = schema;
  const { items, anyOf, properties } = own;
  return {
    ...own,
    ...(items && { items: withoutPatterns(items) }),
    ...(anyOf && { anyOf: anyOf.map(withoutPatterns) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, withoutPatterns(one)]),
      ),
    }),
  } as S;
}

const JUDGING = ["pattern", "minimum", "maximum", "maxLength", "minItems", "maxItems"] as const;

function plain(schema: JsonSchema, io: "input" | "output"): JsonSchema {
  const { id: _, alias: __, ...own } = schema as JsonSchema & { id?: string; alias?: string };
  if (own.type === "integer" && own.minimum === Number.MIN_SAFE_INTEGER) delete own.minimum;
  if (own.type === "integer" && own.maximum === Number.MAX_SAFE_INTEGER) delete own.maximum;
  // The format implies the pattern.
  if (own.format !== undefined) delete own.pattern;
  if (io === "output") for (const word of JUDGING) delete own[word];
  // The value implies the type.
  if (io === "output" && own.const !== undefined) delete own.type;
  if (own.propertyNames && Object.keys(own.propertyNames).join() === "type") delete own.propertyNames;
  // Some models' dialects of JSON Schema refuse a list of types.
  if (io === "input" && Array.isArray(own.type)) {
    own.anyOf = own.type.map((type) => ({ type }));
    delete own.type;
  }
  const { additionalProperties, items, anyOf, properties, $defs } = own;
  const isAny = typeof additionalProperties === "object" && Object.keys(additionalProperties).length === 0;
  if (isAny) own.additionalProperties = true;
  else if (typeof additionalProperties === "object")
    own.additionalProperties = plain(additionalProperties, io);
  else if (io === "output") delete own.additionalProperties;
  if (items) own.items = plain(items, io);
  if (anyOf) own.anyOf = own.anyOf!.map((one) => plain(one, io));
  if (properties) own.properties = plainEach(properties, io);
  if ($defs) own.$defs = plainEach($defs, io);
  if (io === "output" && own.anyOf?.every(isBare)) {
    own.type = own.anyOf.map(({ type }) => type as string);
    delete own.anyOf;
  }
  return own;
}

const isBare = (schema: JsonSchema) => typeof schema.type === "string" && Object.keys(schema).length === 1;

const plainEach = (schemas: Record<string, JsonSchema>, io: "input" | "output") =>
  Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, plain(one, io)]));
