/** Moves schemas that several answers share into named components. */
import type { JsonSchema } from "../declare/json-schema.ts";

type Schemas = Record<string, JsonSchema>;

const SHORTEST_SHARED = 90;

/** Every answer has fields with these names, so their components also have the answer's name. */
const OF_EVERY_ANSWER = /^(data|meta)\b/;

export const componentRef = (name: string) => `#/components/schemas/${name}`;

/**
 * All schemas are keyed by operation. `bases` are objects whose fields other schemas extend. A repeated schema is
 * named after its field.
 */
export function shareSchemas(
  answers: Schemas,
  named: Schemas,
  bases: Schemas,
): { answers: Schemas; components: Schemas } {
  const rebased = mapValues(answers, (schema) => onBases(schema, bases));
  const parts = mapValues(named, (schema) => onBases(schema, bases));
  const components = { ...parts, ...usedOf({ ...rebased, ...parts }, bases) };
  const names = namesOfRepeated(components, rebased);
  const shared: Schemas = {};
  const refer = (schema: JsonSchema): JsonSchema => {
    const { description, ...own } = schema;
    const name = names.get(textOf(own));
    if (name === undefined) return mapSchemas(schema, refer);
    shared[name] ??= mapSchemas(own, refer);
    return { $ref: componentRef(name), ...(description && { description }) };
  };
  const within = (schema: JsonSchema) => mapSchemas(schema, refer);
  return {
    answers: mapValues(rebased, refer),
    components: { ...mapValues(components, within), ...shared },
  };
}

function namesOfRepeated(components: Schemas, answers: Schemas): Map<string, string> {
  const places = new Map<string, { times: number; root: string; place: string }>();
  const look = (schema: JsonSchema, root: string, place: string) => {
    const text = textOf(schema);
    const before = places.get(text);
    places.set(text, { root, place, ...before, times: (before?.times ?? 0) + 1 });
    // At a repeated schema, its inner schemas were already visited.
    if (before === undefined) for (const [inner, one] of innerOf(schema, place)) look(one, root, inner);
  };
  for (const [name, schema] of Object.entries({ ...components, ...answers })) look(schema, name, name);
  const own = Object.entries(components).map(([name, schema]) => [textOf(schema), name] as const);
  const names = new Map(own.filter(([text]) => text.length >= SHORTEST_SHARED));
  const taken = new Set(Object.keys(components));
  for (const [text, { times, root, place }] of places) {
    if (times < 2 || text.length < SHORTEST_SHARED || names.has(text)) continue;
    const wished = place === root || !OF_EVERY_ANSWER.test(place) ? [place] : [];
    const name = freeName([...wished, `${root} ${place}`].map(pascal), taken);
    taken.add(name);
    names.set(text, name);
  }
  return names;
}

const textOf = ({ description: _, ...own }: JsonSchema) => JSON.stringify(own);

function freeName(wished: string[], taken: ReadonlySet<string>): string {
  const free = wished.find((name) => !taken.has(name));
  if (free !== undefined) return free;
  let number = 2;
  while (taken.has(`${wished.at(-1)}${number}`)) number += 1;
  return `${wished.at(-1)}${number}`;
}

const pascal = (name: string) =>
  name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());

function onBases(schema: JsonSchema, bases: Schemas): JsonSchema {
  const inner = mapSchemas(schema, (one) => onBases(one, bases));
  const fitting = Object.entries(bases)
    .filter(([, base]) => extendsBase(schema, base))
    .toSorted(([, a], [, b]) => sizeOf(b) - sizeOf(a));
  const [found] = fitting;
  if (!found) return inner;
  const [name, base] = found;
  const { properties = {}, required = [], type: _, ...about } = inner;
  const own = Object.entries(properties).filter(([field]) => !(field in base.properties!));
  const needed = required.filter((field) => !(base.required ?? []).includes(field));
  const rest: JsonSchema = {
    type: "object",
    ...(own.length > 0 && { properties: Object.fromEntries(own) }),
    ...(needed.length > 0 && { required: needed }),
  };
  const $ref = componentRef(name);
  return own.length === 0 && needed.length === 0 ? { ...about, $ref } : { ...about, allOf: [{ $ref }, rest] };
}

const sizeOf = ({ properties = {} }: JsonSchema) => Object.keys(properties).length;

const extendsBase = ({ properties, required = [] }: JsonSchema, base: JsonSchema): boolean =>
  properties !== undefined &&
  (base.required ?? []).every((field) => required.includes(field)) &&
  Object.entries(base.properties!).every(
    ([field, one]) => JSON.stringify(properties[field]) === JSON.stringify(one),
  );

const usedOf = (schemas: Schemas, bases: Schemas): Schemas => {
  const text = JSON.stringify(schemas);
  return Object.fromEntries(
    Object.entries(bases).filter(([name]) => text.includes(`"${componentRef(name)}"`)),
  );
};

function innerOf(schema: JsonSchema, place: string): [string, JsonSchema][] {
  const { additionalProperties, items, anyOf = [], allOf = [], properties = {} } = schema;
  return [
    ...Object.entries(properties),
    ...[...anyOf, ...allOf].map((one): [string, JsonSchema] => [place, one]),
    ...(items ? [[`${place} item`, items] as [string, JsonSchema]] : []),
    ...(typeof additionalProperties === "object"
      ? [[`${place} value`, additionalProperties] as [string, JsonSchema]]
      : []),
  ];
}

function mapSchemas(schema: JsonSchema, make: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const { additionalProperties, items, anyOf, allOf, properties } = schema;
  return {
    ...schema,
    ...(properties && { properties: mapValues(properties, make) }),
    ...(items && { items: make(items) }),
    ...(anyOf && { anyOf: anyOf.map(make) }),
    ...(allOf && { allOf: allOf.map(make) }),
    ...(typeof additionalProperties === "object" && { additionalProperties: make(additionalProperties) }),
  };
}

const mapValues = (schemas: Schemas, make: (schema: JsonSchema) => JsonSchema): Schemas =>
  Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, make(one)]));
