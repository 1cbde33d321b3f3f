/**
 * The extensions of a 402 of x402 version 2. Source: payment_identifier.md and bazaar.md among the extensions of
 * the x402 specification; pathParams and routeTemplate follow bazaar.md for routes with parameters.
 */
import { inputReader } from "../../declare/input.ts";
import type { OperationDeclaration } from "../../declare/operation.ts";
import { isInPath, methodOf, pathOf, patternOf } from "../../declare/operation-facts.ts";

type Schema = Record<string, unknown>;

/** A version 2 extension: the server's values and their JSON Schema. */
export type Extension = { info: Schema; schema: Schema; routeTemplate?: string };

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** The form of a client's id for its payment. */
export const PAYMENT_IDENTIFIER = { min: 16, max: 128, pattern: "^[a-zA-Z0-9_-]+$" } as const;

/** Optional: a client may add `id` to `info`, and repeat the call under the same id. */
export const paymentIdentifier: Extension = {
  info: { required: false },
  schema: {
    $schema: DIALECT,
    type: "object",
    properties: {
      required: { type: "boolean" },
      id: {
        type: "string",
        minLength: PAYMENT_IDENTIFIER.min,
        maxLength: PAYMENT_IDENTIFIER.max,
        pattern: PAYMENT_IDENTIFIER.pattern,
      },
    },
  },
};

const made = new WeakMap<OperationDeclaration, Extension[]>();

/** How to call an operation over HTTP, for directories: complete, and without the fields' descriptions. */
export function bazaarForms(operation: OperationDeclaration): Extension[] {
  let forms = made.get(operation);
  if (!forms) {
    const whole = bazaar(operation);
    forms = [whole, { ...whole, schema: withoutDescriptions(whole.schema) as Schema }];
    made.set(operation, forms);
  }
  return forms;
}

function bazaar(operation: OperationDeclaration): Extension {
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
    properties: Object.fromEntries(wanted.map((name) => [name, properties[name]])),
    ...(wanted.some((name) => required.includes(name)) && {
      required: wanted.filter((name) => required.includes(name)),
    }),
  });
  const place = method === "POST" ? "body" : "queryParams";
  const request = {
    ...(method === "POST" && { bodyType: "json" }),
    [place]: exampleOf(rest),
    ...(inPath.length > 0 && { pathParams: exampleOf(inPath) }),
  };
  const askedSchema = {
    ...(method === "POST" && { bodyType: { type: "string", enum: ["json"] } }),
    [place]: schemaOf(rest),
    ...(inPath.length > 0 && { pathParams: schemaOf(inPath) }),
  };
  return {
    info: { input: { type: "http", method, ...request } },
    schema: {
      $schema: DIALECT,
      type: "object",
      properties: {
        input: {
          type: "object",
          properties: {
            type: { type: "string", const: "http" },
            method: { type: "string", enum: [method] },
            ...askedSchema,
          },
          required: ["type", "method", ...(method === "POST" ? ["bodyType", "body"] : [])],
          additionalProperties: false,
        },
      },
      required: ["input"],
    },
    ...(inPath.length > 0 && { routeTemplate: patternOf(pathOf(operation)) }),
  };
}

/** A JSON Schema's `description` is text; a field named so has a schema and stays. */
function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => name !== "description" || typeof inner !== "string")
      .map(([name, inner]) => [name, withoutDescriptions(inner)]),
  );
}
