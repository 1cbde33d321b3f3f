/** Every change of the interface since 0.1.0 has a note in the change log. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { bare, changesBetween, type Document, type Interface, judged } from "./surface.ts";
import { interfaceOfToday } from "./today.ts";

const released = JSON.parse(
  gunzipSync(readFileSync(new URL("0.1.0.json.gz", import.meta.url))).toString(),
) as Interface;

/** The names in the sections "Interface" of the change log, down to the release of the fixture. */
function notesIn(changelog: string): string[] {
  const sections = changelog.split(/^(?=##)/m).filter((section) => section.startsWith("### Interface\n"));
  return sections.flatMap((section) =>
    section
      .split(/^- /m)
      .slice(1)
      .flatMap((bullet) =>
        [...bullet.replaceAll(/\s+/g, " ").matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
      ),
  );
}

test("the change log names each change of the interface, and no other", () => {
  const changelog = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
  const { missing, idle } = judged(changesBetween(released, interfaceOfToday()), notesIn(changelog));
  const named = missing.map(({ name, was, is }) => `${name}: ${was.join(", ")} -> ${is.join(", ")}`);
  expect(named, 'add a note with each name to "### Interface" in CHANGELOG.md').toEqual([]);
  expect(idle, "notes of changes that are not there").toEqual([]);
});

describe("a change", () => {
  const operation = (more: object = {}) => ({
    operationId: "orders_list",
    parameters: [{ name: "limit", in: "query", schema: { type: "integer" } }],
    responses: {
      "200": {
        content: {
          "application/json": {
            schema: {
              type: "object",
              properties: {
                status: { enum: ["open", "paid"] },
                lines: { $ref: "#/components/schemas/Lines" },
              },
              required: ["status"],
            },
          },
        },
      },
      "404": {},
    },
    ...more,
  });
  const LINES = { type: "array", items: { type: "object", properties: { id: { type: "string" } } } };
  const ORDERED = { type: "object", properties: { at: { type: "string" } }, required: ["at"] };
  const made = (entry: object, events: object = { Ordered: { "1": ORDERED } }, Lines: object = LINES) => ({
    openapi: {
      paths: { "/orders": { get: entry } },
      components: { schemas: { Lines } },
    } as unknown as Document,
    events: events as Interface["events"],
  });
  const before = made(operation());
  const changed = (entry: object, events?: object, lines?: object) =>
    changesBetween(before, made(entry, events, lines)).map(({ name }) => name);
  const answering = (schema: object) =>
    operation({ responses: { "200": { content: { "application/json": { schema } } }, "404": {} } });
  const { schema } = operation().responses["200"].content["application/json"];

  test.each<[string, string[], string[]]>([
    [
      "an operation goes",
      ["orders_list"],
      changesBetween(before, { ...before, openapi: { ...before.openapi, paths: {} } }).map(
        ({ name }) => name,
      ),
    ],
    [
      "it moves",
      ["orders_list answers GET /orders", "orders_list answers GET /sales"],
      changesBetween(before, {
        ...before,
        openapi: { ...before.openapi, paths: { "/sales": before.openapi.paths["/orders"]! } },
      }).map(({ name }) => name),
    ],
    [
      "a parameter comes",
      ["orders_list query flow"],
      changed(
        operation({
          parameters: [...operation().parameters, { name: "flow", in: "query", schema: { enum: ["in"] } }],
        }),
      ),
    ],
    ["a parameter goes", ["orders_list query limit"], changed(operation({ parameters: [] }))],
    [
      "a parameter becomes required",
      ["orders_list query limit"],
      changed(operation({ parameters: [{ ...operation().parameters[0], required: true }] })),
    ],
    [
      "a parameter has another type",
      ["orders_list query limit"],
      changed(operation({ parameters: [{ ...operation().parameters[0], schema: { type: "string" } }] })),
    ],
    [
      "a member of an answer goes, with all below it",
      ["orders_list answer.lines"],
      changed(answering({ ...schema, properties: { status: schema.properties.status } })),
    ],
    [
      "a member becomes optional",
      ["orders_list answer.status"],
      changed(answering({ ...schema, required: [] })),
    ],
    [
      "a value of an enum goes",
      ["orders_list answer.status"],
      changed(answering({ ...schema, properties: { ...schema.properties, status: { enum: ["open"] } } })),
    ],
    [
      "a shared schema gets a member",
      ["orders_list answer.lines[].price"],
      changed(operation(), undefined, {
        ...LINES,
        items: {
          ...LINES.items,
          properties: { ...LINES.items.properties, price: { type: "object", properties: { net: {} } } },
        },
      }),
    ],
    [
      "a status of refusal comes",
      ["orders_list refuses with 409"],
      changed(operation({ responses: { ...operation().responses, "409": {} } })),
    ],
    [
      "an event gets a version",
      ["Ordered version 2"],
      changed(operation(), { Ordered: { "1": ORDERED, "2": ORDERED } }),
    ],
    [
      "a stored member is another",
      ["Ordered version 1: payload.at"],
      changed(operation(), { Ordered: { "1": { ...ORDERED, properties: { at: { type: "integer" } } } } }),
    ],
    ["an event goes", ["Ordered"], changed(operation(), {})],
  ])("is named when %s", (_, names, found) => {
    expect(found.sort()).toEqual(names);
  });

  test("of words and examples is not a change of the interface", () => {
    const worded = operation({
      summary: "Orders",
      parameters: [{ ...operation().parameters[0], description: "At most", example: 3 }],
    });
    expect(changesBetween(bare(before), bare(made(worded)))).toEqual([]);
    const member = { properties: { description: { type: "string" }, title: { $ref: "#/x" } } };
    expect(bare({ ...member, description: "A text" })).toEqual(member);
  });

  test("is covered by a note with its name, and a note without a change is reported", () => {
    const changes = [{ name: "orders_list answer.lines[].price", was: [], is: [] }];
    const { missing, idle } = judged(changes, [
      "* answer.lines[].price",
      "orders_*",
      "orders_list answer.lines",
    ]);
    expect([missing, idle]).toEqual([[], ["orders_list answer.lines"]]);
    expect(judged(changes, ["orders_list answer.lines[].pric"]).missing).toEqual(changes);
  });
});
