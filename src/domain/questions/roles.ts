/** Who sells and who buys: the role of each country in a question, read from the words around it. */
import type { Mention } from "./countries.ts";
import type { Range } from "./numbers.ts";
import { type TradeWord, tradeWord } from "./trade-words.ts";
import type { Word } from "./words.ts";

export type Role = "seller" | "buyer";
export type Placed = Mention & {
  role: Role | undefined;
  /** The role by the words beside it, before another country's role decides it. */
  said_role: Role | undefined;
  /** The question speaks of this country's own sales or purchases. */
  is_subject: boolean;
};

export type Text = { words: readonly Word[]; mentions: readonly Mention[]; products: readonly Range[] };

const ARRIVES = /^(lands?|landed|landing|arriv\w+|up|finish\w*|vanish\w*|disappear\w*)$/;
const TO = /^(to|into|towards?|onto|uz)$/;
const FROM = /^(from|without|outside|if|no|bez|ja)$/;
/** Verbs that say less about direction than "exports" and "imports" do. */
const WEAK = /^(gets?|needs?|miss|spen(d|ds|t)|orders?|ordered|leav(e|es|ing)|sends?|sent|demands?)$/;
/** Between a country and its verb these change nothing. */
const MOST_BETWEEN = 7;

/** Each country with its role; of two, where one is read, the other has the other one. */
export function placed(text: Text): Placed[] {
  const all = text.mentions.map((mention): Placed => {
    const found = roleOf(mention, text);
    return { ...mention, ...found, said_role: found.role };
  });
  const [first, second] = all;
  if (all.length === 2) {
    const withdrawn = all.find((one) => isWithdrawn(one, text));
    if (withdrawn)
      return all.map((one) => {
        const role = one === withdrawn ? "seller" : "buyer";
        return { ...one, role, said_role: role, is_subject: one !== withdrawn };
      });
  }
  if (all.length === 1 && first && !first.is_member) {
    const role = roleBesideUnion(text, first);
    if (role) return [{ ...first, role, said_role: role, is_subject: false }];
  }
  if (all.length === 1 && first) {
    const said = roleOfPronoun(text) ?? roleOfObject(text.words, first);
    if (said !== undefined) Object.assign(first, { role: said, said_role: said, is_subject: true });
    else first.role ??= roleByUse(text);
  }
  if (all.length !== 2 || !first || !second) return all;
  if (isOfPair(first, second, text) && second.role !== undefined && first.role === undefined)
    return [
      { ...first, role: second.role, said_role: second.said_role, is_subject: true },
      { ...second, role: other(second.role), is_subject: false },
    ];
  if (first.role === undefined && second.role !== undefined) first.role = other(second.role);
  else if (second.role === undefined && first.role !== undefined) second.role = other(first.role);
  else if (first.role !== undefined && first.role === second.role) {
    const weaker = isObjectOf(second, text) && !isLocative(second, text) ? second : weakerOf(first, second);
    if (weaker) Object.assign(weaker, { role: other(weaker.role!), is_subject: false });
  }
  return all;
}

/** "If Canada sold no more", "replace Ukraine as the supplier", "if the ships stopped coming from Italy": who sells may fall away. */
function isWithdrawn({ from, to, form }: Mention, { words, mentions }: Text): boolean {
  const before = words.slice(Math.max(0, from - 4), from).map(({ folded }) => folded);
  if (
    /(^| )(replace|substitute|instead of|(step|stand|fill) in for|if not|other than|besides|apart from)( the)?$/.test(
      before.join(" "),
    )
  )
    return true;
  const isBuying = words
    .slice(to, to + 4)
    .some((word) => tradeWord(word) === "buy" || /^(tak(e|es|ing)|eating|drinking)$/.test(word.folded));
  if (isBuying) return false;
  const isCondition = words.some(
    ({ folded }, at) => at < from && /^(if|should|suppose|imagine|once|were|ja)$/.test(folded),
  );
  const end = Math.min(...mentions.map((one) => one.from).filter((at) => at >= to), to + 4);
  const stops =
    /^(stop(s|ped)?|halt(s|ed)?|ban(s|ned)?|clos(e|es|ed)|cease[sd]?|quit|refuse[sd]?|withheld|went|goes|dry|dries|dried|fail(s|ed)?|vanish\w*|collaps\w*|los(t|es)|shut(s)?|cut(s)?|ran|runs|fell|falls)$/;
  const verb = words.slice(to, end).some(({ folded }) => stops.test(folded));
  if (isCondition && form !== "dative" && (verb || isNoMore(words, to))) return true;
  if (!isCondition || before.at(-1) !== "from") return false;
  return before.some((folded) => stops.test(folded)) || verb;
}

/** "Sold them no more durum wheat." */
const isNoMore = (words: readonly Word[], from: number): boolean => {
  const near = words.slice(from, from + 6);
  const isSold = near.some((word) => tradeWord(word) === "sell");
  return (
    isSold && /(^| )(no (more|longer)|not|nothing)( |$)/.test(near.map(({ folded }) => folded).join(" "))
  );
};

/** "How important is China for EU imports?": the union buys or sells, and the country beyond it does the other. */
function roleBesideUnion({ words }: Text, { from }: Mention): Role | undefined {
  const at = words.findIndex(({ folded }) => /^(eu|europe|european|union|bloc|27|europeans)$/.test(folded));
  if (at < 0) return undefined;
  const near = words.slice(at + 1, at + 3).filter((_, n) => at + 1 + n !== from);
  const kind = near.map(tradeWord).find((one) => one !== undefined);
  if (kind === "buy") return "seller";
  return kind === "sell" ? "buyer" : undefined;
}

/** "HR fish exp IT": a country right behind the word of trade of another one. */
const isObjectOf = ({ from, is_adjective }: Placed, { words, mentions }: Text): boolean =>
  !is_adjective &&
  mentions.some((one) => one.from < from) &&
  /^(exports?|exp|imports?|imp)$/.test(words[from - 1]?.folded ?? "");

/** "Czech toys: which countries order them?" */
const roleOfObject = (words: readonly Word[], { is_adjective }: Mention): Role | undefined => {
  const at = words.findIndex(
    ({ folded }, n) => /^(them|it)$/.test(folded) && tradeWord(words[n - 1]!) !== undefined,
  );
  const isAsked = /^(who|countries|nations|markets)$/.test(words[at - 2]?.folded ?? "");
  if (at < 2 || !isAsked || !is_adjective) return undefined;
  const kind = tradeWord(words[at - 1]!);
  return kind === "buy" ? "seller" : kind === "sell" && at === words.length - 1 ? "buyer" : undefined;
};

/** "Swedes love skiing, but whose skis do they buy?" */
function roleOfPronoun({ words }: Text): Role | undefined {
  const at = words.findIndex(
    ({ folded }, n) =>
      /^(they|it)$/.test(folded) &&
      /^(do|does|did)$/.test(words[n - 1]?.folded ?? "") &&
      words.slice(0, n).some((one) => /^(who|whose|whom|where|which|what)$/.test(one.folded)),
  );
  const kind =
    at < 0
      ? undefined
      : words
          .slice(at + 1, at + 3)
          .map(tradeWord)
          .find((one) => one !== undefined);
  return kind === "buy" ? "buyer" : kind === "sell" ? "seller" : undefined;
}

const USES = /^(tak(e|es|ing)|(drink|eat|wear|smok|driv|burn|enjoy|cook|read|dzer|ed|valka)\w{0,4})$/;

/** "Who is drinking it?" asks for buyers, and "who fills them up?" for sellers. */
function roleByUse({ words, products }: Text): Role | undefined {
  const isWho = words.some(({ folded }) => /^(who|whom|whose|which|kas)$/.test(folded));
  if (!isWho || products.length === 0) return undefined;
  const does = (verbs: RegExp) => words.some(({ folded }) => verbs.test(folded));
  const isUsed = does(USES);
  const isServed = does(/^(fill|feed|dress|keep|stock|heat|power|fuel|furnish|equip)\w{0,3}$/);
  if (isUsed === isServed) return undefined;
  return isUsed ? "seller" : "buyer";
}

/** Of two with one role, the one that was read wrongly: no subject, or the origin of a product, as in "German cars imported in Latvia". */
function weakerOf(first: Placed, second: Placed): Placed | undefined {
  if (first.is_subject !== second.is_subject) return first.is_subject ? second : first;
  const [a, b] = [first.form === "describing", second.form === "describing"];
  if (a !== b) return a ? first : second;
  return undefined;
}

/** "Imports of ship bells" ship nothing. */
const isNoun = (at: number, { words, products }: Pick<Text, "words" | "products">): boolean =>
  products.some(({ from, to }) => at >= from && at < to) ||
  (/^(ship|supply|delivery|order)$/.test(words[at]!.folded) &&
    /^(of|the|a|an|for)$/.test(words[at - 1]?.folded ?? "") &&
    products.some(({ from }) => from === at + 1));

const other = (role: Role): Role => (role === "seller" ? "buyer" : "seller");

type Reading = { role: Role | undefined; is_subject: boolean };
const none: Reading = { role: undefined, is_subject: false };
const reading = (role: Role, is_subject = false): Reading => ({ role, is_subject });

function roleOf(mention: Mention, text: Text): Reading {
  const before = wordBefore(mention, text);
  const after = scanAfter(mention, text);
  const preposition = before === undefined ? "" : text.words[before]!.folded;
  const own = ownFlow(mention, text);
  if (own) return own;
  if (isPlaceOfUse(mention, text) && !/^(sell|exporter)$/.test(after.word ?? ""))
    return reading("buyer", true);
  if (isTaste(mention, text)) return reading("buyer", true);
  // "Half of our toys are Chinese."
  const isOrigin =
    mention.is_adjective &&
    /^(is|are|was|were|mostly|mainly|all|really|partly)$/.test(preposition) &&
    text.products.some(({ to }) => to <= mention.from) &&
    !after.product;
  if (isOrigin) return reading("seller");
  if (TO.test(preposition) || isBehindArrow(mention, text)) return reading("buyer");
  if (/^(if|ja|outside)$/.test(preposition) && after.word === "buy" && !after.is_weak)
    return reading("buyer", true);
  if (FROM.test(preposition)) return reading("seller");
  if (preposition === "on" && /^markets?$/.test(text.words[mention.to]?.folded ?? ""))
    return reading("buyer", true);
  if (preposition === "by" || preposition === "on") return byVerbBefore(before!, preposition, text);
  if (preposition === "for" && mention.form === "name") return reading("buyer");
  if (preposition === "of" && /^out$/.test(text.words[before! - 1]?.folded ?? ""))
    return reading("seller", true);
  if (isOf(mention, text)) return ofNoun(mention, text);
  // "Who lights his home with Polish candles?"
  if (preposition === "with" && isAskedWho(text) && mention.is_adjective && after.product && !after.word)
    return reading("seller", true);
  if (/^(between|starp|with|ar)$/.test(preposition))
    return after.word === undefined ? none : ofScan(mention, after);
  // "Lands in Germany", "end up in Spain"
  const isArrival = /^(in|at)$/.test(preposition) && ARRIVES.test(text.words[before! - 1]?.folded ?? "");
  if (isArrival) return reading("buyer");
  if (/^(in|at|within|inside)$/.test(preposition) || isLocative(mention, text))
    return inPlace(mention, text, after);
  if (mention.form === "dative") return reading("buyer");
  const fed = asObject(mention, before, text);
  if (fed) return fed;
  if (!scanAfter(mention, text).product && USES.test(text.words[mention.to]?.folded ?? ""))
    return reading("buyer", true);
  if (after.word) return ofScan(mention, after);
  if (mention.form === "describing") return after.product ? reading("seller") : none;
  return behindTradeWord(before, text);
}

/** "Who gets most of Malta's exports?" asks about what Malta sells. */
function ownFlow({ form, to, is_adjective }: Mention, { words }: Text): Reading | undefined {
  if (form !== "describing" || is_adjective) return undefined;
  const next = words[to]?.folded ?? "";
  if (/^exports?$/.test(next)) return reading("seller", true);
  return /^imports?$/.test(next) ? reading("buyer", true) : undefined;
}

/** "Ireland 3004 > USA" */
const isBehindArrow = ({ from }: Mention, { words }: Text) => /[>→]/.test(words[from]!.before);

const PLACES_OF_USE =
  /^(tables?|plates?|counters?|fridges?|menus?|breakfasts?|dinners?|lunches|shelves|shelf|kitchens?|homes?|houses|mugs?|cups|shops?|stores?|supermarkets?|stoves?|garages?|roads?|streets?|pockets?|wallets?|purses?|households?|consumers?|shoppers?|drivers?|families|children|kids|hospitals?|schools?|refiner(y|ies)|wardrobes?|feet|stomachs?|mouths?|pizzas?|bakeries|galdiem|veikalos|virtuves|majas)$/;

const isAskedWho = ({ words }: Text) => /^(who|whos|kas)$/.test(words[0]?.folded ?? "");

/** "Butter on French tables", "Polish pockets": what is there was bought. */
const isPlaceOfUse = ({ form, to }: Mention, { words }: Text) =>
  form === "describing" && PLACES_OF_USE.test(words[to]?.folded ?? "");

/** "The Danish love of wine." */
const isTaste = ({ form, to }: Mention, { words }: Text) =>
  form === "describing" &&
  /^(love|taste|passion|fondness|appetite|thirst|hunger|craving|demand)$/.test(words[to]?.folded ?? "") &&
  /^(of|for)$/.test(words[to + 1]?.folded ?? "");

/** The word before a country, without articles and what describes it. */
function wordBefore({ from }: Mention, { words, mentions }: Text): number | undefined {
  let at = from - 1;
  while (at >= 0 && /^(the|a|an|all|eu|our)$/.test(words[at]!.folded)) at--;
  // "Gas NO DE": Norway is no Latvian "from".
  const isCountry = mentions.some((one) => at >= one.from && at < one.to);
  return at >= 0 && !isCountry ? at : undefined;
}

const isOf = ({ from }: Mention, { words }: Text) => {
  const before = words[from - 1]?.folded;
  return before === "of" || (before === "the" && words[from - 2]?.folded === "of");
};

/** "Exports of Latvia" sells; "suppliers of Latvia" sell to it. */
function ofNoun(mention: Mention, text: Text): Reading {
  const { words, mentions } = text;
  const of = words.findLastIndex((word, at) => at < mention.from && word.folded === "of");
  for (let at = of - 1; at >= Math.max(0, of - 4); at--) {
    if (mentions.some(({ from, to }) => at >= from && at < to)) break;
    const kind = tradeWord(words[at]!);
    if (mention.form === "describing" && (kind === "buyer" || kind === "importer")) return reading("seller");
    // "Imports of Danish pastries" come from there.
    if (mention.is_adjective && kind === "buy" && scanAfter(mention, text).product) return reading("seller");
    if (kind) return byKind(kind, true);
  }
  if (mention.form !== "describing") return none;
  // "The growth of German gas imports."
  const after = scanAfter(mention, text);
  if (after.word) return ofScan(mention, after);
  return after.product ? reading("seller") : none;
}

function byKind(kind: TradeWord, isOwn: boolean): Reading {
  if (kind === "sell" || kind === "exporter") return reading("seller", true);
  if (kind === "buy" || kind === "importer" || kind === "served") return reading("buyer", true);
  if (kind === "seller") return isOwn ? reading("buyer", true) : reading("seller", true);
  return isOwn ? reading("seller", true) : reading("buyer", true);
}

type After = { word?: TradeWord; is_weak: boolean; product: boolean };

/** The verb or noun of trade between a country and the next preposition or country, and whether a product precedes it. */
function scanAfter(mention: Mention, { words, mentions, products }: Text): After {
  let product = false;
  for (let at = mention.to; at < Math.min(words.length, mention.to + MOST_BETWEEN); at++) {
    const { folded, before } = words[at]!;
    if (mentions.some(({ from }) => from === at) || /[.;?!]/.test(before)) break;
    if (/^(to|into|from|in|of|on|with|by|for|and|uz|no|ar|un|par|between|than)$/.test(folded)) break;
    const next = words[at + 1];
    // "Butter, NL, who buys" asks for buyers, as "NL butter buyers" does.
    const asked = /^(who|whos|kas)$/.test(folded) && next ? tradeWord(next) : undefined;
    if ((asked === "buy" || asked === "sell") && at + 2 >= words.length)
      return { word: asked === "buy" ? "buyer" : "seller", is_weak: false, product: true };
    if (/[,:]/.test(before) && /^(who|what|where|which|how|kas|kur|cik)$/.test(folded)) break;
    if (products.some(({ from, to }) => at >= from && at < to)) product = true;
    const isComing = /^(comes?|came|coming)$/.test(folded) && words[at + 1]?.folded === "from";
    const word = isComing ? "buy" : isNoun(at, { words, products }) ? undefined : tradeWord(words[at]!);
    const is_weak = WEAK.test(folded);
    // "Our bakery needs flour; who delivers?" is about the need of those who speak.
    const isOwn =
      /^needs?$/.test(folded) && words.slice(0, at).some((one) => /^(we|our|my|i)$/.test(one.folded));
    if (word) return { word: is_weak && !isOwn ? strongest(word, words) : word, is_weak, product };
  }
  return { is_weak: false, product };
}

/** "The wheat it exports" says more than the "get" before it. */
function strongest(weak: TradeWord, words: readonly Word[]): TradeWord {
  const kinds = new Set(words.filter(({ folded }) => !WEAK.test(folded)).map(tradeWord));
  if (kinds.has("sell") === kinds.has("buy")) return weak;
  return kinds.has("sell") ? "sell" : "buy";
}

/** "Latvia sells", "German car imports", "Finland's customers", "Dutch cheese buyers". */
function ofScan(mention: Mention, { word, product }: After): Reading {
  if (!word) return none;
  if (word === "buyer") {
    // "Belgian buyers" buy; "Belgium's buyers" and "buyers of Belgian beer" buy from it.
    const isPeople = mention.form === "describing" && !product && mention.is_adjective;
    return byKind(word, !isPeople);
  }
  if (word === "seller") return byKind(word, !(mention.is_adjective === true));
  return byKind(word, true);
}

/** "Bought by Latvia", "dependent on Russia". */
function byVerbBefore(at: number, preposition: string, { words }: Text): Reading {
  if (preposition === "on") return reading("seller");
  for (let n = at - 1; n >= Math.max(0, at - 3); n--) {
    const kind = tradeWord(words[n]!);
    if (kind) return kind === "served" ? reading("seller") : byKind(kind, true);
  }
  return none;
}

const isOwnMaking = (words: readonly Word[], at: number) =>
  /^(we|i|mes|es)$/.test(words[at]!.folded) &&
  /^(make|grow|produce|manufacture|build|brew|bake|farm|catch|razoj\w*|audzej\w*)$/.test(
    words[at + 1]?.folded ?? "",
  );

const isLocative = ({ from, to, form }: Mention, { words }: Text) =>
  form === "name" && /(ā|ē|ī)$/.test(words[to - 1]!.text) && from < to;

/** "We roast coffee in Trieste. Who grows our beans?" asks who sells to those who speak. */
const isOurNeed = ({ words, products }: Text) =>
  words.some(({ folded }) => /^(who|where|whose|kas|kur)$/.test(folded)) &&
  words.some(({ folded }) =>
    /^(grows?|makes?|produces?|comes?|come|bakes?|mines?|catch(es)?|farms?|audze|razo)$/.test(folded),
  ) &&
  products.some(({ from }) => /^(our|my|musu|manu)$/.test(words[from - 1]?.folded ?? ""));

/** "Buyers in Germany", "imports in Germany"; who sells there sells to it. */
function inPlace(mention: Mention, text: Text, after: After): Reading {
  const { words, mentions } = text;
  if (isOurNeed(text)) return reading("buyer", true);
  // "Made in Italy", "grown in Spain", "we make pallets in Lithuania"
  const participle = words[mention.from - 2];
  const isMade =
    participle &&
    /(ed|made|grown|built|caught)$/.test(participle.folded) &&
    tradeWord(participle) === undefined;
  if (isMade || words.some((_, at) => isOwnMaking(words, at))) return reading("seller", true);
  if (after.word) return ofScan(mention, after);
  for (let at = mention.from - 1; at >= 0; at--) {
    if (mentions.some(({ from, to }) => at >= from && at < to)) continue;
    const kind = isNoun(at, text) ? undefined : tradeWord(words[at]!);
    if (!kind) continue;
    // "French makers in Japan" sell there.
    const isOthers = mentions.some(({ from, is_adjective }) => is_adjective && from < at && at - from < 4);
    if (kind === "exporter" && isOthers) return reading("buyer");
    if (kind === "exporter") return reading("seller", true);
    const isVerb = /^(sells?|sold|selling)$/.test(words[at]!.folded);
    if (kind === "sell" && !isVerb) return reading("seller", true);
    return reading("buyer", true);
  }
  return none;
}

/** "Who supplies Austria", "who keeps Sweden in paper": the subject of such a verb sells to the country, and does not buy from it. */
function asObject(mention: Mention, before: number | undefined, text: Text): Reading | undefined {
  const { words } = text;
  if (before === undefined || before === 0) return undefined;
  const verb = words[before]!;
  if (/^suppl(y|ies|ied|ying)$|^feeds?$|^serves?$|^piegad\w*$/.test(verb.folded))
    return reading("buyer", true);
  const isAdverb = /^(abroad|already|now|also|still|mostly|usually|currently)$/;
  const who = words.slice(0, before).findLast(({ folded }) => !isAdverb.test(folded))?.folded ?? "";
  const isAsked =
    /^(who|whos|whoever|countries|nations|ll|d|would|will|could|can|might|else|suppliers)$/.test(who);
  if (
    !isAsked ||
    /^(does|do|did|is|are|was|were|has|would|will|s|may|might|can|could|should|must)$/.test(verb.folded)
  )
    return undefined;
  const kind = tradeWord(verb);
  if (kind === "buy") return reading("seller", true);
  // "Who eats Dutch cheese" asks who buys it.
  if (USES.test(verb.folded) && mention.form === "describing") return reading("seller", true);
  if (kind === "sell" && mention.form === "describing") return reading("seller");
  // "Who hangs up Slovenian lamps" asks who buys them, and "who keeps Swedish homes warm" who sells.
  const isUse =
    kind === undefined &&
    mention.is_adjective &&
    scanAfter(mention, text).product &&
    !SERVES.test(verb.folded);
  return isUse ? reading("seller", true) : reading("buyer", true);
}

const SERVES = /^(keep|fill|feed|stock|dress|heat|power|fuel|furnish|equip|serv|make|produc|grow|provid|run)/;

/** Telegraphic: "fertiliser imports Latvia". */
/** "DE-CN 8542 import": the direction of a pair is that of its first country. */
function isOfPair({ to }: Mention, second: Mention, { words }: Text): boolean {
  return second.from === to && /^[-–/]$/.test(words[to]?.before ?? "");
}

function behindTradeWord(before: number | undefined, { words }: Text): Reading {
  const kind = before === undefined ? undefined : tradeWord(words[before]!);
  return kind === "sell" || kind === "buy" || kind === "importer" || kind === "exporter"
    ? byKind(kind, true)
    : none;
}
