/**
 * Describes to catalogues how an operation is called and answers: x402's extension `bazaar`. Sources: bazaar.md among
 * the extensions of the x402 specification, and for `toolName` @x402/extensions 2.27.
 */
import { answerSchema, recordedAnswers } from "../../declare/example-answer.ts";
import { inputReader } from "../../declare/input.ts";
import { jsonSchemaOf } from "../../declare/json-schema.ts";
import type { OperationDeclaration } from "../../declare/operation.ts";
import { isInPath, mediaTypeOf, methodOf, pathOf, patternOf } from "../../declare/operation-facts.ts";
import { DIALECT, type Extension } from "./extensions.ts";

/** How the operation is reached: by its HTTP route, or by the MCP tool of its name. */
export type Transport = "http" | "mcp";

type Schema = Record<string, unknown>;
type Described = { info: Schema; schema: Schema };

/** How much a form of the extension describes of the sent fields and of the answer. */
type Detail = { field: (schema: Schema) => Schema; answer: (schema: Schema) => Schema; example: boolean };

const whole = (schema: Schema) => schema;
const undescribed = (schema: Schema) => without(schema, DESCRIBING);
const levels = (most: number) => (schema: Schema) => upTo(most, undescribed(schema));

const DETAILS: readonly Detail[] = [
  { field: whole, answer: whole, example: true },
  { field: undescribed, answer: undescribed, example: true },
  { field: undescribed, answer: undescribed, example: false },
  { field: undescribed, answer: levels(3), example: false },
  { field: undescribed, answer: levels(2), example: false },
  { field: (schema) => without(schema, [...DESCRIBING, ...JUDGING]), answer: levels(1), example: false },
  { field: levels(0), answer: levels(0), example: false },
];

/** Keywords that limit values. Callers can build a call without them. */
const JUDGING = ["pattern", "enum", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"];
const DESCRIBING = ["description"];

/** An extension with its JSON text, which each 402 copies instead of writing it again. */
export type BazaarForm = { extension: Extension; json: string; bytes: number };

const made = new WeakMap<OperationDeclaration, Partial<Record<Transport, BazaarForm[]>>>();

/** The extension in ever shorter forms. The first is complete, and all have input and output. */
export function bazaarForms(operation: OperationDeclaration, transport: Transport = "http"): BazaarForm[] {
  const forms = made.get(operation) ?? {};
  made.set(operation, forms);
  forms[transport] ??= formsOf(operation, transport);
  return forms[transport];
}

function formsOf(operation: OperationDeclaration, transport: Transport): BazaarForm[] {
  const schema = answerSchema(operation);
  const answer: Schema = schema ? { ...jsonSchemaOf(schema, "output") } : { type: "string" };
  return DETAILS.map((detail) => {
    const extension = extensionOf(operation, transport, detail, answer);
    const json = JSON.stringify(extension);
    return { extension, json, bytes: Buffer.byteLength(json) };
  });
}

function extensionOf(
  operation: OperationDeclaration,
  transport: Transport,
  detail: Detail,
  answer: Schema,
): Extension {
  const input = transport === "mcp" ? toolInput(operation, detail) : httpInput(operation, detail);
  const output = outputOf(operation, detail, answer);
  const { $defs, ...example } = output.schema;
  const isTemplate = transport === "http" && pathOf(operation).includes("{");
  return {
    info: { input: input.info, output: output.info },
    schema: {
      $schema: DIALECT,
      type: "object",
      properties: {
        input: input.schema,
        output: {
          type: "object",
          properties: { type: { type: "string" }, example },
          required: ["type"],
        },
      },
      required: ["input"],
      ...($defs !== undefined && { $defs }),
    },
    ...(isTemplate && { routeTemplate: patternOf(pathOf(operation)) }),
  };
}

function httpInput(operation: OperationDeclaration, { field }: Detail): Described {
  const method = methodOf(operation);
  const { properties, required = [] } = inputReader(operation.input).schema;
  const names = Object.keys(properties);
  const inPath = names.filter((name) => isInPath(operation, name));
  const rest = names.filter((name) => !inPath.includes(name));
  const exampleOf = (wanted: string[]) =>
    Object.fromEntries(
      wanted.flatMap((name) => (name in operation.example ? [[name, operation.example[name]]] : [])),
    );
  const schemaOf = (wanted: string[]): Schema => ({
    type: "object",
    properties: Object.fromEntries(wanted.map((name) => [name, field(properties[name] as Schema)])),
    ...(wanted.some((name) => required.includes(name)) && {
      required: wanted.filter((name) => required.includes(name)),
    }),
  });
  const isPost = method === "POST";
  const place = isPost ? "body" : "queryParams";
  return {
    info: {
      type: "http",
      method,
      ...(isPost && { bodyType: "json" }),
      [place]: exampleOf(rest),
      ...(inPath.length > 0 && { pathParams: exampleOf(inPath) }),
    },
    schema: {
      type: "object",
      properties: {
        type: { type: "string", const: "http" },
        method: { type: "string", enum: [method] },
        ...(isPost && { bodyType: { type: "string", enum: ["json"] } }),
        [place]: schemaOf(rest),
        ...(inPath.length > 0 && { pathParams: schemaOf(inPath) }),
      },
      required: ["type", "method", ...(isPost ? ["bodyType", "body"] : [])],
      additionalProperties: false,
    },
  };
}

function toolInput({ name, summary, input, example }: OperationDeclaration, { field }: Detail): Described {
  return {
    info: {
      type: "mcp",
      toolName: name,
      description: summary,
      transport: "streamable-http",
      inputSchema: field(inputReader(input).schema),
      example,
    },
    schema: {
      type: "object",
      properties: {
        type: { type: "string", const: "mcp" },
        toolName: { type: "string" },
        description: { type: "string" },
        transport: { type: "string", enum: ["streamable-http"] },
        inputSchema: { type: "object" },
        example: { type: "object" },
      },
      required: ["type", "toolName", "inputSchema"],
      additionalProperties: false,
    },
  };
}

/** JSON answers and lines of JSON have a schema. Any other answer is a string with a media type. */
function outputOf(operation: OperationDeclaration, detail: Detail, answer: Schema): Described {
  const media_type = mediaTypeOf(operation);
  const isJson = media_type === "application/json";
  const example = detail.example ? recordedAnswers[operation.name] : undefined;
  return {
    info: {
      type: isJson ? "json" : media_type.startsWith("text/") ? "text" : "binary",
      ...(!isJson && { format: media_type }),
      ...(example !== undefined && { example }),
    },
    schema: detail.answer(answer),
  };
}

/** Removes the schema's keywords of these names. A field of such a name stays, because its value is a schema. */
function without(schema: Schema, words: readonly string[]): Schema {
  const cut = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(cut);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name, inner]) => !words.includes(name) || isSchema(inner))
        .map(([name, inner]) => [name, cut(inner)]),
    );
  };
  return cut(schema) as Schema;
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Limits a schema to this many levels of members. Deeper members have only their type. */
function upTo(most: number, { $defs, ...schema }: Schema): Schema {
  const defined = isSchema($defs) ? $defs : {};
  const cut = (one: unknown, left: number): Schema => {
    if (!isSchema(one)) return {};
    const named = typeof one.$ref === "string" ? defined[one.$ref.replace("#/$defs/", "")] : undefined;
    const { type, properties, items, anyOf } = isSchema(named) ? named : one;
    return {
      ...(Array.isArray(anyOf) && { anyOf: anyOf.map((each) => cut(each, left)) }),
      ...(type !== undefined && { type }),
      ...(left > 0 &&
        isSchema(properties) && {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, inner]) => [name, cut(inner, left - 1)]),
          ),
        }),
      ...(left > 0 && isSchema(items) && { items: cut(items, left) }),
    };
  };
  return cut(schema, most);
}
