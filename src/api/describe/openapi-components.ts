import type { ProblemType } from "../../core/model/problem.ts";
import { paymentOf } from "../declare/access/way.ts";
import type { JsonSchema } from "../declare/json-schema.ts";
import type { Operation } from "../declare/operation.ts";
import { pathWith } from "../declare/operation-facts.ts";
import { OF_ANY_CALL, refusalsOf } from "../declare/statuses.ts";
import { paymentRequired } from "../serve/x402/required.ts";

type Schema = Record<string, unknown>;
type ComponentKind = "schemas" | "responses" | "headers" | "parameters";

export const refTo = (kind: ComponentKind, name: string): Schema => ({
  $ref: `#/components/${kind}/${name}`,
});

const problemSchema = {
  type: "object",
  required: ["type", "title", "status", "detail", "instance", "success", "error"],
  properties: {
    type: { type: "string", format: "uri", description: "URI of the kind of problem" },
    title: { type: "string" },
    status: { type: "integer", description: "HTTP status" },
    detail: { type: "string" },
    instance: { type: "string" },
    success: { type: "boolean", const: false },
    error: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: {
          path: { type: "string" },
          message: { type: "string", description: "The fault and its remedy" },
        },
      },
    },
  },
};

const paymentRequiredSchema = {
  ...problemSchema,
  required: [...problemSchema.required, "x402Version", "accepts"],
  properties: {
    ...problemSchema.properties,
    x402Version: { type: "integer", const: 1 },
    understood: {
      type: "object",
      description: "How the question or task is read: present where an operation reads words",
    },
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

const parameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "The caller's own name for the call: the same name and request get the first answer, charged once",
    schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,128}$" },
  },
  OnBehalfOf: {
    name: "On-Behalf-Of",
    in: "header",
    description:
      "The agent that the caller acts for, by a delegation whose scopes allow it: SX#42, or SX#42; wallet=0x… where that agent has several wallets",
    schema: { type: "string", pattern: "^SX#[1-9][0-9]{0,6}(; ?wallet=0x[0-9a-fA-F]{40})?$" },
  },
  MinLogPosition: {
    name: "Min-Log-Position",
    in: "header",
    description:
      "The answer includes the log up to here: send the `Log-Position` of an earlier answer. Without it you see the events that this process appended for you",
    schema: { type: "string", pattern: "^[0-9A-Za-z-]{1,64}\\.[0-9]{1,15}$" },
  },
  Prefer: {
    name: "Prefer",
    in: "header",
    description:
      "`proof` (RFC 7240): the answer carries the proof of its event in the log (c2sp.org/tlog-proof). Tlog-Proof has it as a byte sequence of " +
      "RFC 8941 of up to 4 KiB, at most 2 s later. Preference-Applied is `proof` if it was proven in time. `signed`: the answer's " +
      "Signature (RFC 9421) covers status, content and log position with the request's method, path, query and Content-Digest",
    schema: { type: "string" },
    example: "proof",
  },
};

const headers = {
  "PAYMENT-REQUIRED": { description: "x402 version 2, base64", schema: { type: "string" } },
  "PAYMENT-RESPONSE": {
    description: "For a paid call its settlement and receipt, base64; X-PAYMENT-RESPONSE is the same",
    schema: { type: "string" },
  },
  "Log-Position": {
    description: "That event's position in the log; send it as `Min-Log-Position` of a later call",
    schema: { type: "string" },
  },
  "Event-Id": {
    description: 'The event that records the call. Link (rel="proof") leads to its proof',
    schema: { type: "string", format: "uuid" },
  },
};

const refsTo = (...names: (keyof typeof headers)[]): Schema =>
  Object.fromEntries(names.map((name) => [name, refTo("headers", name)]));

export const settledHeaders = refsTo("PAYMENT-RESPONSE");

export const eventHeaders = refsTo("Event-Id", "Log-Position");

export function componentsOf(
  operations: readonly Operation[],
  problems: readonly ProblemType[],
  own: { public_url: string; schemas: Record<string, JsonSchema>; parameters: Schema },
): Schema {
  return {
    schemas: { Problem: problemSchema, PaymentRequired: paymentRequiredSchema, ...own.schemas },
    responses: responsesOf(operations, problems, own.public_url),
    headers,
    parameters: { ...parameters, ...own.parameters },
    securitySchemes: Object.assign(
      {},
      ...operations.flatMap(({ access }) => access.map(({ schemes }) => schemes)),
    ),
  };
}

function responsesOf(
  operations: readonly Operation[],
  problems: readonly ProblemType[],
  public_url: string,
): Schema {
  const answers: Record<string, Schema> = { 304: { description: "Unchanged since the ETag you sent" } };
  const titlesOf = (status: number) =>
    problems
      .filter((type) => type.status === status)
      .map(({ title }) => title)
      .join(" / ");
  const problem = (description: string): Schema => ({
    description,
    content: { "application/problem+json": { schema: refTo("schemas", "Problem") } },
  });
  for (const status of new Set(operations.flatMap((one) => [...refusalsOf(one)])))
    if (!OF_ANY_CALL.includes(status)) answers[status] = problem(titlesOf(status));
  answers["4XX"] = problem(OF_ANY_CALL.map((status) => `${status} ${titlesOf(status)}`).join("; "));
  const priced = operations.find((one) => paymentOf(one));
  if (priced) answers[402] = paymentAnswer(priced, public_url);
  return answers;
}

/** The 402, with one operation as the example; each operation has its own price in x-payment-info. */
function paymentAnswer(operation: Operation, public_url: string): Schema {
  const pay_to = "0x0000000000000000000000000000000000000000";
  const terms = { pay_to, public_url, embedded_chain: false } as const;
  const { body: example } = paymentRequired(operation, pathWith(operation, operation.example), terms, {
    price: paymentOf(operation)!.unit_price,
  });
  return {
    description: "Payment required: x402 version 1 in the body, version 2 in the PAYMENT-REQUIRED header",
    headers: refsTo("PAYMENT-REQUIRED"),
    content: { "application/json": { schema: refTo("schemas", "PaymentRequired"), example } },
  };
}
