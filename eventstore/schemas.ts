/**
 * Payload schemas by event type and version. A domain file exports plain values,
 *
 *     export const events = {
 *       KeyIssued: { means: "An API key was issued.", 1: z.strictObject({ tenant: z.string() }) },
 *       KeyRevoked: {
 *         means: "An API key was revoked.",
 *         1: z.strictObject({ by: z.string() }),
 *         2: z.strictObject({ by: z.string(), reason: z.string() }),
 *         upcast: { 1: (old) => ({ ...old, reason: "unstated" }) },
 *         public: true,
 *       },
 *     } satisfies EventTypes;
 *
 * and `registry([events, …])` joins them. `upcast[n]` turns a payload of version n into one of version n + 1, so
 * every version but the newest has one. Schemas only validate: the given value is stored. Upcasting happens only on
 * reads; the stored bytes and their hashes never change.
 */
import { z } from "zod";
import { InvalidEvent } from "./errors.ts";
import type { JsonObject } from "./types.ts";

type Upcast = (old: JsonObject) => JsonObject;

export type EventType = {
  [version: number]: z.ZodType;
  upcast?: { [version: number]: Upcast };
  /** One sentence for strangers. */
  means?: string;
  /** Payload and stream id are public. */
  public?: boolean;
};

export type EventTypes = { [type: string]: EventType };

export type EventSchemas = {
  /** Throws InvalidEvent for an unknown type or version and an invalid payload. */
  validate(type: string, schema_version: number, payload: JsonObject): void;
  /** Returns an unknown type or version unchanged. */
  upcast<E extends { type: string; schema_version: number; payload: JsonObject }>(event: E): E;
  /** Undefined for an unknown type. */
  newestVersion(type: string): number | undefined;
  isPublic(type: string): boolean;
  publicTypes(): string[];
  meanings(): Record<string, string>;
};

/** Throws on a duplicate type, a version gap or a missing upcaster. */
export function registry(areas: EventTypes[]): EventSchemas {
  const types = new Map<string, EventType>();
  const newest = new Map<string, number>();
  for (const area of areas)
    for (const [name, declared] of Object.entries(area)) {
      if (types.has(name)) throw new Error(`the event type ${name} is declared twice`);
      checkDeclaration(name, declared);
      types.set(name, declared);
      newest.set(name, versionsOf(declared).length);
    }

  return {
    validate(type, schema_version, payload) {
      const declared = types.get(type);
      if (!declared) throw new InvalidEvent("type", `${JSON.stringify(type)} is not a declared event type`);
      const schema = declared[schema_version];
      if (!schema) throw new InvalidEvent("schema_version", `${schema_version} of ${type} is not declared`);
      const answer = schema.safeParse(payload);
      if (!answer.success)
        throw new InvalidEvent(
          `payload of ${type} ${schema_version}`,
          `does not fit: ${z.prettifyError(answer.error)}`,
        );
    },

    upcast(event) {
      const declared = types.get(event.type);
      let { schema_version, payload } = event;
      for (let step = declared?.upcast?.[schema_version]; step; step = declared?.upcast?.[schema_version]) {
        payload = step(payload);
        schema_version++;
      }
      return schema_version === event.schema_version ? event : { ...event, schema_version, payload };
    },

    newestVersion: (type) => newest.get(type),
    isPublic: (type) => types.get(type)?.public === true,
    publicTypes: () => [...types.keys()].filter((type) => types.get(type)!.public),
    meanings: () =>
      Object.fromEntries(
        [...types].flatMap(([type, { means }]) => (means === undefined ? [] : [[type, means]])),
      ),
  };
}

const versionsOf = (declared: EventType): number[] =>
  Object.keys(declared)
    .filter((key) => /^[1-9]\d*$/.test(key))
    .map(Number);

function checkDeclaration(name: string, declared: EventType): void {
  const versions = versionsOf(declared);
  if (versions.length === 0) throw new Error(`the event type ${name} has no version`);
  versions.forEach((version, index) => {
    if (version !== index + 1) throw new Error(`the event type ${name} has no version ${index + 1}`);
    const last = version === versions.length;
    if (!last && !declared.upcast?.[version])
      throw new Error(`the event type ${name} has no upcaster from version ${version}`);
    if (last && declared.upcast?.[version])
      throw new Error(`the event type ${name} upcasts from version ${version}, its newest`);
  });
}
