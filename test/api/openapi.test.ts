/** OpenAPI as a whole: what is said once, and what generators of clients make of it. */
import { expect, test } from "vitest";
import { z } from "zod";
import { catalogueOf } from "../../src/api/catalogue.ts";
import { formsOf } from "../../src/api/forms/form.ts";
import { openapi } from "../../src/api/openapi.ts";
import { json, open, operation } from "../../src/api/operation.ts";
import { areas } from "../../src/areas/index.ts";
import { areaOf } from "../support/catalogue.ts";

type Answer = { content?: Record<string, unknown>; "x-other-forms"?: string[] };
type Document = {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, Answer> }>>;
  components: Record<string, Record<string, unknown>>;
};
const catalogue = catalogueOf(areas);
const described = openapi(catalogue, "https://tally.example.org") as unknown as Document;
const entries = Object.values(described.paths).flatMap((methods) => Object.values(methods));

test("what operations share stands once, and every reference leads somewhere", () => {
  const text = JSON.stringify(described);
  expect(text.length).toBeLessThan(350_000);
  const references = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to!));
  const there = Object.entries(described.components).flatMap(([kind, parts]) =>
    Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
  );
  expect([...references].filter((to) => !there.includes(to))).toEqual([]);
  expect(references.size).toBeGreaterThan(40);
});

test("an answer has one form, so that it has one type, and its others are named beside it", () => {
  for (const { operationId, responses } of entries) {
    const answers = Object.entries(responses).filter(([status]) => status.startsWith("2"));
    for (const [, { content }] of answers)
      expect([operationId, Object.keys(content!).length]).toEqual([operationId, 1]);
    const { output } = catalogue.operations.find(({ name }) => name === operationId)!;
    if (output.kind === "json" || output.kind === "picture")
      expect(answers[0]![1]["x-other-forms"] ?? []).toEqual(formsOf({ output }).slice(1));
  }
});

test("two schemas of one id are refused", () => {
  const answering = (name: string, answer: z.ZodType) =>
    operation({
      name,
      route: `GET /${name}`,
      summary: "One",
      description: "One.",
      access: [open()],
      input: z.object({}),
      output: json(z.object({ data: answer })),
      example: {},
      handle: async () => ({}),
    });
  const made = (...answers: z.ZodType[]) =>
    openapi(
      catalogueOf([areaOf(answers.map((answer, at) => answering(`op${at}`, answer)))]),
      "https://x.org",
    );
  const one = z.object({ a: z.string() }).meta({ id: "OfTest" });
  const other = z.object({ b: z.string() }).meta({ id: "OfTest" });
  expect(made(one, one)).toHaveProperty("components.schemas.OfTest.properties.a");
  expect(() => made(one, other)).toThrow("two schemas of answers have the id OfTest");
});
