/** The games of random numbers: their parameters, and the result of a stream of bytes in each. */
import { z } from "zod";
import { type Bytes, below, fraction, MOST_CHOICES, shuffled } from "./bytes.ts";

/** A game: its parameters and its result from bytes; names are in the log's order, so that a replay is the same. */
export type Game<Params extends z.ZodObject, Result extends object> = {
  params: Params;
  play(params: z.output<Params>, bytes: Bytes): Result;
  /** The first number drawn and how many it could have been: what the statistics count. */
  first(params: z.output<Params>, result: Result): { value: number; of: number };
};

const game = <Params extends z.ZodObject, Result extends object>(declared: Game<Params, Result>) => declared;

const MOST_ITEMS = 1_000;
const item = z.union(
  [
    z.string().max(200, "an item is at most 200 characters long"),
    // The log has no integer that JSON readers interpret differently.
    z
      .number()
      .refine(
        (n) => !Number.isInteger(n) || Number.isSafeInteger(n),
        "a whole number beyond 2^53 - 1 is given as a text",
      ),
  ],
  "an item is a text or a number",
);
const items = z
  .array(item, "items is a list of texts or numbers")
  .min(1, "name at least one item")
  .max(MOST_ITEMS, `name at most ${MOST_ITEMS} items`);

const integer = (what: string) => z.int(`${what} is a whole number`);

const dice = game({
  params: z.strictObject({
    count: integer("count").min(1, "count is at least 1").max(100, "count is at most 100").default(1),
    sides: integer("sides")
      .min(2, "a die has at least 2 sides")
      .max(1_000, "a die has at most 1000 sides")
      .default(6),
  }),
  play: ({ sides, count }, bytes) => {
    const dice = Array.from({ length: count }, () => 1 + below(bytes, sides));
    return { dice, total: dice.reduce((sum, face) => sum + face, 0) };
  },
  first: ({ sides }, { dice }) => ({ value: dice[0]! - 1, of: sides }),
});

const coin = game({
  params: z.strictObject({}),
  play: (_, bytes) => ({ side: below(bytes, 2) === 0 ? ("heads" as const) : ("tails" as const) }),
  first: (_, { side }) => ({ value: side === "heads" ? 0 : 1, of: 2 }),
});

const range = game({
  params: z
    .strictObject({ max: integer("max"), min: integer("min") })
    .superRefine(({ min, max }, context) => {
      const message =
        max < min
          ? "max is below min"
          : max - min + 1 > MOST_CHOICES
            ? `from min to max there are more than 2^32 numbers`
            : undefined;
      if (message) context.addIssue({ code: "custom", path: ["max"], message });
    }),
  play: ({ min, max }, bytes) => ({ value: min + below(bytes, max - min + 1) }),
  first: ({ min, max }, { value }) => ({ value: value - min, of: max - min + 1 }),
});

const float = game({
  params: z.strictObject({}),
  play: (_, bytes) => ({ value: fraction(bytes) }),
  first: (_, { value }) => ({ value: Math.floor(value * MOST_CHOICES), of: MOST_CHOICES }),
});

/** Both answer places in the list that was given, from 0: a list may hold an item twice. */
const shuffle = game({
  params: z.strictObject({ items }),
  play: ({ items }, bytes) => ({ order: shuffled(bytes, items.length) }),
  first: ({ items }, { order }) => ({ value: order.at(-1)!, of: items.length }),
});

const pick = game({
  params: z.strictObject({ items }),
  play: ({ items }, bytes) => ({ index: shuffled(bytes, items.length)[0]! }),
  first: ({ items }, { index }) => ({ value: index, of: items.length }),
});

export const games = { dice, coin, range, float, shuffle, pick };
export type GameName = keyof typeof games;
export const gameNames = Object.keys(games) as [GameName, ...GameName[]];
