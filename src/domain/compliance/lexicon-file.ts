/** The data files of the lexicon: their format, and the checks that a set of them has to pass. */
import { z } from "zod";
import { digestOf } from "../../core/model/objects.ts";

/** `*` ends a word and stands for any letters; `..` stands for up to four words. */
const PHRASE = /^[^*`]+(?:\*(?: [^*`]+)?)*$/;
const inclusion = z.strictObject({ phrases_of: z.string(), except: z.array(z.string()).optional() });

const phraseList = z.strictObject({
  means: z.string().optional(),
  // One check for the whole list: a check for each string takes three times as long at start.
  phrases: z
    .array(z.union([z.string(), inclusion]))
    .min(1)
    .refine((entries) => entries.every((entry) => typeof entry !== "string" || PHRASE.test(entry)), {
      error: "has phrases whose * does not end a word",
    }),
});
type PhraseList = z.infer<typeof phraseList>;

/** A rule applies where neighbouring sentences have every concept of `needs` and none of `unless`. */
const rule = z.strictObject({
  id: z.string(),
  level: z.enum(["PROHIBITED", "HIGH", "LIMITED", "MINIMAL"]),
  provision: z.string(),
  /** The date of the edition from which it applies; absent: the Act requires nothing. */
  date: z.string().optional(),
  about: z.string(),
  needs: z.array(z.string()),
  unless: z.array(z.string()).optional(),
  /** A concept of `unless` counts anywhere in the text. */
  isShy: z.boolean().optional(),
  /** The text must have two different phrases of this concept too. */
  hints: z.string().optional(),
  /** It counts where no other rule of Annex III or Article 5 does. */
  isFallback: z.boolean().optional(),
  /** It does not count where the text names things and no person. */
  isOfPersons: z.boolean().optional(),
  /** It counts only where the text names no person. */
  isOfThings: z.boolean().optional(),
  /** The least number of words in the neighbouring sentences. */
  leastWords: z.number().int().optional(),
});
export type FileRule = z.infer<typeof rule>;

const lexiconFile = z.strictObject({
  field: z.string(),
  article: z.string(),
  version: z.string().regex(/^lexicon\/\d+$/),
  note: z.string().optional(),
  /** Phrases that other lists include; no rule names them. */
  lists: z.record(z.string(), phraseList).optional(),
  concepts: z.record(z.string(), phraseList),
  rules: z.array(rule),
});
export type LexiconFile = z.infer<typeof lexiconFile>;

export type Lexicon = {
  files: [name: string, file: LexiconFile][];
  version: string;
  concepts: Record<string, string[]>;
  rules: FileRule[];
};

/** Joins the files in their order. Throws where one is malformed, or names a list or concept that no file has. */
export function lexiconOf(sources: Record<string, unknown>): Lexicon {
  const named = Object.entries(sources).map(([name, source]): [string, LexiconFile] => [
    name,
    fileOf(name, source),
  ]);
  const files = named.map(([, file]) => file);
  const versions = new Set(files.map(({ version }) => version));
  if (versions.size !== 1) throw new Error(`the lexicon's files have versions ${[...versions].join(", ")}`);
  const lists = new Map<string, PhraseList>();
  for (const [name, list] of files.flatMap((file) => Object.entries({ ...file.lists, ...file.concepts }))) {
    if (lists.has(name)) throw new Error(`two files of the lexicon have ${name}`);
    lists.set(name, list);
  }
  const concepts: Record<string, string[]> = {};
  for (const file of files)
    for (const name of Object.keys(file.concepts)) concepts[name] = phrasesOf(name, lists);
  const rules = files.flatMap((file) => file.rules);
  for (const { id, needs, unless = [], hints = [] } of rules)
    for (const name of [needs, unless, hints].flat())
      if (!(name in concepts)) throw new Error(`rule ${id} of the lexicon names ${name}, an unknown concept`);
  return { files: named, version: [...versions][0]!, concepts, rules };
}

function fileOf(name: string, source: unknown): LexiconFile {
  const { data, error } = lexiconFile.safeParse(source);
  if (error) throw new Error(`${name} is not a file of the lexicon: ${z.prettifyError(error)}`);
  return data;
}

function phrasesOf(name: string, lists: ReadonlyMap<string, PhraseList>, within: string[] = []): string[] {
  const list = lists.get(name);
  if (!list || within.includes(name))
    throw new Error(`${within.at(-1)} of the lexicon includes ${name}, ${list ? "a circle" : "unknown"}`);
  return list.phrases.flatMap((entry) => {
    if (typeof entry === "string") return entry;
    const included = phrasesOf(entry.phrases_of, lists, [...within, name]);
    return included.filter((phrase) => !entry.except?.includes(phrase));
  });
}

/** Facts to compare a file by: `sha256` is over its RFC 8785 form, which `canonical` writes. */
export function factsOf(name: string, file: LexiconFile, canonical: (value: object) => string) {
  const { field, article, version, lists, concepts, rules } = file;
  const entries = Object.values({ ...lists, ...concepts }).flatMap(({ phrases }) => phrases);
  return {
    ...{ name, field, article, version, rules: rules.length },
    phrases: entries.filter((entry) => typeof entry === "string").length,
    sha256: digestOf(canonical(file)),
  };
}
