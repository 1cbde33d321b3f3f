/** The words and rules by which a description is classified: one data file a field. The order of the files is the order of the rules. */
import { atFirstUse } from "../../core/model/first-use.ts";
import article5 from "./lexicon/article-5.json" with { type: "json" };
import article5Elements from "./lexicon/article-5-elements.json" with { type: "json" };
import biometrics from "./lexicon/biometrics.json" with { type: "json" };
import education from "./lexicon/education.json" with { type: "json" };
import employment from "./lexicon/employment.json" with { type: "json" };
import general from "./lexicon/general.json" with { type: "json" };
import infrastructure from "./lexicon/infrastructure.json" with { type: "json" };
import justice from "./lexicon/justice.json" with { type: "json" };
import languages from "./lexicon/languages.json" with { type: "json" };
import lawEnforcement from "./lexicon/law-enforcement.json" with { type: "json" };
import migration from "./lexicon/migration.json" with { type: "json" };
import namedFields from "./lexicon/named-fields.json" with { type: "json" };
import services from "./lexicon/services.json" with { type: "json" };
import shared from "./lexicon/shared.json" with { type: "json" };
import things from "./lexicon/things.json" with { type: "json" };
import transparency from "./lexicon/transparency.json" with { type: "json" };
import { type FileRule, factsOf, lexiconOf } from "./lexicon-file.ts";

export const lexiconFiles = {
  "shared.json": shared,
  "article-5.json": article5,
  "article-5-elements.json": article5Elements,
  "biometrics.json": biometrics,
  "infrastructure.json": infrastructure,
  "education.json": education,
  "employment.json": employment,
  "services.json": services,
  "law-enforcement.json": lawEnforcement,
  "migration.json": migration,
  "justice.json": justice,
  "transparency.json": transparency,
  "languages.json": languages,
  "things.json": things,
  "general.json": general,
  "named-fields.json": namedFields,
};

type ConceptsOf<File> = File extends { concepts: infer Concepts } ? keyof Concepts : never;
export type Concept = ConceptsOf<(typeof lexiconFiles)[keyof typeof lexiconFiles]>;

export type LexiconRule = Omit<FileRule, "needs" | "unless" | "hints"> & {
  needs: readonly Concept[];
  unless?: readonly Concept[];
  hints?: Concept;
};

/** `rules_sha256` of each answer and document is over the version, the concepts and the rules. */
export const lexicon = atFirstUse(() => {
  const { files, version, concepts, rules } = lexiconOf(lexiconFiles);
  return {
    files,
    version,
    // lexiconOf has checked the names that these types state.
    concepts: concepts as Record<Concept, readonly string[]>,
    rules: rules as readonly LexiconRule[],
  };
});

/** Concepts in other languages than English. */
export const isForeign = (concept: Concept): boolean => concept in languages.concepts;

/** The version, size and digest of each file, for a reader who compares them. */
export const lexiconFacts = (canonical: (value: object) => string) =>
  lexicon().files.map(([name, file]) => factsOf(name, file, canonical));
