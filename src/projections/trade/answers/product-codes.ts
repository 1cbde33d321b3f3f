/** The one place that decides which codes a question's product means in each year. */
import { z } from "zod";
import { refuseWith } from "../../../core/model/refusal.ts";
import type { Manifest } from "../../../datasets/manifest.ts";
import { codeChanges, codeHistoryOf } from "../../../datasets/reference/code-changes.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import {
  type BasisQuery,
  CodeBook,
  type CodeTable,
  isAlone,
  isChangeable,
} from "../../../domain/trade/code-basis.ts";
import { type Coverage, existsIn } from "../../../domain/trade/coverage.ts";
import type { Procedure } from "../../../domain/trade/procedures.ts";
import { type Years, yearOf } from "../../../domain/trade/units.ts";

/** The imported table for real data, the sandbox's for synthetic data: neither says anything about the other. */
export function codeTableIn(reference: ReferenceStore, synthetic: boolean): CodeTable | undefined {
  const found = reference.find(codeChanges);
  if (found?.synthetic !== synthetic) return undefined;
  return { history: codeHistoryOf(found), dataset: found.dataset, vintage: found.vintage };
}

type ProductQuery = Omit<BasisQuery, "years"> & {
  hs?: string | undefined;
  procedure?: Procedure | undefined;
  years?: Years | undefined;
  crossing?: (coverage: Coverage) => Years;
};

type CodesOf = ((synthetic: boolean) => CodeTable | undefined) | undefined;

const MOST_BOUND = 50;
/** Completeness is cached per coverage, so equal questions share one. */
const bound = new WeakMap<Coverage, Map<string, Coverage>>();

/** The manifest with the question's procedure and the meaning of its codes; unchanged where both are as stored. */
export function inBasis<M extends Pick<Manifest, "coverage" | "synthetic">>(
  manifest: M,
  codesOf: CodesOf,
  { hs, basis, compares, procedure, years, crossing }: ProductQuery,
): M {
  const isAbout = isChangeable(hs) || basis !== undefined || compares === true;
  const table = isAbout ? codesOf?.(manifest.synthetic) : undefined;
  if (!table && !isAlone(basis)) {
    const message =
      "no table of code changes is loaded for this dataset: omit basis, or import its editions (code-changes)";
    return refuseWith("basis", message);
  }
  if (!table && procedure === undefined) return manifest;
  const coverage: Coverage = manifest.coverage;
  const { from, to } = coverage.months;
  const range = crossing?.(coverage) ?? years ?? { from: yearOf(from), to: yearOf(to) };
  const key = [table?.vintage, basis, compares, procedure, range.from, range.to].join(" ");
  const known = bound.get(coverage) ?? new Map<string, Coverage>();
  bound.set(coverage, known);
  const found = known.get(key) ?? {
    ...coverage,
    ...(procedure !== undefined && { procedure }),
    ...(table && { book: new CodeBook(table, { basis, compares, years: range }) }),
  };
  if (known.size >= MOST_BOUND) known.clear();
  known.set(key, found);
  return { ...manifest, coverage: found };
}

/** Refuses a code that the basis year does not have. */
export function refuseOutsideBasis({ book }: Coverage, hs: string | undefined): void {
  if (!book || !isChangeable(hs) || typeof book.query.basis !== "number") return;
  const { basis } = book.query;
  if (book.exists(hs, basis)) return;
  const { years } = book.pastOf(hs);
  const spans = years
    .map(
      ({ from, to }) => [from && `from ${from}`, to && `until ${to}`].filter(Boolean).join(" ") || "always",
    )
    .join(", ");
  refuseWith(
    "basis",
    `${hs} is not a code of ${basis}: it is one ${spans}; name such a year, or basis=family`,
  );
}

/** A sentence for years that lack the code, with its heirs or ancestors; undefined where it exists in one of them. */
export function lacksCode(coverage: Coverage, hs: string, years: Years): string | undefined {
  const { book } = coverage;
  if (!book || existsIn(coverage, hs, years)) return undefined;
  const span = years.from === years.to ? `${years.from}` : `${years.from} to ${years.to}`;
  const changes = book
    .pastOf(hs)
    .revisions.flatMap(({ year, became, came_from }) => [
      ...(became.length > 0 ? [`became ${became.join(", ")} in ${year}`] : []),
      ...(came_from.length > 0 ? [`came from ${came_from.join(", ")} in ${year}`] : []),
    ]);
  const changed = changes.length > 0 ? `: it ${changes.join(" and ")}` : "";
  return `${hs} is not a code of ${span}${changed}; basis=family follows its goods over the change`;
}

const related = z.object({ code: z.string(), name: z.string().nullable() });
const open = z.int().nullable().describe("The year; null = no limit is known");

export const codesMeta = z
  .object({
    basis: z.string().describe("The basis of the sums: reported, family, or a year"),
    from: z.string().describe("Table and vintage of the code changes"),
    years: z.array(z.object({ from: open, to: open })).describe("Years in which the code exists"),
    changes: z
      .array(
        z.object({
          year: z.int().describe("The year of the change, which took effect in January"),
          became: z.array(related).describe("Successors of the code"),
          came_from: z.array(related).describe("Predecessors of the code"),
          kept: z.boolean().describe("true: the code is still used, for other goods"),
        }),
      )
      .describe("The changes of the code, one for each revision"),
    family: z
      .array(related.extend({ years: z.array(z.object({ from: open, to: open })) }))
      .nullable()
      .describe("The codes in the sum; figures for single codes are unknown; null = the code alone"),
    note: z.string(),
  })
  .describe("Changes of the code; absent if no loaded revision changed it")
  .meta({ id: "CodesMeta" });

export const chaptersMoved = z
  .array(
    z.object({
      year: z.int().describe("The year of the change, which took effect in January"),
      chapters: z.array(z.string()).describe("Chapters, 2 digits"),
    }),
  )
  .describe("Changes between chapters: figures before and after cover different goods; absent = none")
  .meta({ id: "ChaptersMoved" });

/** `meta.chapters_moved` of an answer that compares years of chapters. */
export function aboutChapters(
  { book }: Coverage,
  hs: string | undefined,
): { chapters_moved?: z.infer<typeof chaptersMoved> } {
  const moved = book?.chaptersMoved(hs) ?? [];
  return moved.length > 0 ? { chapters_moved: moved } : {};
}

/** `meta.codes` of an answer; absent if no revision changed the code and no basis was named. */
export function aboutCodes(
  { book }: Coverage,
  hs: string | undefined,
): { codes?: z.infer<typeof codesMeta> } {
  const product = book?.of(hs);
  if (!book || !product || hs === undefined) return {};
  const { history, dataset, vintage } = book.table;
  const { years, revisions } = book.pastOf(hs);
  if (revisions.length === 0 && book.query.basis === undefined) return {};
  const named = (codes: readonly string[]) => codes.map((code) => ({ code, name: history.nameOf(code) }));
  const isFamily = product.basis !== "reported";
  return {
    codes: {
      basis: String(product.basis),
      from: `${dataset}, vintage ${vintage}`,
      years,
      changes: revisions.map(({ became, came_from, ...change }) => ({
        ...change,
        became: named(became),
        came_from: named(came_from),
      })),
      family: isFamily
        ? named(product.all).map((one) => ({ ...one, years: history.yearsOf(one.code) }))
        : null,
      note: noteOf(hs, product.all, isFamily, revisions.length > 0),
    },
  };
}

function noteOf(hs: string, all: readonly string[], isFamily: boolean, changes: boolean): string {
  if (isFamily && all.length > 1)
    return `The figures are sums of ${all.length} codes that changed into each other; they cannot be divided.`;
  if (isFamily) return `No change in these years joins ${hs} with another code.`;
  if (!changes) return `No known revision changed ${hs}.`;
  return `A revision changed ${hs}. Years without the code are null; basis=family follows its goods over the change.`;
}
