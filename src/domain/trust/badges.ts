/** Badges follow rules that are data. */

/** A count that earns badges, and the event that proves it. */
export type Merit = { count: number; event_id: string; at: string };

const counted = ["passport_number", "agreed_validations", "bounties_won", "buyers"] as const;
export type Counted = (typeof counted)[number];

/** An area with another count adds its name to `counted`. */
export type Merits = { readonly [Name in Counted]?: Merit };

type Way = { counts: Counted; least: number; most?: number };

/** Any of the ways earns the badge. */
type Rule = {
  kind: "Genesis" | "Validator" | "Creator";
  ways: readonly Way[];
  text: string;
};

export const BADGES_RULES = "badges/1";

const RULES: readonly Rule[] = [
  {
    kind: "Genesis",
    ways: [{ counts: "passport_number", least: 1, most: 1_000 }],
    text: "one of the first thousand passports",
  },
  {
    kind: "Validator",
    ways: [{ counts: "agreed_validations", least: 25 }],
    text: "25 items validated with a verdict that a later buyer agreed with",
  },
  {
    kind: "Creator",
    ways: [
      { counts: "bounties_won", least: 1 },
      { counts: "buyers", least: 3 },
    ],
    text: "a bounty won, or sales to three buyers",
  },
];

/** The count that earns a badge: the badge names the event that reached it. */
export const leastOf = (name: Counted): number =>
  RULES.flatMap(({ ways }) => ways).find(({ counts }) => counts === name)!.least;

export type Badge = { kind: Rule["kind"]; earned_at: string; event_id: string; rule: string };

/** Earned badges, each with the event that earned it first. */
export const badgesOf = (merits: Merits): Badge[] =>
  RULES.flatMap(({ kind, ways, text }) => {
    const [first] = ways
      .flatMap(({ counts, least, most = Number.POSITIVE_INFINITY }) => {
        const merit = merits[counts];
        return merit && merit.count >= least && merit.count <= most ? [merit] : [];
      })
      .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
    return first ? [{ kind, earned_at: first.at, event_id: first.event_id, rule: text }] : [];
  });
