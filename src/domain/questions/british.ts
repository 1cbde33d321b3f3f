/** The nomenclatures are written in British English. */

/** American words by their British ones, both without endings. */
const WORDS: ReadonlyMap<string, string> = new Map(
  `aluminum aluminium|tire tyre|gray grey|plow plough|mold mould|molding moulding|pajama pyjama|ax axe|donut doughnut|
   yogurt yoghurt|chili chilli|licorice liquorice|jewelry jewellery|caliber calibre|center centre|liter litre|fiber fibre|theater theatre|
   luster lustre|saber sabre|specter spectre|sulfur sulphur|catalog catalogue|analog analogue|curb kerb|
   carburetor carburettor|armor armour|color colour|flavor flavour|harbor harbour|odor odour|vapor vapour|tumor tumour|parlor parlour|
   defense defence|cozy cosy|woolen woollen|colored coloured|flavored flavoured|
   enameled enamelled|labeled labelled|paneled panelled|leveled levelled|hemoglobin haemoglobin|anesthetic anaesthetic|estrogen oestrogen|
   cesium caesium|orthopedic orthopaedic|pediatric paediatric|gynecological gynaecological|esthetic aesthetic|airplane aeroplane|
   cigaret cigarette|maneuver manoeuvre|
   eggplant aubergine|zucchini courgette|diaper napkin|gasoline petrol|faucet tap|flashlight torch|stroller pushchair|
   soybean soya|soy soya|peanut groundnut|garbanzo chickpea|cilantro coriander|arugula rocket`
    .split("|")
    .map((pair) => pair.trim().split(" ") as [string, string]),
);

/** Fertilizer, pasteurized and sulfuric are recognised by their letters. */
const LETTERS: readonly (readonly [RegExp, string])[] = [
  [/^sulf(?!ur$)/, "sulph"],
  [
    /^(fertil|steril|pasteur|polymer|vulcan|carbon|galvan|crystall|atom|pressur|hydrogen|deodor|moistur|desensit|odor)iz/,
    "$1is",
  ],
];

/** The British spelling of an English word in lower case; another word as it is. */
export function british(folded: string): string {
  const [, stem = folded, ending = ""] = /^(.{2,}?)(s|es)?$/.exec(folded) ?? [];
  const whole = WORDS.get(folded);
  if (whole !== undefined) return whole;
  const word = WORDS.get(stem) ?? WORDS.get(folded.replace(/s$/, ""));
  if (word !== undefined)
    return /[^aeiou]ies$/.test(folded) ? folded : `${word}${word === "soya" ? "" : ending.slice(-1)}`;
  return LETTERS.reduce((text, [from, to]) => text.replace(from, to), folded);
}
