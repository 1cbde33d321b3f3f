/** Words that say who sells and who buys, by kind. */
import type { Word } from "./words.ts";

/**
 * `sell`: exports, sells; `buy`: imports, buys, needs. `seller`: those who sell to the one that is named beside them, as in "Latvia's
 * suppliers"; `exporter` and `importer`: those who belong to it; `buyer`: those who buy from it.
 * `served`: those who are "kept supplied" buy.
 */
export type TradeWord = "served" | "sell" | "buy" | "seller" | "buyer" | "exporter" | "importer";

const patterns: readonly [TradeWord, RegExp][] = [
  ["served", /^(supplied|fed|stocked|fuelled|fueled|powered|equipped)$/],
  ["exporter", /^(exporters?|producers?|manufacturers?|makers?|growers?|eksportetaj\w*|razotaj\w*)$/],
  ["importer", /^(importers?|importetaj\w*)$/],
  [
    "seller",
    /^(sellers?|suppliers?|vendors?|sources?|supplies|origins?|providers?|pardevej\w*|piegadataj\w*|avot\w*|piegades)$/,
  ],
  [
    "buyer",
    /^(buyers?|customers?|clients?|purchasers?|takers?|destinations?|outlets?|clientele|pircej\w*|klient\w*|galamerk\w*)$/,
  ],
  [
    "sell",
    /^(exports?|exp|exported|exporting|sells?|sold|selling|sales?|ships?|shipped|shipping|shipments?|sends?|sent|sending|suppl(y|ied|ying)|deliver(s|ed|ies|y)?|leav(e|es|ing)|eksport(s|a|u|am|e|eja|et|ets|etas|ejusi|i|os)?|izved\w*|pardo\w*|pardev(a|usi)|piegada|piegadaja|piegadat)$/,
  ],
  [
    "buy",
    /^(imports?|imp|imported|importing|buys?|bought|buying|purchas(e|es|ed|ing)|gets?|sourc(e|ed|es|ing)|obtains?|procur\w*|orders?|ordered|needs?|demands?|depend\w*|dependant|rel(y|ies|ied|ying)|relian\w+|hooked|lean(s|ed|ing)?|vulnerable|consum(e|es|ed|ption)|miss|spend|spent|spends|appetite|thirst|thirsty|hunger|hungry|craving|receiv(e|es|ed)|fetch(es|ed|ing)?|acquir(e|es|ed|ing)|nem|nemt|nema|nemusi|importa|importu|importam|importe\w*|importi|importos|ieved\w*|perk|pirk\w*|iepirk\w*|ieperk|iegad\w*|sanem\w*|atkarig\w*|atkarib\w*|pater\w*)$/,
  ],
];

const kinds = new Map<string, TradeWord | undefined>();
const MOST_KINDS = 10_000;

export function tradeWord({ folded }: Pick<Word, "folded">): TradeWord | undefined {
  if (kinds.has(folded)) return kinds.get(folded);
  const kind = patterns.find(([, pattern]) => pattern.test(folded))?.[0];
  if (kinds.size < MOST_KINDS) kinds.set(folded, kind);
  return kind;
}

/** Words that say that trade is spoken of at all. */
export const isAboutTrade = (word: Pick<Word, "folded">) =>
  tradeWord(word) !== undefined ||
  /^(trad(e|es|ed|ing)|commerce|customs|goods|merchandise|business|market|markets|tariffs?|corridor|tirg\w*|tirdzniec\w*|preces?|precu|koridor\w*)$/.test(
    word.folded,
  );
