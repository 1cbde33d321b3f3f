/** OpenAPI 3.1.0, derived from the catalogue: what a client generator, a linter and an agent read. */
import { z } from "zod";
import type { ProblemType } from "../domain/problem.ts";
import { type Form, formsOf, JSON_FORM } from "./forms/form.ts";
import { inputReader } from "./input.ts";
import type { Catalogue } from "./operation.ts";
import {
  isInPath,
  methodOf,
  type Operation,
  pathOf,
  pathWith,
  paymentOf,
  restsOnDataAlone,
} from "./operation.ts";
import { refusalsOf } from "./statuses.ts";
import { paymentRequired } from "./x402/required.ts";

export const INTERFACE_VERSION = "3.2.0";

type Schema = Record<string, unknown>;

const problemSchema: Schema = {
  type: "object",
  required: ["type", "title", "status", "detail", "instance", "success", "error"],
  properties: {
    type: { type: "string", format: "uri" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    instance: { type: "string" },
    success: { type: "boolean", const: false },
    error: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: { path: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};

/** The body of a 402: the problem and the requirement of x402 version 1 in one object. */
const paymentRequiredSchema: Schema = {
  ...problemSchema,
  required: [...(problemSchema.required as string[]), "x402Version", "accepts"],
  properties: {
    ...(problemSchema.properties as Schema),
    x402Version: { type: "integer", const: 1 },
    accepts: {
      type: "array",
      items: {
        type: "object",
        required: [
          "scheme",
          "network",
          "maxAmountRequired",
          "resource",
          "payTo",
          "maxTimeoutSeconds",
          "asset",
        ],
        properties: {
          scheme: { type: "string", const: "exact" },
          network: { type: "string" },
          maxAmountRequired: { type: "string", description: "In the asset's smallest unit" },
          resource: { type: "string", format: "uri" },
          description: { type: "string" },
          mimeType: { type: "string" },
          outputSchema: { type: "object" },
          payTo: { type: "string" },
          maxTimeoutSeconds: { type: "integer" },
          asset: { type: "string" },
          extra: { type: "object", description: "The asset's EIP-712 domain: name and version" },
        },
      },
    },
  },
};

export function openapi({ areas, operations, problems }: Catalogue, public_url: string): Schema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    // OpenAPI knows no parameter that spans slashes: a client leaves them as they are.
    const path = pathOf(operation).replaceAll("{+", "{");
    paths[path] = {
      ...paths[path],
      [methodOf(operation).toLowerCase()]: describe(operation, public_url, problems),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Tallystick",
      version: INTERFACE_VERSION,
      summary: "Data, computation and trust for autonomous agents",
      description:
        "Pay per call in USDC on Base (x402) or send an API key. Every command is an event in a hash-chained log that anyone can verify.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: public_url }],
    tags: areas.map(({ name, about }) => ({ name, description: about })),
    paths,
    components: {
      schemas: { Problem: problemSchema, PaymentRequired: paymentRequiredSchema },
      securitySchemes: Object.assign(
        {},
        ...operations.flatMap(({ access }) => access.map(({ schemes }) => schemes)),
      ),
    },
  };
}

function describe(operation: Operation, public_url: string, problems: readonly ProblemType[]): Schema {
  const reader = inputReader(operation.input);
  const payment = paymentOf(operation);
  const inBody = methodOf(operation) === "POST";
  const names = Object.keys(reader.schema.properties);
  const inPath = names.filter((name) => isInPath(operation, name));
  return {
    operationId: operation.name,
    tags: [operation.area],
    summary: operation.summary,
    description: operation.description,
    ...(payment && {
      "x-payment-info": {
        price: {
          mode: typeof payment.price === "function" ? "dynamic" : "fixed",
          currency: "USD",
          amount: payment.unit_price,
        },
        protocols: ["x402"],
      },
    }),
    security: [...new Map(alternatives(operation).map((one) => [JSON.stringify(one), one])).values()],
    parameters: [
      ...names
        .filter((name) => !inBody || inPath.includes(name))
        .map((name) => parameter(name, inPath.includes(name), reader.schema, operation.example[name])),
      ...(isCommand(operation) ? [idempotencyKey, prefer] : []),
    ],
    ...(inBody && { requestBody: body(reader.schema, inPath, operation.example) }),
    responses: responses(operation, public_url, problems),
  };
}

const alternatives = ({ access }: Operation) => access.flatMap(({ security }) => security);

/** Whether a call may leave an event in the log. */
const isCommand = (operation: Operation) =>
  paymentOf(operation) !== undefined || methodOf(operation) !== "GET";

const prefer: Schema = {
  name: "Prefer",
  in: "header",
  description: "`proof` (RFC 7240): the answer carries the proof of its event in the log, at most 2 s later",
  schema: { type: "string" },
  example: "proof",
};

const idempotencyKey: Schema = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "The caller's own name for the call: the same name and request get the first answer, charged once",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,128}$" },
};

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

/** The statuses this operation can answer, each with its form. */
function responses(operation: Operation, public_url: string, problems: readonly ProblemType[]): Schema {
  const priced = paymentOf(operation) !== undefined;
  const answers: Record<string, Schema> = {
    [operation.status ?? 200]: {
      ...success(operation),
      ...(isCommand(operation) && { headers: { ...(priced && settledHeader), ...eventHeaders } }),
    },
  };
  if (restsOnDataAlone(operation) || operation.caching)
    answers[304] = { description: "Unchanged since the ETag you sent" };
  if (operation.output.kind === "file") {
    answers[206] = { ...success(operation), description: "The range asked for" };
  }
  for (const status of refusalsOf(operation)) {
    const titles = problems.filter((type) => type.status === status);
    answers[status] = {
      description: titles.map(({ title }) => title).join(" / "),
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    };
  }
  if (priced) answers[402] = paymentAnswer(operation, public_url);
  return answers;
}

const settledHeader: Schema = {
  "PAYMENT-RESPONSE": {
    description:
      "Where the call was paid for: its settlement and receipt, base64; X-PAYMENT-RESPONSE is the same",
    schema: { type: "string" },
  },
};

const eventHeaders: Schema = {
  "Event-Id": {
    description: "Where the call is recorded: its event",
    schema: { type: "string", format: "uuid" },
  },
  Link: { description: 'The event\'s proof, rel="proof"', schema: { type: "string" } },
  "Preference-Applied": { description: "`proof` when it was proven in time", schema: { type: "string" } },
  "Tlog-Proof": {
    description: "The proof (c2sp.org/tlog-proof) as a byte sequence of RFC 8941, up to 4 KiB",
    schema: { type: "string" },
  },
};

function success(operation: Operation): Schema {
  const { output } = operation;
  if (output.kind === "stream") {
    const item = z.toJSONSchema(z.union([output.item, output.last]), {
      io: "output",
      unrepresentable: "any",
    });
    const { $schema: _, ...schema } = item as Schema;
    return {
      description: "One JSON object a line, or a server-sent event",
      content: { "application/x-ndjson": { schema }, "text/event-stream": { schema: { type: "string" } } },
    };
  }
  if (output.kind === "file") {
    const content = { [output.media_type]: { schema: { type: "string", format: "binary" } } };
    return { description: output.about, content };
  }
  if (output.kind === "picture") {
    const content = formsOf(operation).map((form) => [form, { schema: otherSchema(form) }]);
    return { description: output.about, content: Object.fromEntries(content) };
  }
  if (output.kind === "bytes") {
    const format = output.media_type === "application/octet-stream" ? { format: "binary" } : {};
    const content = { [output.media_type]: { schema: { type: "string", ...format } } };
    return { description: output.about, content };
  }
  const enveloped =
    operation.envelope === "success" ? output.schema.extend({ success: z.literal(true) }) : output.schema;
  const { $schema: _, ...schema } = z.toJSONSchema(enveloped, {
    io: "output",
    unrepresentable: "any",
  }) as Schema;
  const others = formsOf(operation).filter((form) => form !== JSON_FORM);
  return {
    description: operation.summary,
    content: {
      [JSON_FORM]: { schema },
      ...Object.fromEntries(others.map((form) => [form, { schema: otherSchema(form) }])),
    },
  };
}

const otherSchema = (form: Form): Schema => {
  const isText = form === "text/csv" || form === "image/svg+xml";
  return { type: "string", ...(!isText && { format: "binary" }) };
};

function paymentAnswer(operation: Operation, public_url: string): Schema {
  const pay_to = "0x0000000000000000000000000000000000000000";
  const terms = { pay_to, public_url, embedded_chain: false } as const;
  const { body: example } = paymentRequired(
    operation,
    paymentOf(operation)!.unit_price,
    pathWith(operation, operation.example),
    terms,
  );
  return {
    description: "Payment required: x402 version 1 in the body, version 2 in the PAYMENT-REQUIRED header",
    headers: { "PAYMENT-REQUIRED": { description: "x402 version 2, base64", schema: { type: "string" } } },
    content: { "application/json": { schema: { $ref: "#/components/schemas/PaymentRequired" }, example } },
  };
}
