/** The interface of this checkout: its OpenAPI document, and the schemas of what it stores. */
import { toJSONSchema, type ZodType } from "zod";
import { catalogueOf } from "../../src/api/declare/catalogue.ts";
import { openapi } from "../../src/api/describe/openapi.ts";
import { areas } from "../../src/areas/index.ts";
import { bare, type Document, type Events, type Interface, type Schema } from "./surface.ts";

export function interfaceOfToday(): Interface {
  const events: Events = {};
  for (const { events: declared } of areas.flatMap(({ entities }) => entities))
    for (const [type, versions] of Object.entries(declared))
      events[type] = Object.fromEntries(
        Object.entries(versions)
          .filter(([version]) => /^\d+$/.test(version))
          .map(([version, schema]) => [
            version,
            toJSONSchema(schema as ZodType, { unrepresentable: "any" }) as Schema,
          ]),
      );
  const document = openapi(catalogueOf(areas), "https://tally.example.org") as unknown as Document;
  const { paths, components } = document;
  const { schemas, parameters } = components;
  return bare({ openapi: { paths, components: { schemas, parameters } }, events });
}
