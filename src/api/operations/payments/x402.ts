/** The endpoints of x402 itself. Their wire form uses camelCase. */

import { z } from "zod";
import { limit, lowerCase, offset } from "../../../core/model/fields.ts";
import { USDC } from "../../../domain/payments/usdc.ts";
import {
  json,
  key,
  type OperationDeclaration,
  open,
  openWhere,
  operation,
  reads,
} from "../../declare/index.ts";
import { requestDigest } from "../../serve/call.ts";
import { resources } from "../../serve/x402/discovery.ts";
import { settle, supported, verify } from "../../serve/x402/facilitator.ts";

const address = z.string().describe("An address");

const supportedOperation = operation({
  name: "x402_supported",
  route: "GET /x402/supported",
  summary: "The accepted payments",
  description:
    "The schemes, networks and extensions of x402 that payments to this service may use, as a facilitator lists them.",
  access: [open()],
  input: z.object({}),
  output: json(
    z.object({
      kinds: z.array(z.object({ x402Version: z.int(), scheme: z.string(), network: z.string() })),
      extensions: z.array(z.string()),
      signers: z
        .record(z.string(), z.array(address))
        .describe("Addresses that send payments to the chain, by network"),
    }),
  ),
  example: {},
  handle: async ({ app }) => supported(app),
});

const EXAMPLE_WALLET = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const EXAMPLE_PAYEE = "0x209693bc6afc0c5328ba36faf03c514ef312287c";

/** The body of a facilitator's endpoint, in version 1 or 2 of x402. */
const facilitated = {
  input: z.object({
    x402Version: z.int().optional().describe("1 or 2, as the payment's own"),
    paymentPayload: z
      .looseObject({})
      .describe("The payment as JSON, which X-PAYMENT or PAYMENT-SIGNATURE carry in base64"),
    paymentRequirements: z.looseObject({}).describe("The entry of the 402's `accepts` that the payer chose"),
  }),
  example: {
    x402Version: 1,
    paymentPayload: {
      x402Version: 1,
      scheme: "exact",
      network: "base",
      payload: {
        signature: `0x${"00".repeat(65)}`,
        authorization: {
          from: EXAMPLE_WALLET,
          to: EXAMPLE_PAYEE,
          value: "50000",
          validAfter: "1740672089",
          validBefore: "1740672389",
          nonce: `0x${"00".repeat(32)}`,
        },
      },
    },
    paymentRequirements: {
      scheme: "exact",
      network: "base",
      maxAmountRequired: "50000",
      payTo: EXAMPLE_PAYEE,
      asset: USDC.address,
    },
  },
};

const verifyOperation = operation({
  name: "x402_verify",
  route: "POST /x402/verify",
  effect: { ...reads, reaches_out: true },
  summary: "Check a payment without settling it",
  description: `Checks an x402 payment as a call would, including the balance. Takes both versions of x402, and only
payments to this service: its payTo, its asset. \`invalidReason\` is an error code of x402, \`invalidMessage\` the remedy.`,
  access: [open()],
  ...facilitated,
  output: json(
    z.object({
      isValid: z.boolean(),
      invalidReason: z.string().optional(),
      invalidMessage: z.string().optional(),
      payer: address.optional(),
    }),
  ),
  handle: ({ input, app }) => verify(app, input),
});

const settleOperation: OperationDeclaration = operation({
  name: "x402_settle",
  route: "POST /x402/settle",
  effect: { changes: "takes", repeatable: true, reaches_out: true },
  summary: "Settle a payment",
  description: `Sends an x402 payment to the chain and returns its transaction, once: the same payment again gets the same
answer. Only for payments of at least 0.001 USDC to this service's payTo; a paid call here settles by itself. With an API key, the settled payment buys something elsewhere and can no longer buy a call here. An operator may admit calls without a key. Such a call
only sends the payment to the chain: its payer can still buy a call with it, and an unused payment is refunded.`,
  access: [key("order"), openWhere("SETTLE_OPEN")],
  moves_money: true,
  ...facilitated,
  output: json(
    z.object({
      success: z.boolean(),
      transaction: z.string().describe("Its hash; empty when nothing was settled"),
      network: z.string(),
      payer: address.optional(),
      amount: z.string().optional().describe("In the asset's smallest unit"),
      errorReason: z.string().optional(),
      errorMessage: z.string().optional(),
    }),
  ),
  handle: ({ input, app, caller, request, unit }) => {
    const request_sha256 = requestDigest(settleOperation, input);
    const sold = {
      operation: settleOperation,
      caller,
      request_sha256,
      request_id: request.id,
      idempotency_key: undefined,
    };
    return settle(app, sold, input, unit.names);
  },
});

const resourcesOperation = operation({
  name: "x402_resources",
  route: "GET /x402/discovery/resources",
  summary: "The priced operations",
  description:
    "Every priced operation with its terms, in the form in which facilitators list the resources they know (Bazaar).",
  access: [open()],
  lists: "none",
  input: z.object({
    type: z.enum(["http"]).optional().describe("The kind of resource; here all are http"),
    limit: limit("How many"),
    offset: offset("How many to skip"),
  }),
  output: json(
    z.object({
      x402Version: z.int(),
      items: z.array(
        z.object({
          resource: z.url(),
          type: z.string().describe("Protocol of the resource"),
          x402Version: z.int(),
          accepts: z.array(
            z.object({
              scheme: z.string(),
              network: z.string(),
              amount: z.string().describe("In the asset's smallest unit, at the unit price"),
              asset: address,
              payTo: address,
              maxTimeoutSeconds: z.int(),
              extra: z
                .looseObject({ name: z.string(), version: z.string() })
                .describe("The token's EIP-712 domain; for a channel also its terms"),
            }),
          ),
          lastUpdated: z.int().describe("Seconds of Unix time"),
          metadata: z.object({
            provider: z.string(),
            category: z.string(),
            name: z.string(),
            method: z.string().describe("HTTP method"),
            description: z.string(),
          }),
          extensions: z.record(z.string(), z.looseObject({})).describe("As the 402 declares them"),
        }),
      ),
      pagination: z.object({ limit: z.int(), offset: z.int(), total: z.int() }),
    }),
  ),
  example: { limit: 10 },
  handle: async ({ input, app, catalogue }) => {
    const { pay_to, embedded_chain, settings } = app;
    const terms = {
      ...{ pay_to, embedded_chain, public_url: settings.public_url },
      ...(app.takes_channels && { receiver_authorizer: lowerCase(app.refunds.address) }),
    };
    return resources(catalogue.operations, terms, settings.started_at, input);
  },
});

export const x402Operations = [supportedOperation, verifyOperation, settleOperation, resourcesOperation].map(
  (declared): OperationDeclaration => ({ ...declared, envelope: "none" }),
);
