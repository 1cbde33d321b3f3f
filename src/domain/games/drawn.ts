/** All games that draw from seeds, those of the lounge among them: how their parameters are read and how they are played. */
import type { z } from "zod";
import { plainIssue } from "../../core/model/plain-issue.ts";
import { refuseFields } from "../../core/model/refusal.ts";
import type { Bytes } from "./bytes.ts";
import { type Game, games } from "./games.ts";
import { loungeGames } from "./lounge-games.ts";

/** All draws from seeds: rolls, and bets of the lounge. */
const drawn = { ...games, ...loungeGames };
export type DrawnName = keyof typeof drawn;
export const drawnNames = Object.keys(drawn) as [DrawnName, ...DrawnName[]];

export type Params = Record<string, unknown>;
export type Result = Record<string, unknown>;

const takenBy = (name: DrawnName) => Object.keys(drawn[name].params.shape).join(", ") || "no parameters";

/** An answer about hostile parameters stays short. */
const MOST_ERRORS = 50;

/** The parameters of a game with its defaults; refused naming every field that is wrong, below `path`. */
export function readParams(name: DrawnName, given: unknown, path = "params"): Params {
  const read = drawn[name].params.safeParse(given ?? {}, { error: plainIssue });
  if (read.success) return read.data;
  const errors = read.error.issues.slice(0, MOST_ERRORS).flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.slice(0, MOST_ERRORS).map((key) => ({
          path: `${path}.${key.slice(0, 60)}`,
          message: `is not known; ${name} takes ${takenBy(name)}`,
        }))
      : [{ path: [path, ...issue.path].join("."), message: issue.message }],
  );
  return refuseFields(errors);
}

/** The result of the bytes; the parameters are those of `readParams`. */
export const play = (name: DrawnName, params: Params, bytes: Bytes): Result =>
  (drawn[name] as unknown as Game<z.ZodObject, Result>).play(params, bytes);

/** The first number drawn, out of how many. */
export const firstDrawn = (name: DrawnName, params: Params, result: Result) =>
  (drawn[name] as unknown as Game<z.ZodObject, Result>).first(params, result);
