/**
 * The words by which a description is classified: concepts, and rules over them, a file each for the points of Annex III, Article 5, Article 50
 * and what is harmless. All concepts of a rule have to stand in neighbouring sentences.
 */
import { article5Concepts, article5Rules } from "./lexicon/article-5.ts";
import { article5ElementRules, article5Elements } from "./lexicon/article-5-elements.ts";
import { biometricConcepts, biometricRules } from "./lexicon/biometrics.ts";
import { educationConcepts, educationRules } from "./lexicon/education.ts";
import { employmentConcepts, employmentRules } from "./lexicon/employment.ts";
import { fieldRules } from "./lexicon/fields.ts";
import { generalConcepts, generalRules } from "./lexicon/general.ts";
import { infrastructureConcepts, infrastructureRules } from "./lexicon/infrastructure.ts";
import { justiceConcepts, justiceRules } from "./lexicon/justice.ts";
import { languageConcepts, languageRules } from "./lexicon/languages.ts";
import { lawEnforcementConcepts, lawEnforcementRules } from "./lexicon/law-enforcement.ts";
import { migrationConcepts, migrationRules } from "./lexicon/migration.ts";
import type { LexiconRule as RuleOf } from "./lexicon/phrases.ts";
import { serviceConcepts, serviceRules } from "./lexicon/services.ts";
import { thingConcepts } from "./lexicon/things.ts";
import { transparencyConcepts, transparencyRules } from "./lexicon/transparency.ts";

/** Another one is another answer to the same text: it stands in `rules_sha256` of each answer and document, with all words and rules. */
export const LEXICON = "lexicon/6";

export const concepts = {
  ...article5Concepts,
  ...article5Elements,
  ...biometricConcepts,
  ...infrastructureConcepts,
  ...educationConcepts,
  ...employmentConcepts,
  ...serviceConcepts,
  ...lawEnforcementConcepts,
  ...migrationConcepts,
  ...justiceConcepts,
  ...transparencyConcepts,
  ...languageConcepts,
  ...thingConcepts,
  ...generalConcepts,
} satisfies Record<string, readonly string[]>;

export type Concept = keyof typeof concepts;
export type LexiconRule = RuleOf<Concept>;

export const lexiconRules: readonly LexiconRule[] = [
  ...article5Rules,
  ...article5ElementRules,
  ...biometricRules,
  ...infrastructureRules,
  ...educationRules,
  ...employmentRules,
  ...serviceRules,
  ...lawEnforcementRules,
  ...migrationRules,
  ...justiceRules,
  ...transparencyRules,
  ...languageRules,
  ...generalRules,
  ...fieldRules,
];
