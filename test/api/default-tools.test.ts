/** The tools that MCP lists by default. */
import { expect, test } from "vitest";
import { defaultTools, MOST_TOOLS } from "../../src/api/transports/default-tools.ts";
import { catalogue } from "../support/catalogue.ts";

test("each is an operation, or calls any operation, and is named once", () => {
  const names = ["operations_call", ...catalogue.map(({ name }) => name)];
  expect(defaultTools.filter((name) => !names.includes(name))).toEqual([]);
  expect(new Set(defaultTools).size).toBe(defaultTools.length);
});

test("they are few enough for a model to choose from", () => {
  expect(defaultTools.length).toBeLessThanOrEqual(MOST_TOOLS);
});
