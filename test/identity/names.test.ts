/** Reserved ids of agents, compared with the routes. */
import { expect, test } from "vitest";
import { pathOf } from "../../src/api/declare/operation-facts.ts";
import { newAgentId, RESERVED_IDS, refOf } from "../../src/domain/identity/fields.ts";
import { catalogue } from "../support/catalogue.ts";

test("no agent id equals the first segment of a path under /soul", () => {
  const paths = catalogue.flatMap((operation) => [pathOf(operation), ...operation.aliases]);
  const words = paths.flatMap((path) => /^\/soul\/([^/{]+)/.exec(path)?.[1] ?? []);
  expect(words).toContain("passport");
  for (const word of words) expect(RESERVED_IDS).toContain(word);
  for (const word of words) expect(newAgentId.safeParse(word.toUpperCase()).success).toBe(false);
});

test("a name is either a number or an id", () => {
  for (const text of ["42", "SX#42", "sx#42"]) expect(refOf(text)).toEqual({ by: "number", sx_number: 42 });
  for (const text of ["42a", "sx-a", "A.b:c_d-e"]) {
    expect(refOf(text)).toEqual({ by: "id", id: text.toLowerCase() });
    expect(newAgentId.safeParse(text).success).toBe(true);
  }
});
