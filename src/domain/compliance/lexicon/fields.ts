/**
 * The last resort: a field of Annex III is told of at some length, nobody converses or composes, and nothing says that its house is meant and not its power. What is done
 * stands in words that no rule has; who is named a high-risk field is told so, and asked what is done.
 */
import type { educationConcepts } from "./education.ts";
import type { employmentConcepts } from "./employment.ts";
import type { generalConcepts } from "./general.ts";
import type { infrastructureConcepts } from "./infrastructure.ts";
import type { justiceConcepts } from "./justice.ts";
import type { lawEnforcementConcepts } from "./law-enforcement.ts";
import type { migrationConcepts } from "./migration.ts";
import { annex3, type LexiconRule } from "./phrases.ts";
import type { serviceConcepts } from "./services.ts";
import type { transparencyConcepts } from "./transparency.ts";

type Used =
  | keyof typeof educationConcepts
  | keyof typeof employmentConcepts
  | keyof typeof generalConcepts
  | keyof typeof infrastructureConcepts
  | keyof typeof justiceConcepts
  | keyof typeof lawEnforcementConcepts
  | keyof typeof migrationConcepts
  | keyof typeof serviceConcepts
  | keyof typeof transparencyConcepts;

/** Shorter texts name a trade, and not what is done in it. */
const LEAST_WORDS = 12;

const ELSEWHERE: readonly Used[] = ["harmless", "converse", "compose", "upkeep", "workplace_upkeep"];

const alone = (point: string, about: string, field: Used, unless: readonly Used[]): LexiconRule<Used> => ({
  ...annex3<Used>(point, about, [field, "decided"], [...ELSEWHERE, ...unless]),
  ...{ isFallback: true, leastWords: LEAST_WORDS },
});

export const fieldRules: readonly LexiconRule<Used>[] = [
  alone("3", "education", "schoolwork", ["lesson_material"]),
  alone("4(a)", "recruitment", "applicant", ["job_market", "information_for_applicants"]),
  alone("5(a)", "public benefits and services", "benefit", ["public_matter_only", "website"]),
  alone("5(b)", "creditworthiness", "creditworthy", ["business", "card_fraud", "other_money", "website"]),
  alone("5(d)", "emergency calls and triage", "emergency", ["depot"]),
  alone("6", "law enforcement", "inquest", ["premises", "information"]),
  alone("7", "migration, asylum and borders", "migration", ["goods", "leaflets"]),
  alone("8(a)", "administration of justice", "court", ["clerical"]),
  alone("8(b)", "elections", "vote", ["campaign_office", "clerical"]),
];
