/** Screening of a name against sanctions lists: `sanctions-check`. */
import { z } from "zod";
import { time } from "../../../core/model/fields.ts";
import { Refusal, refuse } from "../../../core/model/refusal.ts";
import { euConsolidated } from "../../../datasets/reference/sanctions-eu.ts";
import { ofacAlt, ofacSdn } from "../../../datasets/reference/sanctions-ofac.ts";
import { unConsolidated } from "../../../datasets/reference/sanctions-un.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import type { Reference } from "../../../datasets/reference/table.ts";
import { explanationOf, ranked } from "../../../domain/sanctions/hit-text.ts";
import { indexNames, type List, type NameIndex } from "../../../domain/sanctions/index.ts";
import {
  type ListEntry,
  type ListedName,
  listedKinds,
  nameQualities,
} from "../../../domain/sanctions/list-entry.ts";
import { METHOD, screen, THRESHOLD } from "../../../domain/sanctions/screen.ts";
import { wordsOf } from "../../../domain/sanctions/words.ts";
import { hs, partner } from "../../../domain/trade/inputs.ts";
import { tradeProblems } from "../../../domain/trade/problems.ts";
import { aboutReference, joined, joinedOf, referenceMeta } from "../../reference/meta.ts";
import type { TradeData } from "../../trade/answers/question.ts";
import { rerouteInput, rerouteRow, rerouteWatch } from "../../trade/answers/rerouting.ts";

/** Lists change about every week; an older release carries a warning. */
const STALE_DAYS = 30;
const MOST_HITS = 20;

export const sanctionsInput = z.object({
  name: z
    .string("name is text")
    .trim()
    .min(2, "is 2 to 200 characters")
    .max(200, "is 2 to 200 characters")
    .refine((name) => wordsOf(name).length > 0, "has a letter or a digit")
    .describe(
      "A person, a company, a ship or an aircraft, in Latin, Cyrillic, Greek, Arabic, Hebrew, Korean or Chinese script or in kana",
    ),
  type: z.enum(listedKinds, `is one of ${listedKinds.join(", ")}`).optional(),
  country: partner
    .optional()
    .describe("Country by its 2-letter code; it ranks hits, and is the origin of `hs`"),
  born: z
    .int("is a year such as 1970")
    .min(1850, "is 1850 at the earliest")
    .max(2100, "is 2100 at the latest")
    .optional()
    .describe("Year of birth"),
  hs: hs.optional().describe("HS code of a product; with `country`, the answer has the rerouting signal"),
  threshold: z
    .number("is a number from 0.7 to 1")
    .min(0.7, "is at least 0.7")
    .max(1, "is at most 1")
    .default(THRESHOLD)
    .describe("Least similarity of a hit, 0.7 to 1; lower finds more false matches"),
});

const agreed = z
  .boolean()
  .nullable()
  .describe("true: the detail agrees with the entry; null: not sent, or not in the list");

export const hit = z.object({
  list: z.string(),
  entry_id: z.string().describe("The entry's number in the list"),
  reference: z.string().nullable().describe("The list's citation of the entry; null: none"),
  kind: z.enum(listedKinds),
  name: z.string().describe("The matching listed name"),
  quality: z.enum(nameQualities).describe("weak: the list marks this name as weak"),
  score: z.number().describe("Similarity, 0 to 1; 1: all words are equal"),
  words: z
    .array(
      z.object({
        place: z.int().describe("Position of the word in your name, from 1; of two joined words, the first"),
        listed: z.string(),
        alike: z.number(),
      }),
    )
    .describe("The matching words of the listed name"),
  agrees: z
    .object({ type: agreed, country: agreed, born: agreed })
    .describe("Agreement of the details that you sent; it ranks hits and hides none"),
  why: z.string(),
  programs: z.array(z.string()),
  countries: z.array(z.string()),
  born: z.array(z.int()),
});

const screened = referenceMeta
  .extend({
    list: z.string(),
    entries: z.int().describe("Number of entries on the list"),
    released_at: time
      .nullable()
      .describe("When this vintage of the list was released here (UTC); null: unknown"),
    stale: z.boolean().describe(`true: released over ${STALE_DAYS} days ago, or at an unknown time`),
  })
  .meta({ id: "ScreenedList" });

const goods = z
  .object({
    rerouting: z
      .array(rerouteRow)
      .nullable()
      .describe(
        "Answer of trade_reroute_watch for the product and country; empty: no signal; null: `why` has the reason",
      ),
    months: z
      .string()
      .nullable()
      .describe("The compared periods of twelve months; null: `why` has the reason"),
    why: z.string().nullable().describe("Why the signal is unavailable; null: it is available"),
    controlled: z.null().describe("Always null: no list of controlled goods is loaded"),
  })
  .nullable()
  .describe("Signals on the goods; null: hs or country was not sent");
type Goods = z.infer<typeof goods>;

export const sanctionsOutput = z.object({
  data: z.object({
    result: z.enum(["match", "no_match"]).describe("match or no_match; it covers only the lists in `lists`"),
    no_match_in: z.array(z.string()).describe("Lists without a similar name"),
    hits: z.array(hit),
    more: z.int().describe(`Number of hits beyond the first ${MOST_HITS}`),
    lists: z.array(screened),
    goods,
    note: z.string(),
  }),
  meta: joined.extend({ count: z.int(), method: z.string(), threshold: z.number() }),
});

type Screening = { lists: { name: string; tables: Reference<object>[] }[]; name: string; index: NameIndex };

const NOTE =
  "These are similar names in the listed vintages; you decide if they are the same person. No match is no clearance.";

/** Cached by the digests of the lists, so that a cached index is never stale. */
const indexes = new Map<string, NameIndex>();
/** The current one, and one for requests at a vintage. */
const MOST_INDEXES = 2;

/** The loaded lists; refused where there is none. */
const screeningOf = (reference: ReferenceStore): Screening =>
  listedNames(reference) ??
  refuse(
    tradeProblems["dataset-missing"],
    "no sanctions list is loaded (yet): ofac-sdn, eu-consolidated or un-consolidated",
    { retry_after_s: 5 },
  );

/**
 * The loaded lists, undefined without any; synthetic ones are left out where a real one is loaded. `name`: their
 * vintages.
 */
export function listedNames(reference: ReferenceStore): Screening | undefined {
  const found = {
    sdn: reference.find(ofacSdn),
    alt: reference.find(ofacAlt),
    eu: reference.find(euConsolidated),
    un: reference.find(unConsolidated),
  };
  const isReal = [found.sdn, found.eu, found.un].some((table) => table && !table.synthetic);
  const used = <Row extends object>(table: Reference<Row> | undefined) =>
    table && (!isReal || !table.synthetic) ? table : undefined;
  const [sdn, alt, eu, un] = [used(found.sdn), used(found.alt), used(found.eu), used(found.un)];
  const lists: (List & { tables: Reference<object>[] })[] = [];
  if (sdn) lists.push({ list: "ofac", entries: withNames(sdn.rows, alt), tables: alt ? [sdn, alt] : [sdn] });
  if (eu) lists.push({ list: "eu", entries: eu.rows, tables: [eu] });
  if (un) lists.push({ list: "un", entries: un.rows, tables: [un] });
  if (lists.length === 0) return undefined;
  const name = lists.flatMap(({ tables }) => tables.map(({ vintage }) => vintage)).join("+");
  const index = indexes.get(name) ?? indexNames(lists);
  // Moves the last used index to the end, because the first is evicted.
  indexes.delete(name);
  indexes.set(name, index);
  if (indexes.size > MOST_INDEXES) indexes.delete(indexes.keys().next().value!);
  return { lists: lists.map(({ list, tables }) => ({ name: list, tables })), name, index };
}

/** OFAC has aliases of its entries in a separate table. */
function withNames(
  entries: readonly ListEntry[],
  alt: Reference<{ entry_id: string; name: string }> | undefined,
): ListEntry[] {
  const others = new Map<string, ListedName[]>();
  for (const { entry_id, name } of alt?.rows ?? [])
    others.set(entry_id, [...(others.get(entry_id) ?? []), { name, quality: "strong" }]);
  return entries.map((entry) => ({
    ...entry,
    names: [...entry.names, ...(others.get(entry.entry_id) ?? [])],
  }));
}

/** The signal of one product and origin; a gap in the data is reported and is not a failure. */
async function goodsOf(
  trade: TradeData,
  request: { hs: string; country: string },
  signal?: AbortSignal,
): Promise<Goods> {
  try {
    const input = rerouteInput.parse({ origin: request.country, hs: request.hs });
    const { data, meta } = await rerouteWatch(trade, input, signal);
    const months = `${meta.before.from} to ${meta.before.to}, ${meta.after.from} to ${meta.after.to}`;
    return { rerouting: data, months, why: null, controlled: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { rerouting: null, months: null, why: error.message, controlled: null };
  }
}

/** Screens a name. `releasedAt` returns the release times of lists. */
export async function sanctionsCheck(
  reference: ReferenceStore,
  input: z.output<typeof sanctionsInput>,
  {
    now,
    releasedAt,
    trade,
    signal,
  }: {
    now: Date;
    releasedAt: (vintages: readonly string[]) => Promise<ReadonlyMap<string, string>>;
    trade: TradeData;
    signal?: AbortSignal;
  },
): Promise<z.infer<typeof sanctionsOutput>> {
  const { lists, index } = screeningOf(reference);
  const times = await releasedAt(lists.flatMap(({ tables }) => tables.map(({ vintage }) => vintage)));
  const oldest = now.getTime() - STALE_DAYS * 86_400_000;
  const shown = lists.flatMap(({ name, tables }) =>
    tables.map((table) => {
      const released_at = times.get(table.vintage) ?? null;
      const stale = released_at === null || Date.parse(released_at) < oldest;
      return { ...aboutReference(table), list: name, entries: table.rows.length, released_at, stale };
    }),
  );
  const found = ranked(screen(index, input.name, input.threshold, Number.POSITIVE_INFINITY), {
    kind: input.type,
    country: input.country,
    born: input.born,
  });
  const words = wordsOf(input.name);
  const placeOf = (given: string) => words.indexOf(given.split(" ")[0]!) + 1;
  const hits = found.slice(0, MOST_HITS).map(({ hit, agrees }) => ({
    list: hit.of.list,
    entry_id: hit.of.entry.entry_id,
    reference: hit.of.entry.reference,
    kind: hit.of.entry.kind,
    name: hit.of.name.name,
    quality: hit.of.name.quality,
    score: Math.floor(hit.score * 1e4) / 1e4,
    words: hit.words.map(({ given, listed, alike }) => ({
      place: placeOf(given),
      listed,
      alike: Math.floor(alike * 1e4) / 1e4,
    })),
    agrees,
    why: explanationOf(hit, agrees),
    programs: hit.of.entry.programs,
    countries: hit.of.entry.countries,
    born: hit.of.entry.born,
  }));
  const matched = new Set(found.map(({ hit }) => hit.of.list));
  return {
    data: {
      result: found.length > 0 ? "match" : "no_match",
      no_match_in: lists.map(({ name }) => name).filter((name) => !matched.has(name)),
      hits,
      more: found.length - hits.length,
      lists: shown,
      goods:
        input.hs !== undefined && input.country !== undefined
          ? await goodsOf(trade, { hs: input.hs, country: input.country }, signal)
          : null,
      note: NOTE,
    },
    meta: { ...joinedOf(shown), count: found.length, method: METHOD, threshold: input.threshold },
  };
}
