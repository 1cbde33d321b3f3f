/**
 * The fields that events, questions and answers are made of, one schema each, with what a caller is told of a wrong one: what the
 * value is. Stored events keep to these for ever: a pattern that is used in one is never narrowed.
 */
import { isAddress } from "viem/utils";
import { z } from "zod";
import type { Hex } from "./chain.ts";

/** So many bytes of the chain as the service writes them: 0x and lower-case hex digits. */
export const hexOf = (bytes: number) =>
  z
    .string()
    .regex(
      new RegExp(`^0x[0-9a-f]{${2 * bytes}}$`),
      `is 0x and ${2 * bytes} hex digits in lower case`,
    ) as unknown as z.ZodType<Hex>;

/** An account of the chain, as the service writes it. */
export const address = hexOf(20);

/** 32 bytes of the chain: a transaction, a block, a nonce. */
export const chainHash = hexOf(32);

/** Any number of whole bytes, as the service writes them. */
export const hexBytes = z
  .string()
  .regex(
    /^0x(?:[0-9a-f]{2})*$/,
    "is 0x and an even number of hex digits in lower case",
  ) as unknown as z.ZodType<Hex>;

/** So many bytes as others may write them, in capitals too; in lower case once it is read. */
export const hexRead = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${2 * bytes}}$`), `is 0x and ${2 * bytes} hex digits`)
    .transform(lowerCase);

/** An account as a caller writes it: in lower case, or with the checksum of EIP-55; a typing error in the latter is found. */
export const walletAddress = z
  .string()
  .regex(/^0x(?!0{40}$)[0-9a-fA-F]{40}$/, "is an address: 0x and 40 hex digits, not all of them 0")
  .refine((text) => !/^0x[0-9a-fA-F]{40}$/.test(text) || isAddress(text), {
    message: "is mistyped: its capitals are not those of EIP-55; copy it again, or write it in lower case",
  });

/** As it stands in events and topics. */
export function lowerCase(hex: string): Hex {
  return hex.toLowerCase() as Hex;
}

/** A SHA-256 in hex, without 0x: of events, seeds, vintages, files. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "is a SHA-256: 64 hex digits in lower case");

/** 16 random bytes in hex, which name something that the service made. */
export const madeId = z.string().regex(/^[0-9a-f]{32}$/, "is an id: 32 hex digits in lower case");

/** The id that an operation answered, as it is asked for afterwards. */
export const idFrom = (name: string, operation: string) => {
  const article = /^[aeiou]/.test(name) ? "an" : "a";
  return z
    .string()
    .regex(/^[0-9a-f]{32}$/, `is ${article} ${name} that ${operation} answered: 32 hex digits in lower case`);
};

/** An integer from 0 that may be larger than a number can tell: decimal digits, as many as 256 bits need. */
export const digits = z.string().regex(/^\d{1,78}$/, "is a whole number as a decimal string");

/** A time in UTC, to the millisecond where the service writes it. */
export const time = z.iso.datetime("is a time in UTC such as 2026-01-31T00:00:00Z");

/** How many lines of a list to answer, from 1 to `most`. */
export const limit = (about: string, { most = 100, usual = 20 } = {}) =>
  z
    .int(`is a whole number from 1 to ${most}`)
    .min(1, "is at least 1")
    .max(most, `is at most ${most}`)
    .default(usual)
    .describe(about);

/** How many lines of a list to leave out before the first. */
export const offset = (about: string) =>
  z
    .int("is a whole number from 0 to 1000000")
    .min(0, "is at least 0")
    .max(1_000_000, "is at most 1000000; narrow the question instead")
    .default(0)
    .describe(about);

/** Where the next page of a list begins, in the form that the list gave out. */
export const cursor = (form: RegExp) =>
  z
    .string()
    .regex(form, "is the next_cursor of another page of this list")
    .describe("The next_cursor of the page before; omitted = the first page")
    .optional();

/** A cursor that is a position of the log. */
export const positionCursor = cursor(/^[1-9]\d{0,14}$/);

/** A decimal from 0 as a string. */
export const decimal = z.string().regex(/^\d+(\.\d+)?$/, "is a decimal as a string, such as 12.5");

/** The same with at most `places` places. */
export const decimalTo = (places: number) =>
  z.string().regex(new RegExp(`^\\d+(\\.\\d{1,${places}})?$`), `is a decimal with at most ${places} places`);

/** A month of a calendar year. */
export const month = z
  .string()
  .regex(/^(19|20)\d\d-(0[1-9]|1[0-2])$/, "is a month, YYYY-MM, such as 2022-03");

/** A country by two capital letters: ISO 3166-1 alpha-2, and what statistics add to it. */
export const countryCode = z.string("is a 2-letter code such as CN").regex(/^[A-Z]{2}$/, {
  error: "is a 2-letter code such as CN; Greece is GR",
  abort: true,
});
