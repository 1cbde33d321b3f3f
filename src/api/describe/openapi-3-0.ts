/** Converts the OpenAPI document to 3.0, because some client generators read only that. */
import { Converter } from "@apiture/openapi-down-convert";

type Node = { [name: string]: unknown };

export function asOpenapi30(document: object): object {
  const { info, ...rest } = mended(
    new Converter(document, { allOfTransform: true }).convert(),
    false,
  ) as Node;
  const { summary: _, ...described } = info as Node;
  const license = { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" };
  return { openapi: "3.0.3", info: { ...described, license }, ...rest };
}

/** The member names of these objects are our own names, not keywords. */
const NAMED = ["properties", "paths", "responses", "headers", "schemas", "parameters", "content"];
/** The contents of these keywords are values, not schemas. */
const VALUES = ["example", "examples", "default", "enum"];
/** Keywords that 3.0 lacks. Each only narrows a schema, so it can be left out. */
const LACKING = ["propertyNames", "patternProperties", "prefixItems", "$schema", "unevaluatedProperties"];

/** Converts the parts of 3.1 that the converter leaves unchanged. */
function mended(value: unknown, isNamed: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => mended(one, false));
  if (value === null || typeof value !== "object") return value;
  const node = isNamed ? (value as Node) : nullable(several(constant(bounded(value as Node))));
  return Object.fromEntries(
    Object.entries(node)
      .filter(([name]) => isNamed || !LACKING.includes(name))
      .map(([name, member]) => [
        name,
        !isNamed && VALUES.includes(name) ? member : mended(member, !isNamed && NAMED.includes(name)),
      ]),
  );
}

/** In 3.0 an exclusive bound is the inclusive one with a flag. */
function bounded(node: Node): Node {
  const made = { ...node };
  for (const [mark, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const)
    if (typeof node[mark] === "number") Object.assign(made, { [bound]: node[mark], [mark]: true });
  return made;
}

function constant({ const: only, ...node }: Node): Node {
  return only === undefined ? node : { ...node, enum: [only] };
}

/** A schema in 3.0 has one type, so each of several types becomes an alternative. */
function several({ type, ...node }: Node): Node {
  if (!Array.isArray(type)) return type === undefined ? node : { ...node, type };
  return { ...node, anyOf: type.map((one) => ({ type: one })) };
}

/** In 3.0, a nullable enum must also list null among its values. */
const withNull = (node: Node): Node =>
  Array.isArray(node.enum) ? { ...node, enum: [...new Set([...node.enum, null])] } : node;

const isNull = (schema: unknown) => (schema as Node | null)?.type === "null";

/** 3.0 has no type null, and `nullable` counts only next to a type. */
function nullable(node: Node): Node {
  if (isNull(node)) return { ...node, type: "string", nullable: true, enum: [null] };
  const { anyOf, ...rest } = node;
  if (!Array.isArray(anyOf) || !anyOf.some(isNull)) return node;
  const [only, ...others] = anyOf.filter((one) => !isNull(one)) as Node[];
  const isPlain = others.length === 0 && only !== undefined && "type" in only;
  return isPlain ? withNull({ ...constant(bounded(only)), ...rest, nullable: true }) : node;
}
