/** Several countries where an answer is about one, or about one and its partner. */
import { partnerName } from "../trade/reporters.ts";
import type { Placed } from "./roles.ts";
import type { Reading } from "./searched.ts";
import { tradeWord } from "./trade-words.ts";
import type { Word } from "./words.ts";

export type SeveralCountries = { slot: "country"; text: string; readings: Reading[]; are_all_named: true };

/** Three countries, two that sell or buy together, or two sellers of one product. */
export function severalCountries(words: readonly Word[], countries: readonly Placed[]): SeveralCountries[] {
  const isTooMany = countries.length > 2;
  if (!isTooMany && !isTogether(words, countries) && !areTwoOrigins(words, countries)) return [];
  const readings = countries.map(({ code }) => ({ code, name: partnerName(code), score: 1 }));
  const text = countries.map(({ from, to }) => textOf(words.slice(from, to))).join(", ");
  return [{ slot: "country", text, readings, are_all_named: true }];
}

const textOf = (words: readonly Word[]) => words.map((word) => word.text).join(" ");

const flowWords = new Set<ReturnType<typeof tradeWord>>(["sell", "buy", "exporter", "importer"]);

/** "Exports of France and Germany"; "trade between" them and "sold to each other" is one corridor. */
function isTogether(words: readonly Word[], [first, second, ...others]: readonly Placed[]): boolean {
  if (!first || !second || others.length > 0) return false;
  const between = words.slice(first.to, second.from).map(({ folded }) => folded);
  const isJoined =
    (/^(and|or|un|vai|vs|versus)$/.test(between[0] ?? "") && between.length < 3) ||
    /(^| )(than|neka|compared? (to|with)|unlike|ahead of|like|as much as) (the )?$/.test(
      `${between.join(" ")} `,
    );
  const isMutual = words.some(({ folded }) =>
    /^(between|starp|each|mutual|bilateral|savstarp\w*)$/.test(folded),
  );
  return isJoined && !isMutual && words.some((word) => flowWords.has(tradeWord(word)));
}

/** "German cars from Poland": one says whose they are, the other whence they come. */
const areTwoOrigins = (words: readonly Word[], countries: readonly Placed[]): boolean =>
  countries.length === 2 &&
  countries.some(({ is_adjective, form }) => is_adjective && form === "describing") &&
  countries.some(
    ({ from, said_role }) => said_role === "seller" && /^(from|no)$/.test(words[from - 1]?.folded ?? ""),
  ) &&
  countries.every(({ said_role }) => said_role === "seller");
