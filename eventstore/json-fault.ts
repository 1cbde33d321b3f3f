/** The first fault of a text that is not JSON (RFC 8259), in words that do not depend on the engine. */

const VALUE = "a value: text in double quotes, a number, true, false, null, a list or an object";
const NAME = "a name in double quotes";
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const SPACE = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** A found word is shown up to this length. */
const MOST_SHOWN = 20;

type Fault = { at: number; why: string };

const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
};

/** The position and the expectation, as `line 2, column 7: expected a comma or }, found "x"`; undefined for JSON. */
export function jsonFault(text: string): string | undefined {
  const fault = firstFault(text);
  if (!fault) return undefined;
  const { line, column } = placeOf(fault, text);
  return `line ${line}, column ${column}: ${fault.why}`;
}

/** The position alone, for answers that must not quote the text. */
export function jsonFaultPlace(text: string): { line: number; column: number } | undefined {
  const fault = firstFault(text);
  return fault && placeOf(fault, text);
}

function placeOf({ at }: Fault, text: string): { line: number; column: number } {
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

function firstFault(text: string): Fault | undefined {
  const open: ("{" | "[")[] = [];
  let expected: "value" | "value or ]" | "name" | "name or }" | "colon" | "next" = "value";
  for (let at = endOf(SPACE, text, 0); ; at = endOf(SPACE, text, at)) {
    const sign = text[at];
    const inner = open.at(-1);
    if (expected === "next") {
      const close = inner === "{" ? "}" : "]";
      if (inner === undefined) return sign === undefined ? undefined : fault(text, at, "the end of the text");
      if (sign === close) open.pop();
      else if (sign === ",") expected = inner === "{" ? "name" : "value";
      else return fault(text, at, `a comma or ${close}`);
      at++;
    } else if (expected === "colon") {
      if (sign !== ":") return fault(text, at, "a colon after the name");
      at++;
      expected = "value";
    } else if ((expected === "name or }" && sign === "}") || (expected === "value or ]" && sign === "]")) {
      open.pop();
      at++;
      expected = "next";
    } else if (expected === "name" || expected === "name or }") {
      if (sign !== '"') return fault(text, at, expected === "name" ? NAME : `${NAME}, or }`);
      const end = afterText(text, at);
      if (typeof end !== "number") return end;
      at = end;
      expected = "colon";
    } else if (sign === "{" || sign === "[") {
      open.push(sign);
      at++;
      expected = sign === "{" ? "name or }" : "value or ]";
    } else {
      const end =
        sign === '"' ? afterText(text, at) : Math.max(endOf(NUMBER, text, at), endOf(WORD, text, at));
      if (typeof end !== "number") return end;
      if (end === at) return fault(text, at, VALUE);
      at = end;
      expected = "next";
    }
  }
}

/** The end of a quoted text. */
function afterText(text: string, from: number): number | Fault {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '"') return at + 1;
    if (text[at]! < " ")
      return {
        at,
        why: "a control character is not allowed in text: write a line break as \\n, a tab as \\t",
      };
    if (text[at] !== "\\") continue;
    const end = endOf(ESCAPE, text, at);
    if (end === at)
      return { at, why: 'after \\ expected one of " \\ / b f n r t, or u with four hex digits' };
    at = end - 1;
  }
  return { at: from, why: "this text has no closing double quote" };
}

function fault(text: string, at: number, expected: string): Fault {
  const word = /^[^\s,:[\]{}"]+/.exec(text.slice(at, at + MOST_SHOWN))?.[0] ?? text[at];
  const found = word === undefined ? "the end of the text" : JSON.stringify(word);
  return { at, why: `expected ${expected}; found ${found}` };
}

/** The first byte that is not UTF-8; undefined where all are. */
export function utf8Fault(bytes: Uint8Array): string | undefined {
  const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const again = Buffer.from(given.toString("utf8"));
  if (given.equals(again)) return undefined;
  const at = given.findIndex((byte, place) => byte !== again[place]);
  return `byte ${at + 1} is not UTF-8`;
}
