/** Parsers of options and arguments; each message says what the value is, and the command line puts the name before it. */
import { InvalidArgumentError } from "commander";
import type { Hex } from "../core/model/chain.ts";

type Parser<T> = (text: string) => T;

const matching =
  (pattern: RegExp, message: string): Parser<string> =>
  (text) => {
    if (!pattern.test(text)) throw new InvalidArgumentError(message);
    return text;
  };

/** A text of 1 to `most` characters. */
export const textUpTo = (most: number): Parser<string> =>
  matching(new RegExp(`^.{1,${most}}$`, "s"), `is 1 to ${most} characters`);

export const asHexId = matching(/^[0-9a-f]{32}$/, "is 32 hex digits in lower case");

type Schema = { safeParse(text: string): { success: boolean; error?: { issues: { message: string }[] } } };

/** A text that a schema of the domain accepts. */
export const judgedBy =
  (schema: Schema): Parser<string> =>
  (text) => {
    const answer = schema.safeParse(text);
    if (!answer.success) throw new InvalidArgumentError(answer.error!.issues[0]!.message);
    return text;
  };

export const oneOf =
  <Word extends string>(words: readonly Word[]): Parser<Word> =>
  (text) => {
    const word = words.find((one) => one === text);
    if (word === undefined) throw new InvalidArgumentError(`is one of ${words.join(", ")}`);
    return word;
  };

export function asCount(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError("is a whole number from 1");
  return Number(text);
}

export function asAddress(text: string): Hex {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new InvalidArgumentError("is 0x and 40 hex digits");
  return text.toLowerCase() as Hex;
}

/** Without a slash at its end. */
export function asUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError("is an address such as http://127.0.0.1:3000");
  return text.replace(/\/+$/, "");
}

export const REASON = [
  "--reason <text>",
  "the permanent public reason: at most 200 characters",
  textUpTo(200),
] as const;
