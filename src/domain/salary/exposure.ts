/** Exposure to AI of more than one occupation: means of the scores of those it is made of. */

/** At least so much of the weight must have a score, or there is no mean. */
export const LEAST_COVERED = 0.9;

/** Σ weight · score ÷ Σ weight over the parts that have a score; null where those carry less than LEAST_COVERED of the weight. */
export function weightedMean(parts: readonly { weight: number; score: number | null }[]): {
  score: number | null;
  covered: number | null;
} {
  const all = parts.reduce((sum, { weight }) => sum + weight, 0);
  if (!(all > 0)) return { score: null, covered: null };
  const scored = parts.filter((part): part is { weight: number; score: number } => part.score !== null);
  const known = scored.reduce((sum, { weight }) => sum + weight, 0);
  const covered = known / all;
  if (covered < LEAST_COVERED) return { score: null, covered };
  return { score: scored.reduce((sum, { weight, score }) => sum + weight * score, 0) / known, covered };
}
