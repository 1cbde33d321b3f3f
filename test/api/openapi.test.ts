/** OpenAPI as a whole: shared parts, and its use by client generators. */

import { expect, test } from "vitest";
import { z } from "zod";
import { open } from "../../src/api/declare/access/open.ts";
import { catalogueOf } from "../../src/api/declare/catalogue.ts";
import { formsOf } from "../../src/api/declare/forms/form.ts";
import type { JsonSchema } from "../../src/api/declare/json-schema.ts";
import { operation } from "../../src/api/declare/operation.ts";
import { json } from "../../src/api/declare/output.ts";
import { OF_ANY_CALL, refusalsOf } from "../../src/api/declare/statuses.ts";
import { documentsOf } from "../../src/api/describe/documents.ts";
import { fieldWords } from "../../src/api/describe/field-words.ts";
import { openapi } from "../../src/api/describe/openapi.ts";
import { shareSchemas } from "../../src/api/describe/openapi-schemas.ts";
import { areas } from "../../src/areas/index.ts";
import { mapping } from "../../src/domain/compliance/mapping.ts";
import { areaOf } from "../support/catalogue.ts";

type Answer = { content?: Record<string, unknown>; "x-other-forms"?: string[] };
type Document = {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, Answer> }>>;
  components: Record<string, Record<string, unknown>>;
};
const catalogue = catalogueOf(areas);
const TERMS = {
  pay_to: "0x0000000000000000000000000000000000000000",
  public_url: "https://tally.example.org",
  embedded_chain: false,
} as const;
const described = openapi(catalogue, "https://tally.example.org") as unknown as Document;
const entries = Object.values(described.paths).flatMap((methods) => Object.values(methods));

/** Characters per operation, with its share of the common parts, its recorded example and both protocols of its price. */
const MOST_EACH = 4_450;
/** One area's document, which a model reads at once. */
const MOST_AREA = 145_000;

const referencesIn = (text: string) => new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to!));

function expectWhole(document: Document): void {
  const there = Object.entries(document.components).flatMap(([kind, parts]) =>
    Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
  );
  expect([...referencesIn(JSON.stringify(document))].filter((to) => !there.includes(to))).toEqual([]);
}

test("shared parts appear once, and every reference resolves", () => {
  const text = JSON.stringify(described);
  expect(text.length).toBeLessThan(MOST_EACH * catalogue.operations.length);
  expectWhole(described);
  expect(referencesIn(text).size).toBeGreaterThan(80);
});

test("an area's document is complete and short enough to read at once", () => {
  const documents = documentsOf(catalogue, TERMS);
  for (const { name, operations } of catalogue.areas.filter(({ operations }) => operations.length > 0)) {
    const { body } = documents
      .find(({ path }) => path === `/openapi/${name}.json`)!
      .render(undefined as never, undefined as never) as { body: string };
    const document = JSON.parse(body) as Document;
    expect([name, body.length < MOST_AREA]).toEqual([name, true]);
    const named = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(named.map(({ operationId }) => operationId).sort()).toEqual(
      operations.map(({ name }) => name).sort(),
    );
    expectWhole(document);
  }
});

test("a schema of several answers appears once, as do the fields that others extend", () => {
  const word = { type: "object", properties: { a: { type: "string" }, b: { enum: ["x".repeat(60)] } } };
  const base = { type: "object", properties: { source: { type: "string" } }, required: ["source"] };
  const extended = {
    type: "object",
    properties: { ...base.properties, year: { type: "integer" } },
    required: ["source", "year"],
  };
  const { answers, components } = shareSchemas(
    {
      one: { type: "object", properties: { word: { ...word, description: "The first" }, meta: extended } },
      two: { type: "object", properties: { words: { type: "array", items: word }, meta: base } },
    },
    {},
    { Base: base },
  );
  expect(answers).toEqual({
    one: {
      type: "object",
      properties: {
        word: { $ref: "#/components/schemas/Word", description: "The first" },
        meta: {
          allOf: [
            { $ref: "#/components/schemas/Base" },
            { type: "object", properties: { year: { type: "integer" } }, required: ["year"] },
          ],
        },
      },
    },
    two: {
      type: "object",
      properties: {
        words: { type: "array", items: { $ref: "#/components/schemas/Word" } },
        meta: { $ref: "#/components/schemas/Base" },
      },
    },
  });
  expect(components).toEqual({ Base: base, Word: word });
});

test("every refusal status of an operation is documented, by itself or for all calls", () => {
  for (const { operationId, responses } of entries) {
    const one = catalogue.operations.find(({ name }) => name === operationId)!;
    const results = [...refusalsOf(one)].filter(
      (status) => !(status in responses) && !(OF_ANY_CALL.includes(status) && "4XX" in responses),
    );
    expect([operationId, results]).toEqual([operationId, []]);
  }
  const { description } = described.components.responses!["4XX"] as { description: string };
  for (const status of OF_ANY_CALL) expect(description).toContain(`${status} `);
});

test("each answer has one format and so one type; x-other-forms lists the other formats", () => {
  for (const { operationId, responses } of entries) {
    const answers = Object.entries(responses).filter(([status]) => status.startsWith("2"));
    for (const [, { content }] of answers)
      expect([operationId, Object.keys(content!).length]).toEqual([operationId, 1]);
    const { output } = catalogue.operations.find(({ name }) => name === operationId)!;
    if (output.kind === "json" || output.kind === "picture")
      expect(answers[0]![1]["x-other-forms"] ?? []).toEqual(formsOf({ output }).slice(1));
  }
});

test("two schemas with one id are refused", () => {
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

test("the /api prefix serves aliases as it serves the routes", () => {
  const profile = catalogue.operations.find(({ name }) => name === "fusion_country")!;
  expect(profile.aliases).toEqual([
    "/api/v1/agent/fusion/country",
    "/api/v1/agent/fusion/country-profile",
    "/v1/agent/fusion/country-profile",
  ]);
});

test("the compliance mapping names only paths that exist", () => {
  const text = JSON.stringify(mapping);
  const named = [...text.matchAll(/\b(?:GET|POST|DELETE) \/[\w/{}+-]+/g)].map(([route]) => route);
  expect(named.length).toBeGreaterThan(2);
  expect(
    [...new Set(named)].filter((route) => !catalogue.operations.some((one) => one.route === route)),
  ).toEqual([]);
  // A path without its method would escape this test.
  expect(text.replaceAll(/\b(?:GET|POST|DELETE) \/[\w/{}+-]+/g, "")).not.toMatch(/\/(?:v1|log|soul)\//);
});

/** The fields of a schema by name, each with its place. */
function fieldsIn(part: unknown, place: string): { name: string; place: string; field: JsonSchema }[] {
  if (typeof part !== "object" || part === null) return [];
  const { properties = {}, example: _, ...rest } = part as JsonSchema & { example?: unknown };
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      { name, place: `${place}.${name}`, field },
      ...fieldsIn(field, `${place}.${name}`),
    ]),
    ...Object.values(rest).flatMap((inner) => fieldsIn(inner, place)),
  ];
}

type Response = { content?: Record<string, { schema: JsonSchema; example?: unknown }> };
const answerFields = [
  ...entries.flatMap(({ operationId, responses }) => fieldsIn(responses, operationId as string)),
  ...Object.entries(described.components.schemas!).flatMap(([name, schema]) => fieldsIn(schema, name)),
];

test("each field of each answer has a description", () => {
  const schemas = described.components.schemas as Record<string, JsonSchema>;
  const isDescribed = ({ description, $ref }: JsonSchema) =>
    Boolean(description ?? schemas[$ref?.split("/").at(-1) ?? ""]?.description);
  expect(answerFields.length).toBeGreaterThan(2_000);
  expect(answerFields.filter(({ field }) => !isDescribed(field)).map(({ place }) => place)).toEqual([]);
});

test("every shared word describes a field of some answer", () => {
  const used = new Set(answerFields.map(({ name, field }) => `${name}: ${field.description}`));
  const words = Object.entries(fieldWords).map(([name, word]) => `${name}: ${word}`);
  expect(words.filter((word) => !used.has(word))).toEqual([]);
});

const recorded = catalogue.operations.filter(
  ({ output }) =>
    output.kind === "json" ||
    output.kind === "stream" ||
    (output.kind === "bytes" && !output.media_type.startsWith("application/octet")),
);

test.each(recorded.map((operation) => [operation.name, operation] as const))(
  "%s has a recorded example that fits its schema",
  (_, { name, output, envelope, status = 200 }) => {
    const { responses } = entries.find(({ operationId }) => operationId === name) as unknown as {
      responses: Record<string, Response>;
    };
    const [{ example } = {}] = Object.values(responses[status]!.content!);
    expect(example, "record it: RECORD=1 npm test -- test/contract/catalogue").toBeDefined();
    if (output.kind === "bytes") return expect(typeof example).toBe("string");
    if (output.kind === "stream") return void output.item.or(output.last).parse(example);
    if (output.kind !== "json") return;
    const schema =
      envelope === "success" ? output.schema.extend({ success: z.literal(true) }) : output.schema;
    expect(schema.parse(example)).toEqual(example);
  },
);
