/** Reads the credential of the `Payment` scheme: an answered challenge with its authorization. */
import { z } from "zod";
import { encoded } from "./challenge.ts";

const SCHEME = /^Payment +(\S+) *$/i;

export const isPaymentScheme = (authorization: string | undefined): authorization is string =>
  authorization !== undefined && /^Payment(?: |$)/i.test(authorization);

/** The base64url text of a `Payment` credential; undefined for a header of another scheme. */
export const credentialText = (header: string): string | undefined => SCHEME.exec(header)?.[1];

export const isCredential = (given: object): boolean => "challenge" in given;

const text = z.string().max(2_048);

/** Over HTTP `request` is base64url; over MCP it is the object itself. */
const request = z.union([
  text.regex(/^[\w-]+$/, "is base64url"),
  z.record(z.string(), z.unknown()).transform((value) => encoded(value)),
]);

/** The id does not cover members that clients of later versions add to the challenge. */
export const echoedChallenge = z.object({
  id: text,
  realm: text,
  method: z.literal("evm", "is evm, the method that the challenge names"),
  intent: z.literal("charge", "is charge"),
  request,
  expires: z.iso.datetime("is copied from the challenge"),
  opaque: text.regex(/^[\w-]+$/, "is copied from the challenge"),
});
