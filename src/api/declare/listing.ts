import { z } from "zod";

const as_of_position = z.int().describe("The list includes the log at least up to this position");

export function schemaOfList(schema: z.ZodObject): z.ZodObject {
  const { meta } = schema.shape;
  return meta instanceof z.ZodObject
    ? schema.extend({ meta: meta.extend({ as_of_position }) })
    : schema.extend({ as_of_position });
}

/**
 * Adds the position to an answer. A position that the answer already has is better, because it was read together with
 * the answer.
 */
export const withPosition = (answer: object, as_of_position: number): object =>
  "meta" in answer
    ? { ...answer, meta: { as_of_position, ...(answer.meta as object) } }
    : { as_of_position, ...answer };
