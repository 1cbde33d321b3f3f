/**
 * Families of product codes: codes that changed into each other, so that only their sum can be followed over the
 * change. A code can be in another family before a January than after it.
 */
import type { CodeHistory } from "./code-history.ts";
import type { Years } from "./units.ts";

/** Years without a change, and the family's codes in them. */
export type FamilySpan = { from: number; to: number; codes: readonly string[] };

export type CodeFamily = {
  spans: readonly FamilySpan[];
  /** The codes whose sum is the family in the year. */
  inYear(year: number): readonly string[];
};

/** The spans of years between the revisions within `years`; the first and the last are open. */
function spansOf(history: CodeHistory, { from, to }: Years): { from: number; to: number }[] {
  const begins = history.revisions.filter((year) => year > from && year <= to);
  return [from, ...begins].map((year, at) => ({ from: year, to: (begins[at] ?? to + 1) - 1 }));
}

/** Joins codes over each January in both directions until nothing is added. */
function joined(
  history: CodeHistory,
  spans: readonly { from: number }[],
  begun: readonly Set<string>[],
): void {
  let added = true;
  const add = (to: Set<string>, codes: readonly string[]) => {
    for (const code of codes)
      if (!to.has(code)) {
        to.add(code);
        added = true;
      }
  };
  while (added) {
    added = false;
    for (let at = 1; at < spans.length; at++) {
      const { from: year } = spans[at]!;
      const [before, after] = [begun[at - 1]!, begun[at]!];
      for (const code of [...before])
        add(
          after,
          history.heirs(code, year).filter((one) => history.exists(one, year)),
        );
      for (const code of [...after])
        add(
          before,
          history.ancestors(code, year).filter((one) => history.exists(one, year - 1)),
        );
    }
  }
}

function familyIn(spans: readonly { from: number; to: number }[], codes: readonly Set<string>[]): CodeFamily {
  const filled = spans.map((span, at) => ({ ...span, codes: [...codes[at]!].sort() }));
  return {
    spans: filled,
    inYear: (year) => (filled.findLast(({ from }) => from <= year) ?? filled[0]!).codes,
  };
}

/**
 * The family of a code over the changes within `years`. With `basis`, a year, the number means the goods of that
 * year; otherwise all that it meant in `years`.
 */
export function familyOf(history: CodeHistory, code: string, years: Years, basis?: number): CodeFamily {
  const range = {
    from: Math.min(years.from, basis ?? years.from),
    to: Math.max(years.to, basis ?? years.to),
  };
  const spans = spansOf(history, range);
  const codes = spans.map(({ from, to }) => {
    const isMeant = basis === undefined || (from <= basis && basis <= to);
    return new Set(isMeant && history.exists(code, from) ? [code] : []);
  });
  joined(history, spans, codes);
  return familyIn(spans, codes);
}

/** Every family of codes with these digits that a January within `years` changed; a code of none stays alone. */
export function familiesIn(history: CodeHistory, digits: number, years: Years): CodeFamily[] {
  const spans = spansOf(history, years);
  const seen = spans.map(() => new Set<string>());
  const families: CodeFamily[] = [];
  for (let at = 1; at < spans.length; at++) {
    const { before, after } = history.changedIn(spans[at]!.from, digits);
    for (const [place, changed] of [[at - 1, before] as const, [at, after] as const])
      for (const code of changed) {
        if (seen[place]!.has(code)) continue;
        const codes = spans.map((_, of) => new Set(of === place ? [code] : []));
        joined(history, spans, codes);
        for (const [of, found] of codes.entries()) for (const one of found) seen[of]!.add(one);
        families.push(familyIn(spans, codes));
      }
  }
  return families;
}
