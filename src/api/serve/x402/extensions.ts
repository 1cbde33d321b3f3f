/** The extensions of a 402 of x402 version 2. Source: payment_identifier.md among the extensions of its specification. */
type Schema = Record<string, unknown>;

/** A version 2 extension: the server's values and their JSON Schema. */
export type Extension = { info: Schema; schema: Schema; routeTemplate?: string };

export const DIALECT = "https://json-schema.org/draft/2020-12/schema";

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
