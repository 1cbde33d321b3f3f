/** `meta=brief` omits the members of `meta` that can be longer than the data of an answer. */
import { z } from "zod";

/** The members that a brief `meta` omits. */
const long = ["coverage", "incomplete", "formula", "names_from", "source"] as const;

export const metaField = z
  .enum(["full", "brief"], "meta is full or brief")
  .optional()
  .describe("brief: `meta` without coverage, formula and source, unless the figures are incomplete");

/** The schema of a brief `meta`; undefined if `meta` is always brief. */
export function withBriefMeta(meta: z.ZodObject): z.ZodObject | undefined {
  if (!meta.shape.coverage) return undefined;
  const optional = long.flatMap((name) => {
    const field = meta.shape[name];
    return field ? [[name, field.optional()] as const] : [];
  });
  return meta.extend(Object.fromEntries(optional));
}

type LongMeta = {
  coverage?: { products: { complete: boolean } };
  incomplete?: readonly unknown[];
};

/** Shortens `meta` if the input requests it. Members that warn of incomplete figures remain. */
export function asWanted(answer: object, { meta: wanted }: { meta?: unknown }): object {
  if (wanted !== "brief") return answer;
  const { meta, ...rest } = answer as { meta: LongMeta };
  const { coverage, incomplete = [] } = meta;
  const included = {
    coverage: coverage?.products.complete === false,
    incomplete: incomplete.length > 0,
  };
  const isShown = (name: string) =>
    included[name as keyof typeof included] ?? !(long as readonly string[]).includes(name);
  return { ...rest, meta: Object.fromEntries(Object.entries(meta).filter(([name]) => isShown(name))) };
}
