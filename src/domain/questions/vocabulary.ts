/** The word lists of the reader, each with its sources. */
import { atFirstUse } from "../../core/model/first-use.ts";
import countryWords from "./data/country-words.json" with { type: "json" };
import everyday from "./data/everyday-words.json" with { type: "json" };
import productWords from "./data/product-words.json" with { type: "json" };
import realWords from "./data/real-words.json" with { type: "json" };
import { englishStem, fold, foldedIn, type Word, wordsIn } from "./words.ts";

/** Everyday words: none of them names a product or a country. */
export const everydayEnglish: ReadonlySet<string> = new Set(everyday.en.split(" "));
/** Words of letters and tasks: a reading may leave them out if they name no product. */
export const contextWords: ReadonlySet<string> = new Set(everyday.context_en.split(" "));
export const everydayLatvian: ReadonlySet<string> = new Set(everyday.lv.split(" "));
/** English words that are spelt right, whatever they mean: none is a slip of another. */
export const realEnglish: ReadonlySet<string> = new Set(realWords.words.split(" "));
export const isEveryday = (folded: string) => everydayEnglish.has(folded) || everydayLatvian.has(folded);

/** Further names of countries besides CLDR's: other names, adjectives and peoples, and all of these in Latvian. */
export const namesOfCountries: readonly {
  code: string;
  names: readonly string[];
  en: readonly string[];
  lv: readonly string[];
}[] = countryWords.rows;

/** Names that two countries share. */
export const sharedNames: readonly {
  codes: readonly string[];
  names: readonly string[];
  en: readonly string[];
  lv: readonly string[];
}[] = countryWords.shared;

/** A phrase that names a product, and the codes that it may mean. */
export type Phrase = {
  codes: readonly string[];
  length: number;
  text: string;
  /** The single words that it is listed by, folded as written. */
  spelt: Set<string>;
};

/** Phrases by the stems of their words. */
export type Phrases = ReadonlyMap<string, Phrase>;

export const MOST_PHRASE_WORDS = 5;

function phrasesOf(language: "en" | "lv"): Phrases {
  const found = new Map<string, Phrase>();
  for (const { hs, [language]: texts } of productWords.rows)
    for (const text of texts) {
      const words = wordsIn(text);
      const key = words.map((word) => (language === "en" ? word.english : word.latvian)).join(" ");
      const phrase = found.get(key) ?? { codes: hs, length: words.length, text, spelt: new Set() };
      phrase.spelt.add(fold(text));
      found.set(key, phrase);
    }
  return found;
}

export const englishPhrases = atFirstUse(() => phrasesOf("en"));
export const latvianPhrases = atFirstUse(() => phrasesOf("lv"));

/** Listed pairs of words by their closed spelling: "woodpulp" is "wood pulp". */
export const closedCompounds = atFirstUse((): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, readonly string[]>();
  for (const { en } of productWords.rows)
    for (const text of en) {
      const [first, second, third] = foldedIn(text);
      if (!first || !second || third !== undefined || first.length < 3 || second.length < 3) continue;
      const closed = `${first}${second}`;
      if (!realEnglish.has(closed) && !isEveryday(closed) && !englishPhrases().has(englishStem(closed)))
        found.set(closed, [first, second]);
    }
  return found;
});

const wordsOf = (texts: readonly string[]) => [...new Set(texts.flatMap(foldedIn))];

/** Each word of the product phrases, folded as written. */
export const englishProductWords = atFirstUse(() => wordsOf(productWords.rows.flatMap(({ en }) => en)));
export const latvianProductWords = atFirstUse(() => wordsOf(productWords.rows.flatMap(({ lv }) => lv)));

/** Words of everyday verbs and figures of speech: alone they name a product only where one is expected. */
const weakWords = new Set(
  "book books dates watch watches train trains bus plant plants lead ship ships match matches scale scales art arms iron irons water drink drinks dress dresses suit suits nail nails glass glasses file files tin fashion energy power machine machines tools fan fans metal mask masks record lights light seat seats vessel vessels instrument instruments cloth trees tree pet pets down lime safe safes nets net current currants maki bites speakers servers screens keys key cells mixers vests tees scooter caps cap coach coaches boards mines bulls mead perry gin rum chips chip seeds stock cups containers container fuel horse fur hat plane pen pens sand bottle bottles barrel barrels sprouts perch bangers atlas photo photos clock clocks alarm alarms foil shell shells rocket rockets uniform uniforms string strings felt ring rings brake brakes catalyst catalysts clutch cushion cushions seal seals flag flags monitor monitors label labels chain chains tie ties clogs fuse bass mint mints sage bench pie lens timer timers lure lures anchor anchors spring springs belt belts skate".split(
    " ",
  ),
);

export const isWeakWord = (folded: string): boolean => weakWords.has(folded);

/** Figures of speech whose nouns are no products. */
export const figuresOfSpeech =
  /\b((close|closes|closed|closing|turn off|turns off|turned off|shut|shuts) (its|the|their|off the) taps?|strong(est)? suits?|bread and butter|(puts? )?bread on (\S+ ){0,3}tables?|daily bread|breadwinners?|cup of tea|pieces? of cake|cash cows?|bring home the bacon|brings home the bacon|spill the beans|full of beans|silver lining|golden (age|goose|era)|iron (out|fist|curtain)|salt of the earth|paper tigers?|fish out of water|butter (up|fingers)|oil the wheels|in a pickle|apple of|best thing since sliced bread|sour grapes|second fiddle|milk it|milking|cherry pick\w*|low hanging fruit|hot potato(es)?|carrots? and sticks?|bear fruit|bears fruit|under the weather|in the red|big fish|small fish|the real deal|nuts about|gravy train|pie in the sky|gold rush|gold standard|dark horse|elephant in the room|cold turkey|red herring|wild goose|black sheep|bull market|bear market|supply chains?|value chains?|balance sheets?|(trade|trading|economic|commercial|business|close|closer|strong) ties|trade remed(y|ies)|(make|makes|made|making) up (most|the|a|an|half|more|much|all|part|its|their|for)|mirror (data|statistics|stats|figures|flows|trade|report(s|ing)?)|(exports|imports|sales|shipments|prices) (sink|rocket|tank|bolt|spring|mushroom|balloon|slide|shed|crater))\b/g;

const attributes = new Set(
  `organic fresh frozen raw whole pure natural premium luxury artisan bulk quality liquid dried edible smart wild young ripe
  white black red green blue yellow brown grey pink small big large heavy light used cheap expensive good best top fine vintage antique
  digital diesel petrol hybrid sports family electric industrial household commercial military medical modern
  ladies mens womens childrens baby kids adult designer brand branded standard special baltic nordic alpine atlantic mediterranean european
  african asian arctic tropical regional local soft hard dry wet hot cold sweet sour salty spicy crude fossil solid
  birch oak pine spruce beech teak maple larch aspen poplar
  ev steel iron metal plastic wooden leather rubber cotton wool silk linen gold silver copper ceramic glass stone paper`.split(
    /\s+/,
  ),
);

/** Words that leave a product what it is: colours, states, sizes, materials, and adjectives by their ending. */
export const isAttribute = ({ folded }: Pick<Word, "folded">): boolean =>
  attributes.has(folded) ||
  /(ic|tional|ical|rial|ural|inal|ous|able|ible|ish|ive|ful|less|ary|[^e]ed|ing|ly|est|ean|ian|ese)$/.test(
    folded,
  );

/** Everyday nouns that make another thing of the noun behind them: "window frames", "horse boxes". */
const things = new Set(
  "window table horse garden kitchen house hotel school road office hospital picture eye foot hand hair door wall floor roof street travel bus".split(
    " ",
  ),
);
export const isThingWord = (folded: string): boolean => things.has(folded);
