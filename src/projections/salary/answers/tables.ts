/** Shared by all salary answers: their tables, the rule for joining two, and the notes on them. */

import { z } from "zod";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import type { Reference, ReferenceTable } from "../../../datasets/reference/table.ts";
import { aboutReference, joined, joinedOf, referenceMeta } from "../../reference/meta.ts";

export const meta = joined.extend({
  tables: z.array(referenceMeta).describe("The tables used, each with its vintage"),
  formula: z.string().describe("How the figures are computed"),
  notes: z.array(z.string()).describe("Caveats about the figures"),
});

/** The meta of an answer; a note names the tables that are not loaded. */
export function metaOf(
  reference: ReferenceStore,
  tables: readonly ReferenceTable<object>[],
  formula: string,
  notes: readonly (string | false)[] = [],
): z.infer<typeof meta> {
  const found = tables.map((table) => ({ table, loaded: reference.find(table) }));
  const absent = found.filter(({ loaded }) => !loaded).map(({ table }) => table.name);
  const about = found.flatMap(({ loaded }) => (loaded ? [aboutReference(loaded)] : []));
  return {
    ...joinedOf(about),
    tables: about,
    formula,
    notes: [
      ...notes.filter((note) => note !== false),
      ...(absent.length > 0
        ? [`These tables are not loaded, so their figures are null: ${absent.join(", ")}.`]
        : []),
    ],
  };
}

/** True if one figure may combine both: both are loaded, and both are real or both synthetic. */
export const joinable = <A extends object, B extends object>(
  one: Reference<A> | undefined,
  other: Reference<B> | undefined,
): boolean => one !== undefined && other !== undefined && one.synthetic === other.synthetic;

/** The reason why two loaded tables were not joined; false where they were, or one is not loaded. */
export const unjoinedReason = (
  what: string,
  one: Reference<object> | undefined,
  other: Reference<object> | undefined,
): string | false =>
  one !== undefined &&
  other !== undefined &&
  !joinable(one, other) &&
  `${what} is null: one of ${one.dataset} and ${other.dataset} is synthetic, and real and synthetic figures are never joined.`;
