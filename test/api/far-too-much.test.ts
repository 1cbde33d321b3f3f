/** Inputs far beyond their schema: refused briefly, before they are validated. */
import { expect, test } from "vitest";
import { z } from "zod";
import { chosenForm } from "../../src/api/declare/forms/form.ts";
import { inputReader } from "../../src/api/declare/input.ts";
import { Refusal } from "../../src/core/model/refusal.ts";
import { catalogue } from "../support/catalogue.ts";

const refused = (work: () => unknown): Refusal => {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("it was taken");
};
const readerOf = (name: string) => inputReader(catalogue.find((one) => one.name === name)!.input);

test("an overlong input is refused before it is validated", () => {
  let looked = 0;
  const look = () => {
    looked++;
    return true;
  };
  const field = z.string().max(100).refine(look);
  const list = z.array(z.string().refine(look)).max(3);
  const reader = inputReader(
    z.object({
      text: field.optional(),
      nested: z.object({ list: z.array(z.object({ text: field })) }).optional(),
      list: list.optional(),
      any: z.union([field, z.number()]).optional(),
    }),
  );
  const long = "a".repeat(10_000);
  const given = [
    { text: long },
    { nested: { list: [{ text: long }] } },
    { list: Array.from({ length: 5_000 }, () => "a") },
    { any: long },
  ];
  for (const one of given) expect(refused(() => reader.fromObject(one, {})).errors).toHaveLength(1);
  expect(looked).toBe(0);
  // A slightly overlong input is refused by the schema, in its own words.
  expect(refused(() => reader.fromObject({ text: "a".repeat(101) }, {})).errors![0]!.message).toContain(
    "100",
  );
  expect(reader.fromObject({ text: "a", list: ["b"] }, {})).toEqual({ text: "a", list: ["b"] });
});

test.each([
  ["customs_classifications", { q: `a${"\u0301".repeat(60_000)}${"\u0323".repeat(60_000)}` }],
  ["fusion_sanctions_check", { name: `x ${"DE ".repeat(80_000)}x` }],
  [
    "soul_describe",
    { services: [{ name: "web", endpoint: `https://${"\u4e00\u4e8c\u4e09".repeat(20_000)}.com` }] },
  ],
])("%s is refused at once", (name, input) => {
  for (let n = 0; n < 20; n++) {
    const error = refused(() => readerOf(name).fromObject(input, {}));
    expect(error.errors!.some(({ message }) => /at most/.test(message))).toBe(true);
  }
});

test("an answer about a caller's field names is short, however long and deep they are", () => {
  let value: object = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${n}`, "\0"]));
  for (let depth = 0; depth < 58; depth++) value = { ["k".repeat(4_000)]: value };
  const error = refused(() => readerOf("x402_verify").fromObject({ paymentPayload: value }, {}));
  expect(JSON.stringify([error.message, error.errors]).length).toBeLessThan(30_000);
  const odd = refused(() => readerOf("x402_verify").fromObject({ ["k".repeat(100_000)]: 1 }, {}));
  expect(JSON.stringify([odd.message, odd.errors]).length).toBeLessThan(5_000);
});

test("an endless Accept is refused", () => {
  const operation = catalogue.find(({ name }) => name === "trade_timeline")!;
  expect(refused(() => chosenForm(operation, "a/b,".repeat(250_000))).errors).toEqual([
    { path: "Accept", message: "is at most 1000 characters" },
  ]);
});
