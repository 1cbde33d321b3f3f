/** Error messages for schemas that declare none. They state the valid values in the terms of JSON. */
import type { z } from "zod";

const kinds: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  bigint: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  null: "null",
  date: "a time",
};

const formats: Readonly<Record<string, string>> = {
  email: "an e-mail address",
  url: "a URL such as https://example.org",
  uuid: "a UUID",
  guid: "a UUID",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
  date: "a day of the calendar as YYYY-MM-DD",
  time: "a time of day as HH:MM:SS",
  datetime: "a time as YYYY-MM-DDTHH:MM:SSZ",
  base64: "base64",
  base64url: "base64url",
  hex: "hexadecimal",
  json_string: "JSON",
};

const MOST_VALUES = 30;

/** Sizes of texts and lists are counted in characters or entries; other bounds are plain values. */
const sizeOf = (origin: string, size: unknown) =>
  origin === "string"
    ? ["is", `${size} characters`]
    : origin === "array" || origin === "set" || origin === "map"
      ? ["has", `${size} entries`]
      : ["is", String(size)];

function bound(origin: string, size: unknown, isLeast: boolean, isInclusive: boolean | undefined): string {
  const [verb, amount] = sizeOf(origin, size);
  if (isInclusive === false) return `${verb} ${isLeast ? "more" : "less"} than ${amount}`;
  return `${verb} at ${isLeast ? "least" : "most"} ${amount}`;
}

/** Pass this to every parse of a caller's input, so that the validator's own messages never reach a caller. */
export const plainIssue: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `is ${kinds[issue.expected] ?? issue.expected}`;
    case "too_small":
      return bound(issue.origin, issue.minimum, true, issue.inclusive);
    case "too_big":
      return bound(issue.origin, issue.maximum, false, issue.inclusive);
    case "not_multiple_of":
      return `is a multiple of ${issue.divisor}`;
    case "invalid_value":
      return `is ${issue.values.length > 1 ? "one of " : ""}${issue.values.slice(0, MOST_VALUES).map(String).join(", ")}`;
    case "unrecognized_keys":
      return `has fields that are unknown: ${issue.keys.slice(0, MOST_VALUES).join(", ")}; omit them`;
    case "invalid_format":
      return formats[issue.format] === undefined
        ? `has another form than ${issue.pattern ?? issue.format}`
        : `is ${formats[issue.format]}`;
    case "invalid_union":
      return "has none of the forms that are possible here";
    default:
      return "is not a value that is possible here";
  }
};
