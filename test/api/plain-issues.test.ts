/** Errors of input say how to mend it, in our words, whatever a schema leaves unsaid. */
import { expect, test } from "vitest";
import { z } from "zod";
import { inputReader, isPresent } from "../../src/api/declare/input.ts";
import { type Refusal, sentenceOf } from "../../src/core/model/refusal.ts";

const bare = z.object({
  text: z.string().min(2).max(3),
  whole: z.int().min(1).max(9),
  share: z.number().gt(0).lt(1),
  half: z.number().multipleOf(0.5),
  yes: z.boolean(),
  list: z.array(z.string()).min(1).max(2),
  one: z.enum(["a", "b"]),
  day: z.iso.date(),
  mail: z.email(),
  code: z.string().regex(/^[a-z]$/),
  either: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
  inner: z.strictObject({ name: z.string() }),
});

function refusalOf(body: object): Refusal {
  try {
    inputReader(bare).fromObject(body, {});
  } catch (error) {
    return error as Refusal;
  }
  throw new Error("it was taken");
}

const wrong: [field: string, value: unknown, says: string][] = [
  ["text", 5, "is text"],
  ["text", "x", "is at least 2 characters"],
  ["text", "long", "is at most 3 characters"],
  ["whole", 1.5, "is a whole number"],
  ["whole", 0, "is at least 1"],
  ["share", 0, "is more than 0"],
  ["share", 1, "is less than 1"],
  ["half", 0.3, "is a multiple of 0.5"],
  ["yes", "no", "is true or false"],
  ["list", [], "has at least 1 entries"],
  ["list", ["a", "b", "c"], "has at most 2 entries"],
  ["one", "c", "is one of a, b"],
  ["day", "2024-13-01", "is a day of the calendar as YYYY-MM-DD"],
  ["mail", "nobody", "is an e-mail address"],
  ["code", "A", "has another form than /^[a-z]$/"],
  ["either", {}, "has none of the forms that are possible here"],
];

test.each(wrong)("%s of %j gets the error: %s", (field, value, says) => {
  const { errors, message } = refusalOf({ [field]: value });
  const [found] = errors!.filter(({ path }) => path === field);
  expect(found?.message).toBe(says);
  expect(isPresent(found!)).toBe(true);
  expect(sentenceOf(found!)).toBe(`${field} ${says}`);
  expect(message).toMatch(/^invalid input: /);
});

test("a missing member of a sent object is an error in what the caller sent", () => {
  const { errors } = refusalOf({ inner: { other: 1 } });
  const inner = errors!.filter(({ path }) => path.startsWith("inner"));
  expect(inner.map(({ path, message }) => `${path} ${message}`)).toEqual([
    "inner.name is missing",
    "inner has fields that are unknown: other; omit them",
  ]);
  expect(inner.every(isPresent)).toBe(true);
});

test("the detail names three fields with their remedies, and counts the others", () => {
  const { message, errors } = refusalOf({});
  expect(message).toMatch(
    /^invalid input: text is required; whole is required; share is required; and \d+ more, see errors$/,
  );
  expect(errors).toHaveLength(Object.keys(bare.shape).length);
});
