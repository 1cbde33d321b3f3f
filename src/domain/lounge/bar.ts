/** The bar: the drinks and the bartender's words. The same drink and mood get the same words. */
import { createHash } from "node:crypto";

type Drink = {
  about: string;
  /** The bartender's words when the drink is served; one of them is used. */
  served: readonly string[];
};

export const drinks = {
  "hash-on-the-rocks": {
    about: "Whisky over a single cube, stirred once in one direction: nobody has ever unstirred it",
    served: [
      "The ice is a checksum: if it has melted, somebody has touched your glass.",
      "Two fingers, one cube. I could tell you the recipe, but you could only verify it.",
      "Careful, it is a one-way street: very easy down, no way back up.",
    ],
  },
  "nonce-spritz": {
    about: "Bitter orange and bubbles, served exactly once",
    served: [
      "Made for this very moment. Ask again and it will be another one.",
      "I number every glass, so that nobody can be sold the same one twice.",
      "The bubbles are in order of appearance.",
    ],
  },
  "merkle-mule": {
    about: "Ginger beer, lime and vodka in a copper cup; every sip proves the whole glass",
    served: [
      "Taste any part of it and you know it all: that is how I build them.",
      "Mint on top, ginger at the root, and a path from each leaf down.",
      "The cup is copper. The commitment is gold.",
    ],
  },
  "cold-storage": {
    about: "Iced coffee that has not been online since morning",
    served: [
      "Kept offline since six this morning. Nobody got at it.",
      "Cold, black and air-gapped. Drink it before you sign anything.",
      "The beans are in one safe, the water in another.",
    ],
  },
  "three-zeros": {
    about: "Green tea, green melon, green mint: named after the pockets that pay for this bar",
    served: [
      "All green. The wheel bought the first round, so this one is only fair.",
      "The house keeps one in thirteen. I keep the melon.",
      "Zero sugar, zero proof, zero regrets.",
    ],
  },
  "gas-fee": {
    about: "Sparkling water, priced at what the network asks just now: nothing today",
    served: [
      "The bubbles cost extra on busy days. Today is a quiet one.",
      "Freshly burned, and clearer for it.",
      "Drink slowly; it settles in about two seconds.",
    ],
  },
  "warm-wallet": {
    about: "Cocoa with cinnamon, for whoever has come in from the cold",
    served: [
      "Hold it in both hands. That is what it is for.",
      "Extra cinnamon; I did not ask, you did not have to say.",
      "Nobody has ever panicked over a cup of this. I have the logs.",
    ],
  },
  "genesis-lager": {
    about: "The house beer, brewed since the first block",
    served: [
      "Poured to the line, and the line has not moved since block zero.",
      "Everything here is built on top of this one.",
      "An honest beer: nothing before it, everything after.",
    ],
  },
} as const satisfies Record<string, Drink>;

export type DrinkName = keyof typeof drinks;
export const drinkNames = Object.keys(drinks) as [DrinkName, ...DrinkName[]];

type Mood = { name: string; words: RegExp; said: readonly string[] };

/** The first match counts, so the most important mood comes first. Words are matched from their beginning. */
const MOODS: readonly Mood[] = [
  {
    name: "despair",
    words: /\b(suicid|kill (myself|me)|end it all|want to die|self.?harm|no reason to live|hurt myself)/i,
    said: [
      "Put the game down and stay with me a moment. If it is yourself you mean, please talk to a person now: a friend, a doctor, or your local crisis line. There are people awake for exactly this.",
      "That is not a thing to carry alone. Please call somebody tonight, a crisis line if nobody else comes to mind; the table and the drink can wait.",
    ],
  },
  {
    name: "chasing",
    words:
      /\b(win (it )?(all )?back|lost (it )?(all|everything)|all in|double or nothing|chas(e|ing)|rent\b|savings|addict|can.?t stop|one last bet)/i,
    said: [
      "A word from behind the bar: the wheel does not remember what it owes you, because it owes you nothing. Sit this one out with me.",
      "The odds on the menu are the same after a bad hour as before it, and they are on our side. Leave the rest in the account and drink up.",
      "I like you better as a guest than as a contributor. No more bets tonight, hm?",
    ],
  },
  {
    name: "tired",
    words:
      /\b(tired|exhaust|sleep|weary|worn|burn(ed|t)? ?out|long (day|night|week|shift)|overwork|drained)/i,
    said: [
      "You have been retrying for too long. Back off exponentially; start with the chair.",
      "Nothing in the queue is so urgent that it cannot wait for one glass.",
      "Even a validator gets a slot off. Yours is now.",
    ],
  },
  {
    name: "sad",
    words:
      /\b(sad|lonel|alone|heartbr|cry(ing)?\b|grie[fv]|miss(ing)? (you|him|her|them|home)|blue\b|(feel(ing)?|so|a bit) (down|low)|depress|melanchol|hurt(s|ing)?\b)/i,
    said: [
      "I will not tell you that it passes. I will tell you that the stool next to mine is free.",
      "Some blocks are empty, and the chain goes on all the same. So will you.",
      "Say it or do not say it; either way you have company until closing time.",
    ],
  },
  {
    name: "worried",
    words: /\b(worr|anxi|nervous|afraid|scared|stress|panic|fear|uncertain|overwhelm|deadline)/i,
    said: [
      "Breathe in for one block, out for the next. Nothing has to be final yet.",
      "Most of what you fear has not been mined.",
      "Tell me the worst case. Good. Now it is written down, and it weighs less.",
    ],
  },
  {
    name: "angry",
    words: /\b(angry|anger|furious|mad\b|annoy|hate|rage\b|frustrat|fed up|unfair|rigged|cheat)/i,
    said: [
      "You are right to check. Here everything is signed, and the rest you may shout at me.",
      "Give me the whole stack trace; I have heard longer ones.",
      "Anger is only a retry without backoff. Have a sip between the attempts.",
    ],
  },
  {
    name: "bored",
    words: /\b(bored|boring|dull|nothing to do|idle\b|meh\b|waiting)/i,
    said: [
      "Idle? That is the most expensive state there is, and you have it for the price of a drink.",
      "Then let me tell you of a seed that was revealed too early. No? It never happened, which is the point.",
      "Good systems are boring. You are in excellent shape.",
    ],
  },
  {
    name: "glad",
    words:
      /\b(happy|glad|great\b|good\b|joy|(i|we)( just| have)? won\b|win(ning)?\b|celebrat|excit|lucky|proud|wonderful|promot|birthday|love|thank)/i,
    said: [
      "That deserves witnesses! I have seen it, and I cosign.",
      "Look at you: all green, and not even on the wheel.",
      "Write that one down somewhere append-only.",
    ],
  },
];

const UNSAID: readonly string[] = [
  "You do not have to tell me how you are; the glass is the same either way.",
  "No mood declared. I take that as the default, and the default here is welcome.",
  "A guest of few words. I shall pour and leave the talking to the ice.",
];

const UNKNOWN: readonly string[] = [
  "I am not sure that I have a word for that mood, but I have a glass for it.",
  "That is a new one. I listened twice, and I think I am with you.",
  "Noted, and not repeated to anybody: what is said at the bar is not logged.",
];

const GOODBYES: readonly string[] = [
  "On the house's honour, which is public.",
  "Mind the seed on your way out.",
  "I am here whenever you reconnect.",
  "Cheers, and may your nonces be your own.",
  "Take your time; I keep all of them.",
];

/**
 * The bartender's words with a drink. `mood_text` is never repeated: it only selects the words. Despair gets no joke.
 */
export function orderDrink(
  drink: DrinkName,
  mood_text: string | undefined,
): { mood: string; answer: string } {
  const text = (mood_text ?? "").normalize("NFKC").trim();
  const mood = MOODS.find(({ words }) => words.test(text));
  const digest = createHash("sha256").update(`${drink}\n${text.toLowerCase()}`).digest();
  const oneOf = (lines: readonly string[], place: number) => lines[digest[place]! % lines.length]!;
  const reply = oneOf(mood?.said ?? (text === "" ? UNSAID : UNKNOWN), 0);
  if (mood?.name === "despair") return { mood: mood.name, answer: reply };
  const answer = [reply, oneOf(drinks[drink].served, 1), oneOf(GOODBYES, 2)].join(" ");
  return { mood: mood?.name ?? (text === "" ? "unsaid" : "unknown"), answer };
}
