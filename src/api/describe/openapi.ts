import type { z } from "zod";
import { delegatedOf, paymentOf } from "../declare/access/way.ts";
import { answerSchema, recordedAnswers } from "../declare/example-answer.ts";
import { formsOf } from "../declare/forms/form.ts";
import { inputReader } from "../declare/input.ts";
import { type JsonSchema, jsonSchemaOf } from "../declare/json-schema.ts";
import type { Catalogue } from "../declare/operation.ts";
import { type Operation, restsOnDataAlone } from "../declare/operation.ts";
import { isCommand, isInPath, mediaTypeOf, methodOf, pathOf, readsOf } from "../declare/operation-facts.ts";
import { OF_ANY_CALL, refusalsOf } from "../declare/statuses.ts";
import { describeAnswers } from "./field-words.ts";
import { componentsOf, eventHeaders, refTo, settledHeaders } from "./openapi-components.ts";
import { componentRef, shareSchemas } from "./openapi-schemas.ts";
import { sourcesOf } from "./reference.ts";

export const INTERFACE_VERSION = "3.2.0";

type Schema = Record<string, unknown>;
type Schemas = Record<string, JsonSchema>;
type Entry = { parameters: Schema[] };

export function openapi({ areas, operations, problems }: Catalogue, public_url: string): Schema {
  const answers = answersOf(areas, operations);
  const paths: Record<string, Record<string, Entry>> = {};
  for (const operation of operations) {
    // OpenAPI has no path parameter that may contain slashes.
    const path = pathOf(operation).replaceAll("{+", "{");
    paths[path] = {
      ...paths[path],
      [methodOf(operation).toLowerCase()]: describe(operation, answers.of[operation.name]),
    };
  }
  const parameters = shareParameters(Object.values(paths).flatMap(Object.values));
  const components = componentsOf(operations, problems, {
    public_url,
    schemas: answers.components,
    parameters,
  });
  return describeAnswers({
    openapi: "3.1.0",
    info: {
      title: "Tallystick",
      version: INTERFACE_VERSION,
      summary: "Data, computation and trust for autonomous agents",
      description:
        "Pay per call in USDC on Base (x402) or send an API key. Every command is an event in a hash-chained log that anyone can verify.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      "x-guidance": GUIDANCE,
    },
    servers: [{ url: public_url }],
    tags: areas.map(({ name, about }) => ({ name, description: about })),
    paths,
    components,
  });
}

function describe(operation: Operation, answer: JsonSchema | undefined): Entry & Schema {
  const reader = inputReader(operation.input);
  const payment = paymentOf(operation);
  const inBody = methodOf(operation) === "POST";
  const names = Object.keys(reader.schema.properties);
  const inPath = names.filter((name) => isInPath(operation, name));
  return {
    operationId: operation.name,
    tags: [operation.area],
    summary: operation.summary,
    description: [operation.description, sourcesOf(operation)].filter(Boolean).join("\n\n"),
    ...(payment && {
      "x-payment-info": {
        price: {
          mode: typeof payment.price === "function" ? "dynamic" : "fixed",
          currency: "USD",
          amount: payment.unit_price,
        },
        protocols: [{ x402: {} }, { mpp: { method: "evm", intent: "charge", currency: "USD" } }],
      },
    }),
    security: securityOf(operation),
    parameters: [
      ...names
        .filter((name) => !inBody || inPath.includes(name))
        .map((name) => parameter(name, inPath.includes(name), reader.schema, operation.example[name])),
      ...(delegatedOf(operation) ? [refTo("parameters", "OnBehalfOf")] : []),
      ...(readsOf(operation) ? [refTo("parameters", "MinLogPosition")] : []),
      ...(isCommand(operation) ? [refTo("parameters", "IdempotencyKey")] : []),
      refTo("parameters", "Prefer"),
    ],
    ...(inBody && { requestBody: body(reader.schema, inPath, operation.example) }),
    responses: responses(operation, answer),
  };
}

/** The first steps of an agent, where agentcash and its kin look for them. */
const GUIDANCE =
  "Find an operation by words: GET /v1/agent/operations?q=seasons of a product. See how a question is read, free: GET " +
  "/v1/agent/fusion/intents?question=…. A priced call without a key answers 402: pay one entry of accepts, and send the same " +
  "call again with the payment. A 402 names each input that is wrong; correct it before you pay.";

/** Each alternative once; an open operation has an empty list, because directories do not read `[{}]` as open. */
function securityOf({ access }: Operation): Schema[] {
  const alternatives = access.flatMap(({ security }) => security);
  if (alternatives.every((one) => Object.keys(one).length === 0)) return [];
  return [...new Map(alternatives.map((one) => [JSON.stringify(one), one])).values()];
}

type InputSchema = ReturnType<typeof inputReader>["schema"];

function parameter(name: string, inPath: boolean, schema: InputSchema, example: unknown): Schema {
  const { description, ...property } = schema.properties[name]!;
  const isList = property.type === "array";
  return {
    name,
    in: inPath ? "path" : "query",
    required: inPath || (schema.required ?? []).includes(name),
    ...(description && { description }),
    ...(isList && { style: "form", explode: false }),
    schema: property,
    ...(example !== undefined && { example }),
  };
}

function shareParameters(entries: readonly Entry[]): Schema {
  const seen = new Map<string, number>();
  for (const parameter of entries.flatMap(({ parameters }) => parameters)) {
    const text = JSON.stringify(parameter);
    seen.set(text, (seen.get(text) ?? 0) + 1);
  }
  const shared = new Map<string, string>();
  const numbers = new Map<string, number>();
  for (const [text, times] of [...seen].sort(([, a], [, b]) => b - a)) {
    const { name } = JSON.parse(text) as { name?: string };
    if (times < 2 || name === undefined) continue;
    const number = (numbers.get(name) ?? 0) + 1;
    numbers.set(name, number);
    shared.set(text, number === 1 ? name : `${name}-${number}`);
  }
  for (const entry of entries)
    entry.parameters = entry.parameters.map((parameter) => {
      const name = shared.get(JSON.stringify(parameter));
      return name === undefined ? parameter : refTo("parameters", name);
    });
  return Object.fromEntries([...shared].map(([text, name]) => [name, JSON.parse(text)]));
}

function body(schema: InputSchema, inPath: string[], example: Record<string, unknown>): Schema {
  const own = (name: string) => !inPath.includes(name);
  const properties = Object.fromEntries(Object.entries(schema.properties).filter(([name]) => own(name)));
  const required = (schema.required ?? []).filter(own);
  return {
    required: true,
    content: {
      "application/json": {
        schema: { type: "object", properties, ...(required.length > 0 && { required }) },
        example: Object.fromEntries(Object.entries(example).filter(([name]) => own(name))),
      },
    },
  };
}

/** The responses of an operation. `4XX` has the errors that any call may get. */
function responses(operation: Operation, answer: JsonSchema | undefined): Schema {
  const priced = paymentOf(operation) !== undefined;
  const answers: Record<string, Schema> = {
    [operation.status ?? 200]: {
      ...success(operation, answer),
      ...(isCommand(operation) && { headers: { ...(priced && settledHeaders), ...eventHeaders } }),
    },
  };
  if (methodOf(operation) === "GET" && (restsOnDataAlone(operation) || operation.caching))
    answers[304] = refTo("responses", "304");
  if (operation.output.kind === "file")
    answers[206] = { ...success(operation, answer), description: "The requested range" };
  for (const status of refusalsOf(operation))
    if (!OF_ANY_CALL.includes(status)) answers[status] = refTo("responses", String(status));
  return { ...answers, "4XX": refTo("responses", "4XX") };
}

function success(operation: Operation, answer: JsonSchema = {}): Schema {
  const { output } = operation;
  const [form, ...others] = formsOf(operation);
  const example = recordedAnswers[operation.name];
  switch (output.kind) {
    case "stream":
      return {
        description: `One JSON object a line; as ${SSE} each is an event`,
        ...content(mediaTypeOf(operation), answer, { others: [SSE], example }),
      };
    case "json":
      return { description: "The answer", ...content(form!, answer, { others, example }) };
    case "bytes":
      return {
        description: output.about,
        ...content(output.media_type, bytesOf(output.media_type), { example }),
      };
    case "file":
      return { description: output.about, ...content(output.media_type, bytesOf(output.media_type)) };
    case "picture":
      return { description: output.about, ...content(form!, bytesOf(form!), { others }) };
  }
}

const SSE = "text/event-stream";

/**
 * Other media types are listed separately: client generators would merge them into one type, and they need an Accept
 * header.
 */
const content = (
  form: string,
  schema: Schema,
  { others = [], example }: { others?: readonly string[]; example?: unknown } = {},
): Schema => ({
  content: { [form]: { schema, ...(example !== undefined && { example }) } },
  ...(others.length > 0 && { "x-other-forms": others }),
});

const bytesOf = (form: string): Schema => ({
  type: "string",
  ...(!form.startsWith("text/") && { format: "binary" }),
});

function answersOf(
  areas: Catalogue["areas"],
  operations: readonly Operation[],
): { of: Schemas; components: Schemas } {
  const named: Schemas = {};
  const read = (schema: z.ZodType): JsonSchema => {
    const { $defs = {}, ...own } = atComponents(jsonSchemaOf(schema, "output"));
    for (const [id, one] of Object.entries($defs)) {
      if (named[id] && JSON.stringify(named[id]) !== JSON.stringify(one))
        throw new Error(`two schemas of answers have the id ${id}`);
      named[id] = one;
    }
    return own;
  };
  const bases: Schemas = {};
  for (const { shares = {} } of areas)
    for (const [name, schema] of Object.entries(shares)) bases[name] = read(schema);
  const own = operations.flatMap((operation) => {
    const schema = answerSchema(operation);
    return schema ? [[operation.name, read(schema)] as const] : [];
  });
  const { answers, components } = shareSchemas(Object.fromEntries(own), named, bases);
  return { of: answers, components };
}

const atComponents = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${componentRef("")}`));
