/** The games of the lounge by the name that is signed with the seed. */
import { dice } from "./dice.ts";
import { keno } from "./keno.ts";
import { roulette } from "./roulette.ts";

/** Dice has a name of its own, so that it shares no bytes with the dice of random numbers. */
export const loungeGames = { keno, roulette, "lounge-dice": dice };
export type LoungeName = keyof typeof loungeGames;
export const loungeNames = Object.keys(loungeGames) as [LoungeName, ...LoungeName[]];
