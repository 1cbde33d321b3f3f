import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  canonicalBytes,
  canonicalText,
  MAX_DEPTH,
  parseStrict,
  parseStrictBytes,
} from "../../eventstore/canonical.ts";
import { InvalidEvent } from "../../eventstore/errors.ts";
import { jsonFault } from "../../eventstore/json-fault.ts";
import type { JsonObject } from "../../eventstore/types.ts";
import { scaled } from "../support/scale.ts";

describe("canonical bytes", () => {
  test("keys are sorted by UTF-16 code units, as RFC 8785 says", () => {
    // The example of RFC 8785, section 3.2.3.
    const value = { "\u20ac": 5, "\r": 1, "\ufb33": 7, "1": 2, "\ud83d\ude00": 6, "\u0080": 3, "\u00f6": 4 };
    expect(canonicalText(value, "payload")).toBe(
      '{"\\r":1,"1":2,"\u0080":3,"\u00f6":4,"\u20ac":5,"\ud83d\ude00":6,"\ufb33":7}',
    );
  });

  test("numbers are written as ECMAScript writes them", () => {
    expect(canonicalText({ a: [1e21 / 1e21, -0, 0.000001, 1e-7, 333333333.3333333, 4.5] }, "payload")).toBe(
      '{"a":[1,0,0.000001,1e-7,333333333.3333333,4.5]}',
    );
  });

  test("the independent package returns the same, for all keys", () => {
    const reference = canonicalize as unknown as (value: object) => string;
    const key = fc.oneof(
      fc.constantFrom(
        "__proto__",
        "constructor",
        "0",
        "9",
        "10",
        "007",
        "-1",
        "1.5",
        "4294967295",
        "toString",
      ),
      fc.string({ unit: "grapheme", maxLength: 4 }),
    );
    const { tree } = fc.letrec<{ tree: unknown; object: unknown; list: unknown }>((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        fc.oneof(fc.string({ unit: "grapheme" }), fc.integer(), fc.double({ noNaN: true }), fc.boolean()),
        tie("object"),
        tie("list"),
      ),
      object: fc.dictionary(key, tie("tree"), { noNullPrototype: true }),
      list: fc.array(tie("tree")),
    }));
    fc.assert(
      fc.property(key, tree, (name, value) => {
        // Parsed from text, so that `__proto__` is a normal key.
        const whole = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)},"0":{}}`) as JsonObject;
        const one = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`) as JsonObject;
        for (const each of [whole, one]) {
          const said = saidOf(each);
          if (said !== undefined) expect(said).toBe(reference(each));
        }
      }),
      { numRuns: scaled(2_000, 10) },
    );
  });

  test("JSON.parse's result gives the same value and bytes", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ maxDepth: 4 })), (value) => {
        let bytes: Buffer;
        try {
          bytes = canonicalBytes(value as JsonObject, "payload");
        } catch (error) {
          // fast-check also generates integers beyond 2^53 and lone surrogates.
          expect(error).toBeInstanceOf(InvalidEvent);
          return;
        }
        const again = parseStrict(bytes.toString()) as JsonObject;
        expect(canonicalBytes(again, "payload")).toEqual(bytes);
      }),
    );
  });

  const nested = (depth: number): unknown => (depth === 0 ? {} : { a: nested(depth - 1) });
  const refused: [string, unknown, string][] = [
    ["undefined", { a: undefined }, "payload.a"],
    ["a hole", { a: Object.assign([], { 1: 2 }) }, "payload.a[0]"],
    ["a function", { a: { b: () => 1 } }, "payload.a.b"],
    ["a symbol", { a: Symbol("x") }, "payload.a"],
    ["a bigint", { a: 1n }, "payload.a"],
    ["NaN", { a: Number.NaN }, "payload.a"],
    ["Infinity", { a: [0, Number.POSITIVE_INFINITY] }, "payload.a[1]"],
    ["2^53", { a: 2 ** 53 }, "payload.a"],
    ["1e300", { a: 1e300 }, "payload.a"],
    ["a lone high surrogate", { a: "x\ud800" }, "payload.a"],
    ["a lone low surrogate", { a: "\udc00x" }, "payload.a"],
    ["a lone surrogate in a key", { "\ud800": 1 }, "payload.\ud800"],
    ["a date", { at: new Date(0) }, "payload.at"],
    ["a map", { a: new Map() }, "payload.a"],
    ["something with toJSON", { a: { toJSON: () => 1 } }, "payload.a"],
    ["an array as the payload", [1], "payload"],
    ["null as the payload", null, "payload"],
    ["a text as the payload", "x", "payload"],
  ];
  test.each(refused)("%s is refused, naming its path", (_, value, field) => {
    expect(() => canonicalBytes(value as JsonObject, "payload")).toThrow(InvalidEvent);
    expect(() => canonicalBytes(value as JsonObject, "payload")).toThrow(expect.objectContaining({ field }));
  });

  test("nesting is limited", () => {
    canonicalBytes(nested(MAX_DEPTH - 1) as JsonObject, "payload");
    expect(() => canonicalBytes(nested(MAX_DEPTH) as JsonObject, "payload")).toThrow("nested deeper");
    expect(() => canonicalBytes(nested(5_000) as JsonObject, "payload")).toThrow("nested deeper");
  });
});

/** undefined: integers beyond 2^53, which fast-check also generates. */
function saidOf(value: JsonObject): string | undefined {
  try {
    return canonicalText(value, "payload");
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidEvent);
    return undefined;
  }
}

describe("strict parsing", () => {
  test.each([
    '{"a":1,"a":1}',
    '{"a":1,"b":{"c":1,"c":2}}',
    '{"a":1,"\\u0061":2}',
    '[{"x":{},"x":[]}]',
    '{"__proto__":1,"__proto__":2}',
  ])("%s is refused", (text) => {
    expect(() => parseStrict(text)).toThrow("occurs twice");
  });

  test.each(["", "{", '{"a":1,}', "{'a':1}", "NaN", '{"a":01}', '{"a":1}x'])("%s is not JSON", (text) => {
    expect(() => parseStrict(text)).toThrow(SyntaxError);
  });

  test.each([
    ['{"a": 1,}', 'line 1, column 9: expected a name in double quotes; found "}"'],
    ['{\n "a": tru\n}', 'line 2, column 7: expected a value: .* found "tru"'],
    ['{"a" 1}', 'line 1, column 6: expected a colon after the name; found "1"'],
    ["[1 2]", 'line 1, column 4: expected a comma or ]; found "2"'],
    ['{"a":1', "line 1, column 7: expected a comma or }; found the end of the text"],
    ['["a\nb"]', "line 1, column 4: a control character is not allowed in text"],
    ['["\\x"]', "line 1, column 3: after \\\\ expected one of"],
    ['{"a": "b}', "line 1, column 7: this text has no closing double quote"],
  ])("%j is refused with the place of its fault", (text, says) => {
    expect(() => parseStrict(text)).toThrow(new RegExp(says.replace("or ]", "or \\]")));
  });

  test("a fault is found where JSON.parse finds one, and nowhere else", () => {
    const signs = fc.constantFrom(...'{}[]",:\\ \n0123-+.eEtrufalsn', "true", "null", '"a"', "\u0001");
    const cut = fc
      .tuple(fc.json(), fc.nat(), fc.nat(3), fc.array(signs, { maxLength: 2 }))
      .map(([text, at, less, more]) => {
        const from = at % (text.length + 1);
        return text.slice(0, from) + more.join("") + text.slice(from + less);
      });
    const isJson = (text: string) => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(
        fc.oneof(
          cut,
          fc.array(signs).map((all) => all.join("")),
        ),
        (text) => {
          expect([text, jsonFault(text) === undefined]).toEqual([text, isJson(text)]);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("bytes that are not UTF-8 are refused with their place", () => {
    expect(() => parseStrictBytes(Buffer.from([0x22, 0x61, 0xff, 0x22]))).toThrow("byte 3 is not UTF-8");
    expect(parseStrictBytes(Buffer.from('"\u00e9\ufffd"'))).toBe("\u00e9\ufffd");
  });

  test("everything else is parsed as by JSON.parse", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), (text) => {
        expect(parseStrict(text)).toEqual(JSON.parse(text));
      }),
    );
    const odd = '{"a":{"b":1},"b":[{"b":2},{"b":"\\"a\\":{}"}],"c" : "}{" , "a\\"":1}';
    expect(parseStrict(odd)).toEqual(JSON.parse(odd));
  });
});
