/** JSON as it is hashed: RFC 8785 bytes of values that every JSON reader understands alike, and a reader as strict. */
import canonicalize from "canonicalize";
import { InvalidEvent } from "./errors.ts";
import type { JsonObject, JsonValue } from "./types.ts";

// The package is CommonJS while its typings are of an ES module, so the compiler takes the function for a namespace.
const serialize = canonicalize as unknown as (value: JsonObject) => string;

/** Deeper values are refused: not every reader could follow. */
export const MAX_DEPTH = 64;

/**
 * The RFC 8785 bytes of a JSON object. Throws InvalidEvent, naming the place below `field`, for what JSON cannot say
 * or readers do not agree on: undefined, functions, class instances, lone surrogates, non-finite numbers, integers
 * beyond 2^53 - 1.
 */
export function canonicalBytes(value: JsonObject, field: string): Buffer {
  return Buffer.from(canonicalText(value, field));
}

/** The same as a string. */
export function canonicalText(value: JsonObject, field: string): string {
  if (!isPlainObject(value)) throw new InvalidEvent(field, "must be a JSON object");
  check(value, field, 1);
  return serialize(value);
}

/** Parses JSON text like JSON.parse, but refuses an object that has the same key twice. Throws SyntaxError. */
export function parseStrict(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  refuseDuplicateKeys(text);
  return value;
}

/** False for a text with a lone surrogate. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

function check(value: unknown, path: string, depth: number): void {
  if (value === null || typeof value === "boolean") return;
  if (typeof value === "string") checkText(value, path);
  else if (typeof value === "number") checkNumber(value, path);
  else checkContainer(value, path, depth);
}

function checkContainer(value: unknown, path: string, depth: number): void {
  if (depth > MAX_DEPTH) throw new InvalidEvent(path, `is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    // Not forEach: it would pass over the holes of a sparse array.
    for (let i = 0; i < value.length; i++) check(value[i], `${path}[${i}]`, depth + 1);
    return;
  }
  if (!isPlainObject(value)) throw new InvalidEvent(path, `is ${kindOf(value)}, which JSON cannot hold`);
  for (const key of Object.keys(value)) {
    checkText(key, `a key of ${path}`);
    check(value[key], `${path}.${key}`, depth + 1);
  }
}

function checkText(text: string, path: string): void {
  if (!isWellFormed(text)) throw new InvalidEvent(path, "holds a lone surrogate, which UTF-8 cannot say");
}

function checkNumber(value: number, path: string): void {
  if (!Number.isFinite(value)) throw new InvalidEvent(path, `is ${value}, which JSON cannot hold`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new InvalidEvent(path, "is an integer beyond 2^53 - 1: send it as a string");
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || "toJSON" in value) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function kindOf(value: unknown): string {
  if (typeof value === "object" && value !== null) return `a ${value.constructor?.name ?? "foreign object"}`;
  return value === undefined ? "undefined" : `a ${typeof value}`;
}

/** Walks the tokens of text that JSON.parse has accepted: a string before a colon is a key of the innermost object. */
function refuseDuplicateKeys(text: string): void {
  const token = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}]/g;
  const open: Set<string>[] = [];
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (match[0] === "{") open.push(new Set());
    else if (match[0] === "}") open.pop();
    else if (match[1] !== undefined) {
      const key = JSON.parse(match[0].slice(0, -match[1].length)) as string;
      const keys = open.at(-1)!;
      if (keys.has(key)) throw new SyntaxError(`the key ${JSON.stringify(key)} stands twice in one object`);
      keys.add(key);
    }
  }
}
