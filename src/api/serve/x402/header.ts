/**
 * The base64 of JSON that x402 puts into headers; the same bytes as the codecs of @x402/core/http, which take twelve
 * times as long over a 402.
 */
export const toHeader = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64");
