import { expect, test } from "vitest";
import { z } from "zod";
import { inputReader } from "../../src/api/declare/input.ts";
import { Refusal } from "../../src/core/model/refusal.ts";

test("__proto__ is refused like any other unknown name, in every location", () => {
  const reader = inputReader(z.object({ params: z.record(z.string(), z.unknown()).optional() }));
  for (const body of [
    '{"__proto__": {"a": 1}}',
    '{"params": {"__proto__": 1}}',
    '{"params": {"a": {"__proto__": 1}}}',
  ]) {
    expect(() => reader.fromObject(JSON.parse(body), {}), body).toThrow(Refusal);
  }
  expect(reader.fromObject({ params: { a: 1 } }, {})).toEqual({ params: { a: 1 } });
});
