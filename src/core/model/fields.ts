/**
 * A field's message states the required form of the value. Stored events use these fields for ever, so never narrow a
 * field's pattern.
 */
import { isAddress } from "viem/utils";
import { z } from "zod";
import type { Hex } from "./chain.ts";

const hexOf = (bytes: number) =>
  z
    .string()
    .regex(
      new RegExp(`^0x[0-9a-f]{${2 * bytes}}$`),
      `is 0x and ${2 * bytes} hex digits in lower case`,
    ) as unknown as z.ZodType<Hex>;

export const address = hexOf(20);

export const chainHash = hexOf(32);

export const hexBytes = z
  .string()
  .regex(
    /^0x(?:[0-9a-f]{2})*$/,
    "is 0x and an even number of hex digits in lower case",
  ) as unknown as z.ZodType<Hex>;

/** Accepts capitals; the parsed value is lower case. */
export const hexRead = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${2 * bytes}}$`), `is 0x and ${2 * bytes} hex digits`)
    .transform(lowerCase);

/** The EIP-55 checksum detects typing errors. */
export const walletAddress = z
  .string()
  .regex(/^0x(?!0{40}$)[0-9a-fA-F]{40}$/, "is an address: 0x and 40 hex digits, not all of them 0")
  .refine((text) => !/^0x[0-9a-fA-F]{40}$/.test(text) || isAddress(text), {
    message: "is mistyped: its capitals are not those of EIP-55; copy it again, or write it in lower case",
  });

export function lowerCase(hex: string): Hex {
  return hex.toLowerCase() as Hex;
}

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "is a SHA-256: 64 hex digits in lower case");

export const madeId = z.string().regex(/^[0-9a-f]{32}$/, "is an id: 32 hex digits in lower case");

export const idFrom = (name: string, operation: string) => {
  const article = /^[aeiou]/.test(name) ? "an" : "a";
  return z
    .string()
    .regex(/^[0-9a-f]{32}$/, `is ${article} ${name} that ${operation} returned: 32 hex digits in lower case`);
};

export const digits = z.string().regex(/^\d{1,78}$/, "is a whole number as a decimal string");

export const time = z.iso.datetime("is a time in UTC such as 2026-01-31T00:00:00Z");

export const limit = (about: string, { most = 100, usual = 20 } = {}) =>
  z
    .int(`is a whole number from 1 to ${most}`)
    .min(1, "is at least 1")
    .max(most, `is at most ${most}`)
    .default(usual)
    .describe(about);

export const offset = (about: string) =>
  z
    .int("is a whole number from 0 to 1000000")
    .min(0, "is at least 0")
    .max(1_000_000, "is at most 1000000; narrow the question instead")
    .default(0)
    .describe(about);

export const cursor = (form: RegExp) =>
  z
    .string()
    .regex(form, "is the next_cursor of another page of this list")
    .describe("The next_cursor of the page before; omitted = the first page")
    .optional();

export const positionCursor = cursor(/^[1-9]\d{0,14}$/);

export const decimal = z.string().regex(/^\d+(\.\d+)?$/, "is a decimal as a string, such as 12.5");

export const decimalTo = (places: number) =>
  z.string().regex(new RegExp(`^\\d+(\\.\\d{1,${places}})?$`), `is a decimal with at most ${places} places`);

export const month = z
  .string()
  .regex(/^(19|20)\d\d-(0[1-9]|1[0-2])$/, "is a month, YYYY-MM, such as 2022-03");

/** ISO 3166-1 alpha-2 codes, with the codes that statistics add. */
export const countryCode = z.string("is a 2-letter code such as CN").regex(/^[A-Z]{2}$/, {
  error: "is a 2-letter code such as CN; Greece is GR",
  abort: true,
});
