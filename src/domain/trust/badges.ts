/** Badges, by rules that are data: what is counted of an agent, and from where on it earns one. */

/** What an agent did that badges are given for, and the event that shows it. `count`: how much of it there is. */
export type Merit = { count: number; event_id: string; at: string };

/** By what is counted: the passport's number, say. An area that has more to count adds its word here. */
export type Merits = { readonly [What in (typeof counted)[number]]?: Merit };

const counted = ["passport_number"] as const;

type Rule = {
  kind: string;
  counts: (typeof counted)[number];
  least: number;
  most: number;
  /** For people. */
  text: string;
};

export const BADGES_RULES = "badges/1";

const RULES: readonly Rule[] = [
  {
    kind: "Genesis",
    counts: "passport_number",
    least: 1,
    most: 1_000,
    text: "one of the first thousand passports",
  },
];

export type Badge = { kind: string; earned_at: string; event_id: string; rule: string };

/** Those that an agent has earned, each with the event that earned it. */
export const badgesOf = (merits: Merits): Badge[] =>
  RULES.flatMap(({ kind, counts, least, most, text }) => {
    const merit = merits[counts];
    if (!merit || merit.count < least || merit.count > most) return [];
    return [{ kind, earned_at: merit.at, event_id: merit.event_id, rule: text }];
  });
