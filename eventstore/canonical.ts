/** RFC 8785, for values that every JSON parser reads alike. */
import canonicalize from "canonicalize";
import { InvalidEvent } from "./errors.ts";
import { jsonFault, utf8Fault } from "./json-fault.ts";
import type { JsonObject, JsonValue } from "./types.ts";

// The package is CommonJS with typings of an ES module, so the compiler sees a namespace.
const serializeAny = canonicalize as unknown as (value: JsonObject) => string;

/** Not every parser can read deeper values. */
export const MAX_DEPTH = 64;

/**
 * Throws InvalidEvent, with the path below `field`, for values that JSON parsers disagree on: undefined, functions, class
 * instances, lone surrogates, non-finite numbers, integers beyond 2^53 - 1.
 */
export function canonicalBytes(value: JsonObject, field: string): Buffer {
  return Buffer.from(canonicalText(value, field));
}

export function canonicalText(value: JsonObject, field: string): string {
  if (!isPlainObject(value)) throw new InvalidEvent(field, "must be a JSON object");
  const found = problemIn(value, 1);
  if (found) throw new InvalidEvent(field + found.path, found.problem);
  return serialize(value as JsonObject);
}

/** JSON.stringify of a copy with sorted keys is twice as fast. */
function serialize(value: JsonObject): string {
  const copy = inOrder(value);
  return copy === undefined ? serializeAny(value) : JSON.stringify(copy);
}

/** An object orders such keys itself, or takes one for its prototype. */
const ODD_KEY = /^(?:\d+|__proto__)$/;

/** By UTF-16 code units; undefined for an odd key. */
function inOrder(value: JsonValue): JsonValue | undefined {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const copy: JsonValue[] = [];
    for (const one of value) {
      const ordered = inOrder(one);
      if (ordered === undefined) return undefined;
      copy.push(ordered);
    }
    return copy;
  }
  const copy: Record<string, JsonValue> = {};
  for (const key of Object.keys(value).sort()) {
    const ordered = ODD_KEY.test(key) ? undefined : inOrder(value[key]!);
    if (ordered === undefined) return undefined;
    copy[key] = ordered;
  }
  return copy;
}

/** Refuses duplicate keys. Throws SyntaxError, which names the place of the fault. */
export function parseStrict(text: string): JsonValue {
  const value = parsed(text);
  refuseDuplicateKeys(text);
  return value;
}

/** As parseStrict, of UTF-8. */
export function parseStrictBytes(bytes: Uint8Array): JsonValue {
  const fault = utf8Fault(bytes);
  if (fault !== undefined) throw new SyntaxError(fault);
  return parseStrict(utf8.decode(bytes));
}

const utf8 = new TextDecoder("utf-8");

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new SyntaxError(jsonFault(text) ?? (error as Error).message);
  }
}

declare global {
  interface String {
    /** ES2024, and in Node 20. */
    isWellFormed(): boolean;
  }
}

type Problem = { path: string; problem: string };

/** The path is built on the way back, so that valid values do not pay for it. */
function problemIn(value: unknown, depth: number): Problem | undefined {
  if (value === null || typeof value === "boolean") return undefined;
  if (typeof value === "string") return problemInText(value);
  if (typeof value === "number") return problemInNumber(value);
  if (depth > MAX_DEPTH) return { path: "", problem: `is nested deeper than ${MAX_DEPTH} levels` };
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const found = problemIn(value[i], depth + 1);
      if (found) return { path: `[${i}]${found.path}`, problem: found.problem };
    }
    return undefined;
  }
  if (!isPlainObject(value)) return { path: "", problem: `is ${kindOf(value)}, which JSON cannot represent` };
  for (const key of Object.keys(value)) {
    const found = problemInText(key) ?? problemIn(value[key], depth + 1);
    if (found) return { path: `.${key}${found.path}`, problem: found.problem };
  }
  return undefined;
}

function problemInText(text: string): Problem | undefined {
  if (text.isWellFormed()) return undefined;
  return { path: "", problem: "has a lone surrogate, which UTF-8 cannot encode" };
}

function problemInNumber(value: number): Problem | undefined {
  if (!Number.isFinite(value)) return { path: "", problem: `is ${value}, which JSON cannot represent` };
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return { path: "", problem: "is an integer beyond 2^53 - 1: send it as a string" };
  return undefined;
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

/** The text is valid JSON: a string before a colon is a key of the innermost object. */
function refuseDuplicateKeys(text: string): void {
  const token = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}]/g;
  const open: Set<string>[] = [];
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (match[0] === "{") open.push(new Set());
    else if (match[0] === "}") open.pop();
    else if (match[1] !== undefined) {
      const key = JSON.parse(match[0].slice(0, -match[1].length)) as string;
      const keys = open.at(-1)!;
      if (keys.has(key)) throw new SyntaxError(`the key ${JSON.stringify(key)} occurs twice in one object`);
      keys.add(key);
    }
  }
}
