/** Patterns of the kinds of events, over the tagged words of a sentence: a verb and the thing of trade that it is done to. */
import { fold } from "../questions/words.ts";
import type { TaggedSentence } from "./tagged.ts";

export const eventKinds = [
  "tariff",
  "quota",
  "sanction",
  "export_ban",
  "strike",
  "disaster",
  "closure",
  "price",
] as const;
export type EventKind = (typeof eventKinds)[number];

/** Up to `most` words of the same clause; a comma parts no clause. */
const gap = (most: number) => `(?: (?!;)\\S+){0,${most}}?`;
const oneOf = (...words: string[]) =>
  `(?:${words
    .join("|")
    .trim()
    .split(/\s*\|\s*/)
    .join("|")})`;
const phrase = (source: string) => new RegExp(`(?<= )${source}(?= )`, "g");
/** Both orders: "closes the mill", "the mill is closed". */
const near = (a: string, b: string, most: number) => [
  phrase(`${a}${gap(most)} ${b}`),
  phrase(`${b}${gap(most)} ${a}`),
];

const change = oneOf(
  "rais(?:e|es|ed|ing) | hik(?:e|es|ed|ing) | increas\\w+ | lift\\w* | doubl\\w+ | trebl\\w+ | tripl\\w+ | halv\\w+ | cuts? | cutting",
  "lower\\w* | reduc\\w+ | slash\\w* | scrap\\w* | abolish\\w* | drop\\w* | remov\\w+ | waiv\\w+ | suspend\\w* | impos\\w+",
  "introduc\\w+ | slap\\w* | sets? | setting | appl(?:y|ies|ied) | approv\\w+ | announc\\w+ | extend\\w* | keeps? | kept | maintain\\w*",
  "exempt\\w* | charg\\w+ | fac(?:e|es|ed|ing) | puts? | putting | plac(?:e|es|ed|ing) | threaten\\w* | agree\\w* | add(?:s|ed)? | reinstat\\w+",
  "restor\\w+ | adopt\\w* | enact\\w* | propos\\w+ | expand\\w* | postpon\\w+ | delay\\w* | renew\\w* | levied | hits? | collect\\w* | clear\\w*",
  "takes? effect | took effect | comes? into force | came into force | enter(?:s|ed)? into force | end(?:s|ed)? | revok\\w+ | higher | new | lower | plan\\w*",
  "piemero\\w* | paaugstin\\w* | pacel\\w* | palielin\\w* | nosa[ck]\\w* | notei[ck]\\w* | ievie[sst]\\w* | atcel\\w* | samazin\\w* | pagarin\\w* | saglab\\w* | apliek\\w* | draud\\w*",
);
const tariff = oneOf("tariffs? | dut(?:y|ies) | lev(?:y|ies) | tarif\\w+ | muit\\w+");
const tradeTariff = oneOf(
  "anti dumping | antidumping | countervailing | surtax(?:es)? | ievedmuit\\w* | muit(?:a|as|u|am|ai) | muitas \\w+",
  "(?:customs|import|export|punitive|retaliatory|reciprocal|protective|safeguard|border) (?:dut(?:y|ies)|tax(?:es)?|tariffs?|lev(?:y|ies)|surcharges?)",
  "(?:dut(?:y|ies)|tax(?:es)?|tariffs?|lev(?:y|ies)|surcharges?) on (?:\\S+ ){0,3}(?:imports?|exports?|imported)",
);
/** Tariffs of networks and tickets are no matter of trade. */
const consumerTariff = phrase(
  "(?:mobile|roaming|phone|data|electricity|power|gas|heating|water|bus|train|parking|network|grid|postal|taxi|hotel|transport) tariffs?|tariff (?:zones?|plans?)",
);
const percent = "\\d+ (?:\\d+ )?(?:percent|per cent|procent\\w*)";

const ban = oneOf(
  "bans? | banned | banning | prohibit\\w* | forbid\\w* | forbade | outlaw\\w* | embargo\\w* | moratorium | prohibition | aizlie[dg]\\w*",
  "(?:no longer|not) (?:be )?(?:allow|permit)\\w*",
);
const stop = oneOf(
  "suspend\\w* | halt\\w* | stop(?:s|ped|ping)?(?! \\w+ing) | block(?:s|ed)? | freez(?:e|es|ing) | froze | frozen | restrict\\w* | curb\\w*",
  "bars? | barred | aptur\\w* | bloke\\w* | partrau[ck]\\w* | ierobezo\\w* | controls?",
);
const trade = oneOf(
  "exports? | exporting | exported | imports? | importing | imported | shipments? | sales abroad | eksport\\w* | import[aeu]\\w* | izve[sd]\\w*",
);

const site = oneOf(
  "plants? | factor(?:y|ies) | mills? | smelters? | refiner(?:y|ies) | mines? | collier(?:y|ies) | ports? | harbou?rs? | canal | borders? | frontiers?",
  "crossings? | checkpoints? | straits? | pipelines? | furnaces? | terminals? | airports? | airspace | reactors? | steelworks | works | sawmills?",
  "brewer(?:y|ies) | canner(?:y|ies) | dair(?:y|ies) | slaughterhouses? | abattoirs? | shipyards? | foundr(?:y|ies) | kilns? | railways? | rail lines?",
  "bridges? | waterways? | motorways? | highways? | roads? | quarr(?:y|ies) | warehouses? | power stations? | platforms? | oilfields? | gasfields? | wells?",
  "rupnic\\w* | fabrik\\w* | osta(?:s|i)? | ostu | robez\\w* | raktuv\\w* | kombinat\\w* | cep[lm]\\w* | razotn\\w* | kanal\\w* | tilt\\w* | lidost\\w* | spekstacij\\w* | kautuv\\w*",
);
const activity = oneOf(
  "production | operations | output | work | traffic | transit | navigation | smelting | refining | mining | razosan\\w* | darb[isu]\\w* | satiksm\\w*",
);
const close = oneOf(
  "close(?! (?:to|by|ties|friends?|all(?:y|ies))) | closes | closed | closing | closures? | shut | shuts | shutting | shutdowns? | shutter\\w* | mothball\\w*",
  "idle | idled | idling | seal(?:s|ed|ing)? | blockad\\w+ | block(?:s|ed|ing)? | decommission\\w* | switch(?:es|ed)? off",
  "sledz\\w* | slegt\\w* | sleg[sj]\\w* | aizsle[dg]\\w* | aizver\\w* | bloke\\w* | aptur\\w*",
);
const cease = oneOf(
  "halt\\w* | ceas\\w+ | suspend\\w* | stop(?:s|ped|ping)? | end(?:s|ed|ing)? | curtail\\w* | partrau[ck]\\w* | aptur\\w*",
);
/** Things that are closed without any place being closed. */
const closedOther =
  /clos(?:e|es|ed|ing) (?:the |a |an |its |their |that |this )?(?:\S+ )?(?:deals?|gaps?|sessions?|cases?|round|season|year|acquisitions?|purchases?|sale|files?|meeting|door|eyes|chapter)|block\w*(?: \S+)* (?:exports?|imports?|shipments?) /;

const price = oneOf("prices? | futures | quotations?");
const priceOf = oneOf(
  `_p(?: (?:s|spot|export|import|wholesale|retail|selling|farm|gate|world|producer|consumer|benchmark|average|domestic|market|global|official|auction|powder|crude|_c)){0,3} ${price}`,
  `${price} (?:\\S+ )?(?:of|for) (?:\\S+ ){0,3}_p`,
);
const move = oneOf(
  "ris(?:e|es|en|ing) | rose | fall(?:s|en|ing)? | fell | jump\\w* | surg\\w+ | soar\\w* | drop(?:s|ped|ping)? | plung\\w+ | slump\\w* | tumbl\\w+",
  "rall(?:y|ies|ied) | leap\\w* | climb\\w* | slid(?:e|es)? | sank | sink\\w* | spik\\w+ | crash\\w* | doubl\\w+ | trebl\\w+ | tripl\\w+ | halv\\w+",
  "increas\\w+ | decreas\\w+ | declin\\w+ | gain(?:s|ed)? | eas(?:e|es|ed) | retreat\\w* | rebound\\w* | skyrocket\\w* | collaps\\w+ | firmed | weaken\\w*",
);
const priceMove = oneOf(
  move,
  "rais\\w+ | lower\\w* | cuts? | hik\\w+ | slash\\w* | caps? | capped | hits? | reach\\w* | peak\\w* | record | up \\d+ | down \\d+ | higher | highest | lowest",
);
const amount = oneOf(
  "dollars? | euros? | cents? | pounds? | crowns? | yuan | roubles? | percent | per cent | record | highest | lowest | high | low | tonne | barrel",
);
const helper =
  "(?: (?:has|have|is|are|was|were|had|got|gets|again|also|sharply|briefly|futures|contracts|prices?)){0,3}";
/** "Rice from Thailand", "gas for October delivery", "wheat, crucial for baking,". */
const origin = "(?: (?:from|in|of) (?:the )?_c(?: s)?)?(?: for \\S+ delivery)?(?: ,(?: [^, ]+){1,5}? ,)?";
/** "Exports of coffee fell" tells of no price. */
const subject = `(?<!(?:of|in|for) )_p${origin}`;
const movePrice =
  "(?:pieaug|kap|krit|kritu|saruk|sadardz|samazin|paaugst|palielin|lec|augus|auga|aug|letak|dargak|rekord)\\w*";

const patterns: Readonly<Record<EventKind, readonly RegExp[]>> = {
  tariff: [...near(tradeTariff, change, 14), ...near(tradeTariff, percent, 14), ...near(tariff, change, 14)],
  quota: [phrase("(?:quotas?|kvot(?:a|as|u|am))")],
  sanction: [phrase("(?:sanctions?|sanctioned|embargo(?:e[sd])?|blacklisted|sankcij(?:a|as|u|am))")],
  export_ban: [
    ...near(ban, trade, 7),
    ...near(stop, trade, 5),
    phrase(`put (?:a stop|an end) to${gap(3)} ${trade}`),
    phrase(`(?:bans?|banned|prohibits?|prohibited)(?: on)?(?: all| the)? _c${gap(2)} _p`),
  ],
  strike: [
    phrase(
      "(?:strikes?(?! of lightning| price)|striking|walkouts?|industrial action|work stoppages?|streik(?:s|o|i|u|oja|otaji))",
    ),
  ],
  disaster: [
    phrase(
      "(?:earthquakes?|floods?|flooding|hurricanes?|typhoons?|droughts?|wildfires?|plud(?:i|iem|os)|zemestric(?:e|es))",
    ),
  ],
  closure: [...near(close, site, 9), ...near(cease, activity, 4), ...near(cease, site, 4)],
  price: [
    ...near(priceOf, priceMove, 12),
    phrase(`(?:rise|fall|jump|surge|drop|increase|decline|slump) in (?:\\S+ )?${priceOf}`),
    phrase(`${subject}${helper} ${move}${gap(6)} ${amount}`),
    phrase(`${subject}${helper} trad(?:es|ed|ing) (?:at|above|below|near)${gap(5)} ${amount}`),
    phrase(
      `${subject}${gap(8)} (?:cheaper|dearer|(?:more|less) expensive|as (?:dear|expensive|cheap)|cheapest|dearest)`,
    ),
    phrase(`${subject} (?:now )?costs?${gap(3)} (?:times|more|less|${amount})`),
    phrase(`_p${gap(2)} cen(?:a|as|u|am)${gap(8)} ${movePrice}`),
    phrase(`cen(?:a|as|u|am)${gap(3)} _p${gap(6)} ${movePrice}`),
    phrase(`${movePrice}${gap(5)} _p cen(?:a|as|u|am)`),
  ],
};

/** Each pattern has one of these: most sentences have none, and are not looked at more closely. */
const verbs = new RegExp(
  `(?<![a-z0-9])${oneOf(tariff, tradeTariff, ban, stop, close, cease, price, move, "put (?:a stop|an end) | trad(?:es|ed|ing) | costs?", "cheap\\w* | dear\\w* | expensive | cen(?:a|as|u|am) | quotas? | kvot\\w* | sanction\\w* | embargo\\w* | blacklisted | sankcij\\w*", "strik\\w+ | walkouts? | industrial action | work stoppages? | streik\\w* | earthquakes? | flood\\w* | hurricanes? | typhoons? | droughts?", "wildfires? | plud\\w+ | zemestric\\w+")}(?![a-z0-9])`,
);
export const mayTellOfAnEvent = (sentence: string): boolean => verbs.test(fold(sentence));

/** Words before a match, or in it, that take it back. */
const denial =
  /(?<= )(?:no|not|never|nobody|didn|doesn|isn|wasn|weren|hasn|hadn|won|wouldn|aren|den(?:y|ies|ied)|reject\w*|dismiss\w*|ruled out|rules out|unchanged|feared|unlikely|nav|noliedz\w*|neplano\w*)(?= )/;
const takenBack = / but (?:(?:it|they|he|she) (?:did|has|have|had|does|do|will|would) not|(?:it|they) didn) /;
/** "Will no longer allow" denies nothing. */
const doubleNegation = /\b(?:no longer|not) (?:be )?(?:allow|permit)\w*/g;
const NEAR_BEFORE = 5;

function isDenied(text: string, from: number, match: string): boolean {
  const clause = text.slice(0, from).split(";").at(-1)!;
  const before = clause.trim().split(" ").slice(-NEAR_BEFORE).join(" ");
  const inside = match.replaceAll(doubleNegation, "");
  return denial.test(` ${before} `) || denial.test(` ${inside} `) || takenBack.test(text.slice(from));
}

function isSaid(text: string, pattern: RegExp): boolean {
  for (const { 0: match, index } of text.matchAll(pattern))
    if (!closedOther.test(match) && !isDenied(text, index, match)) return true;
  return false;
}

const has = (text: string, pattern: RegExp) => text.search(pattern) >= 0;

/** The kinds of events that a sentence tells of. */
export function kindsOf(sentence: TaggedSentence): EventKind[] {
  const { tagged, plain } = sentence;
  const said = new Set(
    eventKinds.filter((kind) =>
      patterns[kind].some(
        (pattern) => isSaid(tagged, pattern) || (isOfWords.has(kind) && isSaid(plain, pattern)),
      ),
    ),
  );
  if (!isTariffOfTrade(sentence)) said.delete("tariff");
  // A strike or a flood that stops exports is not a ban.
  if ((said.has("strike") || said.has("disaster")) && !has(plain, bans)) said.delete("export_ban");
  return eventKinds.filter((kind) => said.has(kind));
}

/** "Furnaces" and "pipelines" are products too: these kinds look at the words themselves. */
const isOfWords: ReadonlySet<EventKind> = new Set(["closure", "export_ban"]);
const bans = phrase(ban);
const tradeTariffs = phrase(tradeTariff);
const trades = phrase(trade);

/** A duty concerns trade if its name says so, or if a product or two countries are named with it. */
function isTariffOfTrade({ tagged, plain, countries }: TaggedSentence): boolean {
  if (has(plain, tradeTariffs)) return true;
  if (has(plain, consumerTariff)) return false;
  return tagged.includes(" _p ") || countries.length > 1 || has(plain, trades) || plain.includes(" goods ");
}
