/**
 * A name in Latin capitals, however it is written. A script leaves things open: Arabic and Hebrew write few vowels, and
 * Korean syllables are romanised in several ways. A romanised word carries these other readings.
 */
import { transliterate } from "transliteration";
import { hebrewWord, hepburn, katakanaWord } from "./hebrew-and-kana.ts";
import { type Readings, readings, unvowelled } from "./unvowelled.ts";

export type LatinName = {
  text: string;
  /** Other romanisations of a word. */
  spellings: ReadonlyMap<string, readonly string[]>;
  /** Consonants that a word without written vowels may stand for. */
  skeletons: ReadonlyMap<string, readonly string[]>;
  /** The first and last letters that such a word can have; absent = any. */
  shapes: ReadonlyMap<string, RegExp>;
  /** Words of Arabic and Hebrew script that romanisations often leave out. */
  particles: ReadonlySet<string>;
};

const NO_READINGS: ReadonlyMap<string, readonly string[]> = new Map();
const NO_SHAPES: ReadonlyMap<string, RegExp> = new Map();
const NO_PARTICLES: ReadonlySet<string> = new Set();
/** The article is a part of its word in Arabic, and a word of its own or nothing in Latin letters. */
const ARABIC_PARTICLES: ReadonlySet<string> = new Set(["AL"]);

/** Latin look-alikes of Cyrillic and Greek capitals. */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  ["АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ІI ЈJ ЅS", "ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX"]
    .join(" ")
    .split(" ")
    .flatMap(([one, latin]) => [
      [one!, latin!],
      [one!.toLowerCase(), latin!.toLowerCase()],
    ]),
);

/** ELOT 743's pairs of letters; the single ones are the library's. */
const GREEK: readonly (readonly [RegExp, string])[] = [
  [/(?<!\p{L})ΜΠ/gu, "B"],
  [/(?<!\p{L})ΝΤ/gu, "D"],
  [/ΓΓ/g, "NG"],
  [/ΟΥ/g, "OU"],
  [/([ΑΕ])Υ(?=[ΑΕΗΙΟΥΩΒΓΔΖΛΜΝΡ])/g, "$1V"],
  [/([ΑΕ])Υ/g, "$1F"],
  [/Χ/g, "CH"],
  [/Υ/g, "Y"],
  [/Η/g, "I"],
];
/** The sounds of foreign names in Greek letters. */
const GREEK_BY_SOUND: readonly (readonly [RegExp, string])[] = [
  [/ΜΠ/g, "B"],
  [/ΝΤ/g, "D"],
  [/Γ[ΓΚ]/g, "G"],
  [/ΤΣ/g, "CH"],
  [/ΤΖ/g, "J"],
  [/ΟΥ/g, "U"],
  [/Χ/g, "KH"],
  [/[ΥΗ]/g, "I"],
];

function greekWord(word: string, { spellings }: Readings): string {
  const letters = word.normalize("NFD").replaceAll(/\p{M}/gu, "").toUpperCase();
  const latin = (pairs: readonly (readonly [RegExp, string])[]) =>
    transliterate(replaced(letters, pairs), { unknown: "" }).toUpperCase();
  const [standard, bySound] = [latin(GREEK), latin(GREEK_BY_SOUND)];
  if (bySound !== standard) spellings.set(standard, [bySound]);
  return standard;
}

const replaced = (text: string, pairs: readonly (readonly [RegExp, string])[]) =>
  pairs.reduce((known, [from, to]) => known.replaceAll(from, to), text);

/** Arabic letters as written in Latin: by consonant; `A`, `W` and `Y` may be long vowels. */
const ARABIC: Readonly<Record<string, string>> = Object.fromEntries(
  `اA أA إA آA ٱA ىA ةE ءᴴ ئY ؤW بB پP تT ثθ جJ چC حH خX دD ذδ رR ڑR زZ ژJ سS شŠ صS ضδ طT ظδ عᴴ غΓ فF ڤV قQ كK کK گG ڭG
   لL مM نN ںN هH ہH ھH وW ۆW ۇW ۋV يY یY ےY ېY ټT ډD ړR ښŠ ڼN ڕR ڵL
   ځZ څC ږG`
    .split(/\s+/)
    .filter(Boolean)
    .map((pair) => [pair[0]!, pair.slice(1)]),
);

/** Common Arabic and Persian names, whose vowels are known, and forms of address. */
const ARABIC_WORDS: ReadonlyMap<string, readonly string[]> = new Map(
  `علي على علی ALI ALY|عمر OMAR UMAR AMOR|عثمان UTHMAN OTHMAN OSMAN USMAN|حسن HASAN HASSAN|حسين حسین HUSAYN HUSSEIN HUSSAIN HOSSEIN HUSAIN HOCINE HASSINE HOUCINE HOSEIN|محمد MOHAMMED MUHAMMAD MOHAMED MOHAMMAD MOHAMAD|
   احمد أحمد AHMED AHMAD|محمود MAHMUD MAHMOUD|حامد HAMID HAMED|حميد HAMID HAMEED|ابو أبو ابا أبا ABU ABOU ABO ABI|ابي أبي ABI ABU|بن BIN BEN IBN|ابن IBN BIN BEN|بنت BINT BENT|ام أم UMM OM|ولد OULD WALAD|
   عبد ABD|الله ALLAH|عيسى عیسی ISA ISSA EISA ESSA|موسى موسی MUSA MOUSSA MOUSA|يحيى یحیی YAHYA YEHIA|طه TAHA|آغا اغا AGHA AGA|يوسف یوسف YUSUF YOUSSEF YOUSEF YOUSUF|ابراهيم إبراهيم ابراهیم إبراهیم IBRAHIM EBRAHIM|
   اسماعيل إسماعيل ISMAIL ISMAEL ESMAIL|سليمان SULAYMAN SULEIMAN SULAIMAN|سعيد SAID SAEED|سعد SAAD SAD|خالد KHALID KHALED|خليل KHALIL|خان KHAN|رضا REZA RIDA|مهدي مهدی MAHDI MEHDI|هادي هادی HADI|جواد JAVAD JAWAD|
   ناصر NASIR NASSER NASER|نصر NASR|صالح SALIH SALEH SALAH|صلاح SALAH|طاهر TAHIR TAHER|زياد ZIYAD ZIAD|وليد WALID WALEED|ولي ولی WALI|نور NUR NOOR NOUR|دين DIN DEEN EDDINE|اسامة أسامة OSAMA USAMA|انس أنس ANAS|امين أمين AMIN|
   فاطمة FATIMA|كمال KAMAL|جمال JAMAL DJAMEL|جلال JALAL|طلال TALAL|بلال BILAL|هلال HILAL|عادل ADIL ADEL|عامر AMIR AMER AAMIR AMAR|امير أمير AMIR AMEER EMIR AMER|عمري OMARI UMARI AMIRI|اياد إياد IYAD AYAD EYAD|اغ AG|حي HAI HAYY HAYE|عبدالله ABDULLAH ABDALLAH ABDELLAH ABDULLA ABDOULLAH|عمار AMMAR|عاصم ASIM ASSEM|عباس ABBAS|عزيز AZIZ|رحيم RAHIM|كريم KARIM|حكيم HAKIM|قاسم QASIM KASSEM|
   جعفر JAFAR DJAAFAR|داود داوود DAWUD DAOUD|ايوب أيوب AYUB AYYUB AYOUB|اديب أديب ADIB|غلام GHULAM|سيد SAYYID SAYED SEYED SEYYED|گل كل GUL|اخوندزاده AKHUNDZADA AKHUNZADA|ابوبكر ABUBAKAR ABUBAKR ABOUBAKAR ABOUBAKR|شيخ SHEIKH|دكتور دكتورة DR|مهندس ENGINEER|حاج حاجي حاجی HAJI HAJJ|ملا MULLAH|مولوي مولوی MAULAVI|سيدة SAYYIDA|استاذ أستاذ USTADH`
    .split("|")
    .flatMap((row) => {
      const words = row.trim().split(" ");
      const latin = words.filter((word) => /^[A-Z]/.test(word));
      return words
        .filter((word) => !latin.includes(word))
        .map((word): [string, string[]] => [plainArabic(word), latin]);
    }),
);

const WRITTEN_APART = /(?<!\p{L})(عبد|[اأ]بو|[آا]خوند)\s+(الله|بكر|بکر|زاده)(?!\p{L})/gu;

const known = new Set([...ARABIC_WORDS.values()].flat());
/** True if a Latin word is the spelling of an Arabic name, though not of one that has these. */
export const isAnotherName = (text: string, spellings: readonly string[]): boolean =>
  known.has(text) && !spellings.includes(text);

/** Two known names that are written without a space. */
function knownParts(word: string): string[] | undefined {
  for (let at = 2; at <= word.length - 2; at++) {
    const parts = [word.slice(0, at), word.slice(at)];
    if (parts.every((part) => ARABIC_WORDS.has(part)) && !parts[1]!.startsWith("ال")) return parts;
  }
  return undefined;
}

function arabicWord(word: string, found: Readings, hasArticle = false): string {
  const known = ARABIC_WORDS.get(word);
  if (known) {
    found.spellings.set(known[0]!, known.slice(1));
    return known[0]!;
  }
  const split = knownParts(word);
  if (split) return split.map((part) => arabicWord(part, found)).join(" ");
  if (/^عبد.{3}/.test(word)) return `ABD ${arabicWord(word.slice(3), found)}`;
  if (/^ابو.../.test(word)) return `ABU ${arabicWord(word.slice(3), found)}`;
  if (!hasArticle && /^ال../.test(word)) return `AL ${arabicWord(word.slice(2), found, true)}`;
  const compound = /^(..+?)(?:ال(دين)|ال(له))$/.exec(word);
  if (!compound) return unvowelled(lettersOf(word), found);
  // The article's L goes into the D of DIN.
  const shown = unvowelled(lettersOf(word), found);
  const short = unvowelled(lettersOf(compound[1]! + (compound[2] ?? compound[3])), found);
  found.skeletons.set(shown, [...found.skeletons.get(shown)!, ...found.skeletons.get(short)!]);
  return shown;
}

/** One letter for those that Arabic, Persian and Urdu type differently. */
function plainArabic(word: string): string {
  return word
    .normalize("NFC")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[یىے]/g, "ي")
    .replaceAll("ک", "ك")
    .replaceAll(/[ہھە]/g, "ه")
    .replaceAll(/[أإآٱ]/g, "ا");
}

const lettersOf = (word: string) => [...word].map((one) => ARABIC[one] ?? "").join("");

const HANGUL_FIRST = "K/G KK N T/D TT R/L/N M P/B PP S SS / J/CH JJ/TCH CH K/KH T/TH P/PH H".split(" ");
const HANGUL_VOWEL =
  "A AE/E YA YAE O/EO/U E YO/YEO/YU YE/E O/OH WA WAE OE/OI YO U/OO WO WE WI YU/YOO U/EU UI/I/EUI I/EE".split(
    " ",
  );
const HANGUL_LAST = "/ K/G K K N N N T/D L/R L/K L/M L/P L L L/P L M P/B P T/S T NG T/J T/CH K T P /H".split(
  " ",
);

/** Surnames that are written in ways of their own. */
const KOREAN_SURNAMES: ReadonlyMap<string, readonly string[]> = new Map(
  "김 KIM GIM|이 RI LEE YI I RHEE|리 RI LEE YI|박 PAK PARK BAK|최 CHOE CHOI|정 JONG CHONG JUNG CHUNG JEONG|조 JO CHO|오 O OH|유 YU YOO RYU|류 RYU YU|임 IM LIM RIM|림 RIM IM LIM|노 NO RO ROH|로 RO NO ROH|백 PAEK BAEK PAIK|우 U WOO|구 KU KOO GU|신 SIN SHIN|심 SIM SHIM|손 SON SOHN|안 AN AHN|여 YO YEO RYO|양 YANG RYANG|량 RYANG YANG|현 HYON HYUN"
    .split("|")
    .map((row) => row.split(" "))
    .map(([one, ...ways]) => [one!, ways]),
);
const KOREAN_ADDRESS = /(?<=[\p{Script=Hangul}]{2})\s*(?:씨|님|군|양|선생|동지)$/u;

/** Each Korean syllable as a word of its own, as lists have most of them. */
function hangul(word: string, found: Readings): string {
  return [...word]
    .map((syllable, at) => {
      const code = syllable.charCodeAt(0) - 0xac00;
      if (code < 0 || code > 11_171) return "";
      const surname = at === 0 && word.length <= 4 ? (KOREAN_SURNAMES.get(syllable) ?? []) : [];
      const [first, vowel, last] = [
        HANGUL_FIRST[Math.floor(code / 588)]!.split("/"),
        HANGUL_VOWEL[Math.floor((code % 588) / 28)]!.split("/"),
        HANGUL_LAST[code % 28]!.split("/"),
      ];
      // Before I and Y, the south leaves out an R, and an S sounds like SH.
      const soft = /^[IY]/.test(vowel[0]!);
      const heads =
        soft && first[0] === "S" ? ["S", "SH"] : soft && first[0] === "R" ? [...first, ""] : first;
      const ways = [...new Set([...surname, ...readings([heads, vowel, last])])];
      found.spellings.set(ways[0]!, ways.slice(1));
      return ways[0]!;
    })
    .join(" ");
}

/** Letters of German and Scandinavian, Baltic and Slavic languages as they are written without them. */
const LATIN_SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/[ÄÆ]/g, "AE"],
  [/[ÖØ]/g, "OE"],
  [/Ü/g, "UE"],
  [/Å/g, "AA"],
  [/Š/g, "SH"],
  [/Ž/g, "ZH"],
  [/Č/g, "CH"],
];
const LATVIAN = /[ĀČĒĢĪĶĻŅŠŪŽ]/;

/** A Latvian name ends in the S of its case, a foreign one among them. */
function latinSpellings(name: string, { spellings }: Readings): void {
  const capitals = name.normalize("NFC").toUpperCase();
  const isLatvian = LATVIAN.test(capitals);
  for (const word of capitals.match(/[\p{Script=Latin}\p{M}]+/gu) ?? []) {
    const shown = transliterate(word, { unknown: "" }).toUpperCase();
    const spelt = replaced(word, LATIN_SPELLINGS);
    const other = (isLatvian ? spelt.replace(/(?<=.{3}[^AEIOUĀĒĪŪ])S$/, "") : spelt)
      .normalize("NFKD")
      .replaceAll(/\p{M}/gu, "");
    const latin = transliterate(other, { unknown: "" }).toUpperCase();
    if (latin !== shown) spellings.set(shown, [latin]);
  }
}

const HAN_ADDRESS = /(?<=\p{Script=Han}{2})\s*(?:先生|女士|小姐|太太|様|氏|殿|さん|さま)$/u;

/** A Chinese syllable of one letter belongs to the next word and is not an initial; the family's name is a word of its own. */
function withSyllablesJoined(word: string): string {
  const syllables = [...word].map((one) => transliterate(one).trim());
  const joined: string[] = [];
  let open = "";
  for (const [at, syllable] of syllables.entries()) {
    const isLast = at === syllables.length - 1;
    const isShort = at > 0 && syllable.length === 1;
    if (isShort && joined.length > 1 && (isLast || /[MN]/i.test(syllable)))
      joined.push(`${joined.pop()}${syllable}`);
    else if (isShort && !isLast) open += syllable;
    else {
      joined.push(open + syllable);
      open = "";
    }
  }
  return joined.join(" ");
}

/** The name in Latin capitals without marks, and what its script leaves open. */
export function romanised(name: string): LatinName {
  const plain = plainText(name);
  if (!/[^ -~]/.test(plain))
    return {
      text: plain.toUpperCase(),
      spellings: NO_READINGS,
      skeletons: NO_READINGS,
      shapes: NO_SHAPES,
      particles: NO_PARTICLES,
    };
  const found: Readings = { spellings: new Map(), skeletons: new Map(), shapes: new Map() };
  latinSpellings(plain, found);
  const text = capitals(plain.replace(KOREAN_ADDRESS, "").replace(HAN_ADDRESS, ""), found);
  const particles = /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(plain) ? ARABIC_PARTICLES : NO_PARTICLES;
  return { text, ...found, particles };
}

/** A text in Latin letters for people to read, with its forms of address; empty if none of it can be romanised. */
export function inLatinLetters(text: string): string {
  const found: Readings = { spellings: new Map(), skeletons: new Map(), shapes: new Map() };
  return capitals(plainText(text), found)
    .trim()
    .replaceAll(/\s+/g, " ")
    .replaceAll(/(?<=[\p{L}'’])\p{L}+/gu, (rest) => rest.toLowerCase());
}

/** Joiners and marks of direction are not letters; neither are Arabic's short vowels and its lengthening stroke. */
const plainText = (text: string) =>
  text
    .replaceAll(/[´ˊˋ῾᾿]/g, "'")
    .normalize("NFKC")
    .replaceAll(/[\p{Cf}ـ]/gu, "");

function capitals(plain: string, found: Readings): string {
  const latin = plain
    .replaceAll(WRITTEN_APART, "$1$2")
    .replaceAll(/[\p{L}\p{M}'’]+/gu, (word) =>
      /\p{Script=Latin}/u.test(word) ? withoutLookAlikes(word) : word,
    )
    .replaceAll(/(?<!\p{L})г-(?=(?:н|жа|жи|ну|на)(?!\p{L}))/giu, "г")
    .replaceAll(/(\p{Script=Han})々/gu, "$1$1")
    .replaceAll(/\p{Script=Han}{3,}/gu, withSyllablesJoined)
    .replaceAll(
      /\p{Script=Arabic}[\p{Script=Arabic}\p{M}]*/gu,
      (word) => ` ${arabicWord(plainArabic(word), found)} `,
    )
    .replaceAll(
      /\p{Script=Hebrew}(?:[\p{Script=Hebrew}\p{M}]|['׳](?=\p{Script=Hebrew}))*/gu,
      (word) => ` ${hebrewWord(word, found)} `,
    )
    .replaceAll(/\p{Script=Hangul}+/gu, (word) => ` ${hangul(word, found)} `)
    .replaceAll(/(?<!\p{L})κα?\.(?=\s)/giu, "κύριος")
    .replaceAll(/\p{Script=Greek}[\p{Script=Greek}\p{M}]*/gu, (word) => greekWord(word, found))
    .replaceAll(/[\p{Script=Katakana}ー]{2,}/gu, (word) => ` ${katakanaWord(word, found)} `)
    .replaceAll(/[\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu, hepburn);
  return transliterate(latin, { unknown: "" }).normalize("NFKD").replaceAll(/\p{M}/gu, "").toUpperCase();
}

const withoutLookAlikes = (word: string) => [...word].map((one) => LOOK_ALIKES[one] ?? one).join("");
