/** The tools that MCP lists by default. */
import { expect, test } from "vitest";
import { defaultTools } from "../../src/api/transports/default-tools.ts";
import { catalogue } from "../support/catalogue.ts";

test("each default tool is an operation, or calls any operation, and is named once", () => {
  const names = ["operations_call", ...catalogue.map(({ name }) => name)];
  expect(defaultTools.filter((name) => !names.includes(name))).toEqual([]);
  expect(new Set(defaultTools).size).toBe(defaultTools.length);
});

test("the default tools are the specification's 37, with its ten about agents", () => {
  expect(defaultTools).toHaveLength(37);
  const agents = "profile verify insights leaderboard compliance analytics stack_feed badges bounties".split(
    " ",
  );
  expect(defaultTools).toEqual(
    expect.arrayContaining([...agents.map((name) => `soul_${name}`), "compliance_check"]),
  );
});
