/**
 * An interface as facts, one a line: operations with their parameters and answers, and the events of each version with
 * their members. Words, examples and limits of values are not facts; a type, a required member and a value of an enum are.
 */

export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema: Schema };
type Content = Record<string, { schema: Schema }>;
type Entry = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { $ref?: string; content?: Content }>;
};
export type Document = {
  paths: Record<string, Record<string, Entry>>;
  components: { schemas?: Record<string, Schema>; parameters?: Record<string, Parameter> };
};
/** JSON Schemas of payloads by type and version. */
export type Events = Record<string, Record<string, Schema>>;

export type Interface = { openapi: Document; events: Events };

/** The facts by subject: the name of an operation, or the type of an event. */
export function surfaceOf({ openapi, events }: Interface): Map<string, Set<string>> {
  const surface = new Map<string, Set<string>>();
  const named = <Part>(parts: Record<string, Part> | undefined, ref: string) =>
    parts![ref.split("/").at(-1)!]!;
  const schemaOf = (schema: Schema): Schema =>
    schema.$ref === undefined
      ? schema
      : { ...schemaOf(named(openapi.components.schemas, schema.$ref)), ...schema, $ref: undefined };

  /** The types of a value, and its members below `place`. */
  function* facts(given: Schema, place: string, above: readonly string[] = []): Generator<string> {
    if (given.$ref !== undefined && above.includes(given.$ref))
      return yield `${place} is again ${given.$ref}`;
    const within = given.$ref === undefined ? above : [...above, given.$ref];
    const schema = schemaOf(given);
    const { type, format, properties = {}, required = [], items, additionalProperties } = schema;
    for (const one of [type ?? []].flat()) yield `${place} may be ${one}${format ? ` (${format})` : ""}`;
    const values = schema.const === undefined ? (schema.enum ?? []) : [schema.const];
    for (const value of values) yield `${place} may be ${JSON.stringify(value)}`;
    for (const [name, member] of Object.entries(properties)) {
      const below = `${place}.${name}`;
      yield `${below} is ${required.includes(name) ? "always" : "sometimes"} there`;
      yield* facts(member, below, within);
    }
    if (items) yield* facts(items, `${place}[]`, within);
    if (typeof additionalProperties === "object") yield* facts(additionalProperties, `${place}.*`, within);
    for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
      yield* facts(one, place, within);
  }

  for (const [path, methods] of Object.entries(openapi.paths))
    for (const [method, entry] of Object.entries(methods)) {
      const found = [`answers ${method.toUpperCase()} ${path}`];
      for (const given of entry.parameters ?? []) {
        const one = given.$ref ? named(openapi.components.parameters, given.$ref) : given;
        const place = `${one.in} ${one.name}`;
        found.push(`${place} is ${one.required ? "required" : "optional"}`, ...facts(one.schema, place));
      }
      for (const [form, { schema }] of Object.entries(entry.requestBody?.content ?? {}))
        found.push(`takes ${form}`, ...facts(schema, "body"));
      for (const [status, { content = {} }] of Object.entries(entry.responses)) {
        if (!status.startsWith("2")) {
          found.push(`refuses with ${status}`);
          continue;
        }
        for (const [form, { schema }] of Object.entries(content))
          found.push(`answers ${status} as ${form}`, ...facts(schema, "answer"));
      }
      surface.set(entry.operationId, new Set(found));
    }
  for (const [type, versions] of Object.entries(events))
    surface.set(
      type,
      new Set(
        Object.entries(versions).flatMap(([version, schema]) => [
          `has a version ${version}`,
          ...facts(schema, `version ${version}: payload`),
        ]),
      ),
    );
  return surface;
}

/** `name` is what a note names: the subject, and the place in it that changed. */
export type Change = { name: string; was: string[]; is: string[] };

const PRESENCE = / is (always|sometimes) there$/;
const placeOf = (fact: string) => fact.replace(/ (is|may be) .*$/, "").replace(/^has a (version \d+)$/, "$1");

/** Facts of a member that came or went with what holds it are left out, and those of one place are one change. */
function changedPlaces(was: Set<string>, is: Set<string>): Change[] {
  const lost = [...was].filter((fact) => !is.has(fact));
  const came = [...is].filter((fact) => !was.has(fact));
  const wholly = (facts: string[], other: Set<string>) => {
    const known = new Set([...other].map(placeOf));
    return facts
      .filter((fact) => PRESENCE.test(fact) || fact.startsWith("has a version"))
      .map(placeOf)
      .filter((place) => !known.has(place));
  };
  const places = new Map<string, Change>();
  const note = (facts: string[], tops: string[], side: "was" | "is") => {
    for (const fact of facts) {
      const own = placeOf(fact);
      const above = tops.filter((top) => own.startsWith(top) && /^(|[.[:].*)$/.test(own.slice(top.length)));
      const place = above.sort((a, b) => a.length - b.length)[0] ?? own;
      const change = places.get(place) ?? { name: place, was: [], is: [] };
      places.set(place, change);
      if (place === own) change[side].push(fact.startsWith(own) ? fact.slice(own.length).trim() : fact);
    }
  };
  note(lost, wholly(lost, is), "was");
  note(came, wholly(came, was), "is");
  return [...places.values()];
}

/** The differences between two interfaces, by name. */
export function changesBetween(older: Interface, newer: Interface): Change[] {
  const [before, after] = [surfaceOf(older), surfaceOf(newer)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((subject) => {
    const [was, is] = [before.get(subject), after.get(subject)];
    if (!was) return [{ name: subject, was: ["nothing"], is: ["new"] }];
    if (!is) return [{ name: subject, was: ["there"], is: ["gone"] }];
    return changedPlaces(was, is).map((change) => ({ ...change, name: `${subject} ${change.name}` }));
  });
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The changes that no note of a change log names, and the notes that name no change. In a note `*` is any text. */
export function judged(changes: readonly Change[], notes: readonly string[]) {
  const patterns = notes.map((note) => ({
    note,
    form: new RegExp(`^${note.split("*").map(escaped).join(".*")}$`),
  }));
  return {
    missing: changes.filter(({ name }) => !patterns.some(({ form }) => form.test(name))),
    idle: patterns.filter(({ form }) => !changes.some(({ name }) => form.test(name))).map(({ note }) => note),
  };
}

const WORDS = new Set(["description", "title", "example", "examples", "summary", "tags", "security"]);

/** The same without words and examples, which are most of it. */
export function bare<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(bare) as Value;
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name, member]) => {
    // A member of an object may have one of these names; a word is text, and an example is anything.
    const isSchema = typeof member === "object" && member !== null && !Array.isArray(member);
    const isMember =
      isSchema && ("type" in member || "$ref" in member || "anyOf" in member || "enum" in member);
    return !name.startsWith("x-") && (isMember || !WORDS.has(name));
  });
  return Object.fromEntries(kept.map(([name, member]) => [name, bare(member)])) as Value;
}
