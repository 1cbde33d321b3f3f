/** The call of an operation's page as code. */
import { describe, expect, test } from "vitest";
import { samplesOf } from "../../src/web/call-samples.ts";

const call = {
  method: "POST",
  url: "http://127.0.0.1:3000/v1/agent/rng/roll",
  body: { words: 'it\'s "so"', again: false, none: null, list: [1, []] },
  credential: { key: undefined },
  answer: "json",
} as const;

describe("a call as code", () => {
  const { curl, TypeScript, Python } = samplesOf(call as never);

  test("quotes its body for the shell", () => {
    expect(curl).toContain(`-d '{"words":"it'\\''s \\"so\\"","again":false,"none":null,"list":[1,[]]}'`);
  });

  test("reads the key from the environment in every language", () => {
    expect(curl).toContain('"Authorization: Bearer $TALLYSTICK_KEY"');
    expect(TypeScript).toContain(`\`Bearer \${process.env.TALLYSTICK_KEY}\``);
    expect(Python).toContain(`f"Bearer {os.environ['TALLYSTICK_KEY']}"`);
  });

  test("writes JSON's values as Python's", () => {
    expect(Python).toContain(
      '"again": False,\n        "none": None,\n        "list": [\n            1,\n            [],',
    );
  });

  test("says in a comment where a wallet's payment is written", () => {
    const unpaid = samplesOf({ ...call, method: "GET", body: undefined, credential: "wallet" });
    const comment = " Unpaid, this gets a 402; to pay: http://127.0.0.1:3000/docs/cookbook#pay-for-a-call\n";
    expect(unpaid.curl.startsWith(`#${comment}`)).toBe(true);
    expect(unpaid.TypeScript.startsWith(`//${comment}`)).toBe(true);
    expect(unpaid.Python.startsWith(`#${comment}`)).toBe(true);
  });

  test("names no key where none is needed", () => {
    for (const text of Object.values(
      samplesOf({ ...call, method: "GET", body: undefined, credential: "none" }),
    ))
      expect(text).not.toMatch(/Bearer|TALLYSTICK_KEY|import os/);
  });
});
