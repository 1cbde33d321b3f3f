import { expect, test } from "vitest";
import { readYaml } from "./plain-yaml.ts";

test("mappings, lists and empty values", () => {
  const source = "# a comment\na: 1\nb:\n  - x\n  - y: z\n\nc:\n  d:\n    e: http://f:3\n  g:\n";
  expect(() => readYaml(source)).toThrow("line 5: y: z is not plain text");
  expect(readYaml(source.replace("y: z", "y"))).toEqual({
    a: "1",
    b: ["x", "y"],
    c: { d: { e: "http://f:3" }, g: null },
  });
});

test.each([
  ["a: 1\n b: 2\n", "line 2: indent by two spaces"],
  ["a:\n\t- b\n", "line 2: indent by two spaces"],
  ["a: 1\na: 2\n", "line 2: a stands twice"],
  ["a: 1\n    b: 2\n", "line 2: this belongs to nothing above"],
  ["a: [1]\n", "line 1: [1] is not plain text"],
  ["a:\n  - b\n  c: d\n", "line 3: the list needs"],
  ["just text\n", "line 1: a mapping needs"],
])("%j is refused", (source, message) => {
  expect(() => readYaml(source)).toThrow(message);
});
