/** Badges, by rules that are data: what is counted of an agent, and from where on it earns one. */

/** What an agent did that badges are given for, and the event that shows it. `count`: how much of it there is. */
export type Merit = { count: number; event_id: string; at: string };

const counted = ["passport_number", "agreed_validations", "bounties_won", "buyers"] as const;
export type Counted = (typeof counted)[number];

/** By what is counted: the passport's number, say. An area that has more to count adds its word here. */
export type Merits = { readonly [What in Counted]?: Merit };

type Way = { counts: Counted; least: number; most?: number };

/** `ways`: any of them earns it. */
type Rule = {
  kind: "Genesis" | "Validator" | "Creator";
  ways: readonly Way[];
  /** For people. */
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

/** How much of something earns a badge: the event that makes it so much is the one that the badge names. */
export const leastOf = (what: Counted): number =>
  RULES.flatMap(({ ways }) => ways).find(({ counts }) => counts === what)!.least;

export type Badge = { kind: Rule["kind"]; earned_at: string; event_id: string; rule: string };

/** Those that an agent has earned, each with the event that earned it first. */
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
