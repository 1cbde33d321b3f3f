/** Damaged names, and names of nobody listed, to measure the screening of names. */

import { transliterate } from "transliteration";

/** Numbers in [0, 1), the same each time (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = () => number;
const pick = <T>(from: readonly T[], random: Random): T => from[Math.floor(random() * from.length)]!;

/** `damage`: undefined for a name that cannot be damaged so. */
export type Damage = {
  about: string;
  of: "persons" | "entities" | "vessels" | "both";
  /** Only entries of these countries. */
  country?: RegExp;
  damage(name: string, random: Random): string | undefined;
};

const plainWords = (name: string) => name.split(/[\s,]+/).filter((word) => /\p{L}{2}/u.test(word));
const isLatin = (name: string) => /^[\p{Script=Latin}\p{M}\d\s,.'’`()&/-]+$/u.test(name);
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** One letter wrong, missing, doubled or swapped with its neighbour, never the first one. */
function typo(word: string, random: Random): string {
  const at = 1 + Math.floor(random() * (word.length - 1));
  switch (Math.floor(random() * 4)) {
    case 0:
      return word.slice(0, at) + pick([...LETTERS], random) + word.slice(at + 1);
    case 1:
      return word.slice(0, at) + word.slice(at + 1);
    case 2:
      return word.slice(0, at) + word[at]! + word.slice(at);
    default:
      return at + 1 < word.length
        ? word.slice(0, at) + word[at + 1]! + word[at]! + word.slice(at + 2)
        : word.slice(0, at) + pick([...LETTERS], random);
  }
}

/** Nobody searches for the letters of a legal form. */
const LEGAL = /^(COMPANY|LIMITED|CORPORATION|INCORPORATED|LIMITADA)$/i;

const long = (word: string) => !LEGAL.test(word) && /^\p{L}{5,}$/u.test(word);
const placesOfLong = (words: readonly string[]): number[] =>
  words.flatMap((word, at) => (long(word) ? at : []));

const CYRILLIC: [RegExp, string][] = [
  [/SHCH/g, "Щ"],
  [/SH/g, "Ш"],
  [/CH/g, "Ч"],
  [/ZH/g, "Ж"],
  [/KH/g, "Х"],
  [/TS/g, "Ц"],
  [/YU/g, "Ю"],
  [/YA/g, "Я"],
  [/YO/g, "Ё"],
  [/A/g, "А"],
  [/B/g, "Б"],
  [/V/g, "В"],
  [/W/g, "В"],
  [/G/g, "Г"],
  [/D/g, "Д"],
  [/E/g, "Е"],
  [/Z/g, "З"],
  [/I/g, "И"],
  [/Y/g, "Й"],
  [/K/g, "К"],
  [/C/g, "К"],
  [/Q/g, "К"],
  [/L/g, "Л"],
  [/M/g, "М"],
  [/N/g, "Н"],
  [/O/g, "О"],
  [/P/g, "П"],
  [/R/g, "Р"],
  [/S/g, "С"],
  [/T/g, "Т"],
  [/U/g, "У"],
  [/F/g, "Ф"],
  [/H/g, "Х"],
  [/J/g, "Й"],
  [/X/g, "КС"],
];
const RUSSIAN = /(OV|EV|IN|SKIY|SKY|ENKO|OVICH|EVICH|OVNA|EVNA)\b/;

/** Spellings of the same Arabic name in Latin letters. */
const ROMANISED: [RegExp, readonly string[]][] = [
  [/\bMU?O?HAMM?[AE]D\b/g, ["MOHAMMED", "MUHAMMAD", "MOHAMED", "MUHAMMED", "MOHAMAD"]],
  [/\bAHM[AE]D\b/g, ["AHMED", "AHMAD"]],
  [/\bHUSS?[AE][IY]?N\b/g, ["HUSSEIN", "HUSAYN", "HUSSAIN", "HOSSEIN"]],
  [/\bHASS?AN\b/g, ["HASSAN", "HASAN"]],
  [/\bABD(?:[- ]?[AEU]L[- ]|[AEU]L(?=[A-Z]{4}))/g, ["ABD AL-", "ABDUL ", "ABD EL-", "ABDEL "]],
  [/\bAL-/g, ["AL-", "EL-", "AL "]],
  [/\bYUSUF\b|\bYOUSSEF\b/g, ["YUSUF", "YOUSSEF", "YOUSEF"]],
  [/\bOMAR\b|\bUMAR\b/g, ["OMAR", "UMAR"]],
  [/\bOSAMA\b|\bUSAMA\b/g, ["OSAMA", "USAMA"]],
  [/\bSULAYMAN\b|\bSULEIMAN\b|\bSULAIMAN\b/g, ["SULAYMAN", "SULEIMAN", "SULAIMAN"]],
  [/\bSA'?ID\b|\bSAEED\b|\bSAYYID\b/g, ["SAID", "SAEED", "SAYED"]],
  [/\bIBRAH[IE]E?M\b/g, ["IBRAHIM", "IBRAHEEM", "EBRAHIM"]],
  [/\bKHAL[IE]L\b/g, ["KHALIL", "KHALEEL"]],
  [/\bMAHM[OU]+D\b/g, ["MAHMUD", "MAHMOUD", "MAHMOOD"]],
];

/** "LAST, First" as it is said. */
const asSaid = (name: string) => {
  const [last = "", first, ...more] = name.split(",").map((part) => part.trim());
  return first === undefined || more.length > 0 ? name : `${first} ${last}`;
};

const ADDRESS =
  "Mr|Mr.|Mrs|Ms|Dr|Dr.|Prof. Dr.|Herr|Frau|Monsieur|Mme|Señor|Sra.|Signor|Dhr.|Herra|Kungs|Pan|Gospodin|Sayın|Sheikh|Haji|Sir|The Honourable|His Excellency|Lt. Col.|General|Rev.|Ing.|Dipl.-Ing.|Shri|Don|г-н|господин|κ.".split(
    "|",
  );
const SUFFIX = "Jr|Jr.|Sr.|, Jr.|II|III|PhD|, Ph.D.|MD|Esq.|OBE|KCMG|MP, MBE|(ret.)".split("|");
const PREFIX = "M/V|MV|M.V.|M/T|MT|S/S|SS|F/V|M/Y|LPG/C|Motor vessel|Motor tanker|MS|TS|the vessel|т/х".split(
  "|",
);
const FORMS =
  "Sp. z o.o.|sp.z o.o.|SP ZOO|Spółka z ograniczoną odpowiedzialnością|S.A.|Spółka Akcyjna|s.r.o.|spol. s r.o.|a.s.|d.o.o.|d.d.|GmbH|GmbH & Co. KG|Aktiengesellschaft|Gesellschaft mit beschränkter Haftung|e.V.|e. K.|UG (haftungsbeschränkt)|OHG|SE|B.V.|N.V.|Besloten Vennootschap|VOF|BVBA|Naamloze Vennootschap|SARL|S.à r.l.|SAS|SASU|Société Anonyme|Société à responsabilité limitée|S.L.|S.L.U.|Sociedad Limitada|Sociedad Anónima|Lda.|Unipessoal Lda|Sociedade por quotas|S.r.l.|S.p.A.|Società per azioni|Società a responsabilità limitata|S.n.c.|A/S|ApS|Aktieselskab|Anpartsselskab|AB|Aktiebolag|AB (publ)|HB|Oy|Oyj|Osakeyhtiö|Ky|OÜ|AS|Osaühing|SIA|AS|Sabiedrība ar ierobežotu atbildību|Akciju sabiedrība|UAB|Uždaroji akcinė bendrovė|MB|Kft.|Zrt.|Nyrt.|Bt.|Korlátolt Felelősségű Társaság|S.R.L.|Societate cu răspundere limitată|EOOD|OOD|ЕООД|АД|EAD|Α.Ε.|Ε.Π.Ε.|Ι.Κ.Ε.|Ανώνυμη Εταιρεία|A.E.|Ltd|Limited|PLC|LLP|Public Limited Company|CIC|DAC|Teoranta|Sàrl|Sagl|AG|A.Ş.|Ltd. Şti.|Anonim Şirketi|Limited Şirketi|San. ve Tic. Ltd. Şti.|W.L.L.|B.S.C. (c)|K.S.C.C.|K.S.C.P.|Q.P.S.C.|S.A.O.G.|P.J.S.C.|FZE|FZ-LLC|FZCO|DMCC|L.L.C.|Public Joint Stock Company|ذ.م.م|ش.م.ك".split(
    "|",
  );

/** Korean syllables by the romanisation of the north: one of each sound. */
const HANGUL: ReadonlyMap<string, string> = new Map(
  Array.from({ length: 11_172 }, (_, code): [string, string] => {
    const at = (sounds: string, place: number) => sounds.split(" ")[place]!.replace("-", "");
    const first = at("K KK N T TT R M P PP S SS - J JJ CH KH TH PH H", Math.floor(code / 588));
    const vowel = at(
      "A AE YA YAE O E YO YE O WA WAE OE YO U WO WE WI YU U UI I",
      Math.floor((code % 588) / 28),
    );
    const last = at("- K - - N - - T L - - - - - - - M P - - - NG - - - - - -", code % 28);
    return [first + vowel + last, String.fromCharCode(0xac00 + code)];
  }).reverse(),
);

/** Chinese characters by their reading: one of each. */
const HAN: ReadonlyMap<string, string> = new Map(
  Array.from({ length: 0x51a5 - 0x200 }, (_, at) => String.fromCharCode(0x4e00 + at)).map((one) => [
    transliterate(one).trim().toUpperCase(),
    one,
  ]),
);

/** A word of a name as characters of these readings; undefined where it has none. */
function inCharacters(word: string, characters: ReadonlyMap<string, string>): string | undefined {
  if (word === "") return "";
  for (let length = Math.min(6, word.length); length > 0; length--) {
    const one = characters.get(word.slice(0, length));
    const rest = one === undefined ? undefined : inCharacters(word.slice(length), characters);
    if (rest !== undefined) return one + rest;
  }
  return undefined;
}

/** A name of two or three words, all of them characters; the family's comes first. */
const named = (characters: ReadonlyMap<string, string>) => (name: string) => {
  const words = plainWords(name.toUpperCase().replaceAll("-", " "));
  if (!name.includes(",") || words.length < 2 || words.length > 3 || words[0]!.length > 5) return undefined;
  const found = words.map((word) => inCharacters(word, characters));
  return found.some((one) => one === undefined || one.length > 2) || found[0]!.length > 1
    ? undefined
    : found.join("");
};

const letters = (pairs: string) => pairs.split(" ").map((pair) => pair.split("=") as [string, string]);
const GREEK = letters(
  "TH=Θ PS=Ψ CH=Χ KH=Χ OU=ΟΥ A=Α B=ΜΠ V=Β G=Γ D=Δ E=Ε Z=Ζ I=Ι K=Κ C=Κ Q=Κ L=Λ M=Μ N=Ν X=Ξ O=Ο P=Π R=Ρ S=Σ T=Τ U=ΟΥ Y=Υ F=Φ H=Χ J=Ι W=ΟΥ",
);
const LATVIAN = letters(
  "SHCH=ŠČ SH=Š CH=Č ZH=Ž KH=H YU=JU YA=JA YO=JO AA=Ā EE=Ī OO=Ū X=KS W=V Q=K AY=AJ EY=EJ IY=IJ OY=OJ Y=I",
);

const LATVIAN_WRITTEN: Readonly<Record<string, string>> = {
  Š: "S",
  Č: "C",
  Ž: "Z",
  Ā: "AA",
  Ē: "EE",
  Ū: "UU",
};

const inLetters = (name: string, pairs: readonly [string, string][]) =>
  pairs.reduce((text, [from, to]) => text.replaceAll(from, to), asSaid(name).toUpperCase());

/** How Persian names are written in Latin letters, from general knowledge. */
const PERSIAN: readonly (readonly [RegExp, readonly string[]])[] = [
  [/(?<=\p{L}{3})[-\s]?ZAD(?:EH|E|A|AH)\b/gu, ["ZADEH", "ZADE", "ZADA", "-ZADEH", " ZADEH"]],
  [/(?<=\p{L}{2})[-\s]?P(?:OU|OO|U)R\b/gu, ["POUR", "POOR", "PUR", "-POUR"]],
  [/(?<=\p{L}{3})[-\s]?NEJAD\b|[-\s]?NEZHAD\b/gu, ["NEJAD", "NEZHAD", "-NEJAD", "NEJHAD"]],
  [/(?<=[A-Z])(?:OO|OU)(?=[A-Z])/g, ["OU", "OO", "U", "O"]],
  [/(?<=[A-Z])(?:EI|EY|AY|AI)(?=[A-Z])/g, ["EI", "EY", "AY", "AI"]],
  [/(?:AEE|AEI|AII|A'I|AI|AYI|EI|EY)\b/g, ["AEI", "AI", "AEE", "AYI", "EI"]],
  [/GH|Q/g, ["GH", "Q"]],
  [/(?<![SCKGZPT])KH/g, ["KH", "KH", "H", "X"]],
  [/MOHAMM[AE]D/g, ["MOHAMMAD", "MOHAMMED", "MUHAMMAD", "MOHAMAD"]],
  [/HOSS?EI?Y?N/g, ["HOSSEIN", "HOSEYN", "HUSSEIN", "HOSSAIN"]],
  [/V/g, ["V", "V", "W"]],
  [/E(?=H\b)/g, ["E", "A"]],
  [/EE/g, ["EE", "I"]],
];

export const damages: readonly Damage[] = [
  {
    about: "a form of address before it",
    of: "persons",
    damage: (name, random) => `${pick(ADDRESS, random)} ${asSaid(name)}`,
  },
  {
    about: "a suffix after it",
    of: "persons",
    damage: (name, random) => `${asSaid(name)} ${pick(SUFFIX, random)}`,
  },
  {
    about: "a prefix of ships before it",
    of: "vessels",
    damage: (name, random) => `${pick(PREFIX, random)} ${name}`,
  },
  {
    about: "another country's legal form after it",
    of: "entities",
    damage: (name, random) => `${name} ${pick(FORMS, random)}`,
  },
  {
    about: "the whole name as one word",
    of: "both",
    damage: (name, random) => {
      const said = random() < 0.5 ? name : asSaid(name);
      return plainWords(said).length < 2 || !isLatin(name) ? undefined : said.replaceAll(/[^\p{L}\d]/gu, "");
    },
  },
  { about: "in Hangul", of: "persons", country: /Korea/, damage: named(HANGUL) },
  { about: "in Chinese characters", of: "persons", country: /China|Hong Kong|Taiwan/, damage: named(HAN) },
  {
    about: "in Greek",
    of: "persons",
    damage: (name) =>
      isLatin(name) && RUSSIAN.test(name.toUpperCase()) ? inLetters(name, GREEK) : undefined,
  },
  {
    about: "with German letters",
    of: "both",
    damage: (name) => {
      const german = inLetters(name, letters("AE=Ä OE=Ö UE=Ü"));
      return german === asSaid(name).toUpperCase() ? undefined : german;
    },
  },
  {
    about: "in Latvian, with its endings",
    of: "persons",
    damage: (name) => {
      if (!isLatin(name) || !RUSSIAN.test(name.toUpperCase())) return undefined;
      return inLetters(name, LATVIAN).replaceAll(/(?<=\p{L}{3}[BDFGKLMNPRTVZŠČŽ])(?= |$)/gu, "S");
    },
  },
  {
    about: "a Baltic name without its letters",
    of: "persons",
    damage: (name) => {
      if (!isLatin(name) || !RUSSIAN.test(name.toUpperCase())) return undefined;
      return inLetters(name, LATVIAN).replaceAll(/./gu, (one) => LATVIAN_WRITTEN[one] ?? one);
    },
  },
  { about: "as it is listed", of: "both", damage: (name) => name },
  {
    about: "words in another order",
    of: "both",
    damage: (name, random) => {
      const words = plainWords(name);
      if (words.length < 2) return undefined;
      return words
        .map((word) => ({ word, at: random() }))
        .sort((a, b) => a.at - b.at)
        .map(({ word }) => word)
        .join(" ");
    },
  },
  {
    about: "two words joined",
    of: "both",
    damage: (name, random) => {
      const words = plainWords(name);
      if (words.length < 2) return undefined;
      const at = Math.floor(random() * (words.length - 1));
      return [...words.slice(0, at), words[at]! + words[at + 1]!, ...words.slice(at + 2)].join(" ");
    },
  },
  {
    about: "a word split in two",
    of: "both",
    damage: (name, random) => {
      const words = plainWords(name);
      const splittable = words.flatMap((word, at) =>
        /^\p{L}{7,}$/u.test(word) && !LEGAL.test(word) ? at : [],
      );
      if (words.length < 2 || splittable.length === 0) return undefined;
      const at = pick(splittable, random);
      const cut = 3 + Math.floor(random() * (words[at]!.length - 5));
      return words.map((word, i) => (i === at ? `${word.slice(0, cut)} ${word.slice(cut)}` : word)).join(" ");
    },
  },
  {
    about: "one typing error",
    of: "both",
    damage: (name, random) => {
      const words = plainWords(name);
      const longer = placesOfLong(words);
      if (words.length < 2 || longer.length === 0 || !isLatin(name)) return undefined;
      const at = pick(longer, random);
      return words.map((word, i) => (i === at ? typo(word.toUpperCase(), random) : word)).join(" ");
    },
  },
  {
    about: "a typing error in each long word",
    of: "both",
    damage: (name, random) => {
      const words = plainWords(name);
      if (words.length < 2 || !words.some(long) || !isLatin(name)) return undefined;
      return words.map((word) => (long(word) ? typo(word.toUpperCase(), random) : word)).join(" ");
    },
  },
  {
    about: "a middle name left out",
    of: "persons",
    damage: (name, random) => {
      const words = plainWords(name);
      if (words.length < 3) return undefined;
      const at = 1 + Math.floor(random() * (words.length - 2));
      return words.filter((_, i) => i !== at).join(" ");
    },
  },
  {
    about: "every name but the first and the last left out",
    of: "persons",
    damage: (name) => {
      const [last = "", first = ""] = name.split(",").map(plainWords);
      const ends = first.length > 0 ? [first[0]!, last.at(-1)!] : [last[0]!, last.at(-1)!];
      if (last.length === 0 || last.length + first.length < 3 || !isLatin(name)) return undefined;
      return ends.join(" ");
    },
  },
  {
    about: "a typing error and a middle name left out",
    of: "persons",
    damage: (name, random) => {
      const words = plainWords(name);
      const longer = placesOfLong(words);
      if (words.length < 3 || longer.length === 0 || !isLatin(name)) return undefined;
      const [at, out] = [pick(longer, random), 1 + Math.floor(random() * (words.length - 2))];
      if (at === out) return undefined;
      return words
        .flatMap((word, i) => (i === out ? [] : i === at ? typo(word.toUpperCase(), random) : word))
        .join(" ");
    },
  },
  {
    about: "a first name as its initial",
    of: "persons",
    damage: (name, random) => {
      const [last = "", first = ""] = name.split(",").map((part) => part.trim());
      const firsts = plainWords(first);
      if (firsts.length === 0 || plainWords(last).length === 0 || !isLatin(name)) return undefined;
      const at = Math.floor(random() * firsts.length);
      return `${firsts.map((word, i) => (i === at ? `${word[0]}.` : word)).join(" ")} ${last}`;
    },
  },
  {
    about: "accents added",
    of: "both",
    damage: (name, random) =>
      isLatin(name) && /[AEIOUaeiou]/.test(name)
        ? name.replaceAll(/[AEIOUaeiou]/g, (letter) =>
            random() < 0.4
              ? (letter + pick(["\u0301", "\u0308", "\u0304", "\u030c"], random)).normalize("NFC")
              : letter,
          )
        : undefined,
  },
  {
    about: "in Cyrillic",
    of: "persons",
    damage: (name) => {
      const upper = name.toUpperCase();
      if (!isLatin(name) || !RUSSIAN.test(upper)) return undefined;
      return CYRILLIC.reduce((text, [latin, cyrillic]) => text.replaceAll(latin, cyrillic), upper);
    },
  },
  {
    about: "another romanisation of Arabic",
    of: "persons",
    damage: (name, random) => {
      const upper = name.toUpperCase();
      const other = ROMANISED.reduce(
        (text, [from, to]) => text.replaceAll(from, () => pick(to, random)),
        upper,
      );
      return other === upper ? undefined : other;
    },
  },
  {
    about: "another romanisation of Persian",
    of: "persons",
    country: /Iran|Afghanistan/,
    damage: (name, random) => {
      const upper = name.toUpperCase();
      const other = PERSIAN.reduce(
        (text, [from, to]) => text.replaceAll(from, () => pick(to, random)),
        upper,
      );
      return other === upper || !isLatin(name) ? undefined : other;
    },
  },
  {
    about: "a legal form left out or added",
    of: "entities",
    damage: (name, random) =>
      /\b(LTD|LLC|CO|INC|GMBH|S\.?A|CORP|LIMITED)\b\.?/i.test(name)
        ? name.replaceAll(/,?\s*\b(LTD|LLC|CO|INC|GMBH|S\.?A|CORP|LIMITED)\b\.?/gi, "")
        : `${name} ${pick(["LLC", "Ltd.", "GmbH", "S.A."], random)}`,
  },
];

/** First and last names of ten languages, ten each: all pairs are a thousand names of nobody. */
const LANGUAGES: readonly [first: string, last: string][] = [
  [
    "Emma Liam Olivia Noah Charlotte George Amelia Oliver Harriet Edmund",
    "Smith Daniels Whitaker Bush Thornton Ashworth Pemberton Caldwell Hargreaves Winslow",
  ],
  [
    "Lena Jonas Mia Lukas Hannah Felix Greta Anton Frieda Matthias",
    "Müller Schneider Fischer Weber Hoffmann Bergmann Lindner Vogel Kessler Brandt",
  ],
  [
    "Camille Hugo Louise Arthur Juliette Gabriel Manon Théo Élodie Bastien",
    "Martin Dubois Lefèvre Moreau Girard Fontaine Chevalier Roussel Marchand Delacroix",
  ],
  [
    "Giulia Marco Chiara Lorenzo Sofia Matteo Alessia Davide Bianca Federico",
    "Rossi Bianchi Ferrari Esposito Romano Conti Galli Marchetti Fontana Rinaldi",
  ],
  [
    "Lucía Pablo Marta Javier Elena Sergio Carmen Álvaro Inés Gonzalo",
    "Iglesias Navarro Serrano Molina Ibáñez Cabrera Pascual Herrero Gallego Arroyo",
  ],
  [
    "Zofia Jakub Hanna Szymon Maja Kacper Agnieszka Tomasz Małgorzata Paweł",
    "Nowak Kowalski Wiśniewski Wójcik Kamiński Lewandowski Zieliński Szymański Dąbrowski Mazur",
  ],
  [
    "Līga Jānis Anna Kārlis Ilze Mārtiņš Baiba Edgars Zane Rihards",
    "Bērziņš Kalniņš Ozoliņš Liepiņš Krūmiņš Balodis Eglītis Zariņš Vītols Rozenbergs",
  ],
  [
    "Aino Eero Helmi Väinö Sanna Juhani Kaisa Mikko Tuuli Antti",
    "Korhonen Virtanen Mäkinen Nieminen Hämäläinen Laine Heikkinen Koskinen Järvinen Lehtonen",
  ],
  [
    "Ayşe Emre Zeynep Kerem Elif Burak Defne Onur Selin Tolga",
    "Yılmaz Kaya Demir Çelik Şahin Yıldız Aydın Öztürk Arslan Doğan",
  ],
  [
    "Sakura Haruto Yui Ren Hina Sota Aoi Kenji Misaki Takumi",
    "Sato Suzuki Takahashi Tanaka Watanabe Ito Yamamoto Nakamura Kobayashi Kato",
  ],
];

/** The same languages, eighteen each, the most common names included: 3,240 pairs. */
const OTHERS: readonly [first: string, last: string][] = [
  [
    "Jack Grace Henry Alice Thomas Emily Daniel Sophie Robert Lucy William Hannah Peter Claire Andrew Rachel Simon Laura",
    "Jones Taylor Brown Wilson Evans Walker Wright Robinson Thompson Green Hall Clarke Lewis Turner Parker Cooper Bennett Foster",
  ],
  [
    "Paul Emma Maximilian Marie Leon Johanna Moritz Klara Stefan Ursula Jürgen Heike Tobias Birgit Andreas Sabine Karl Ingrid",
    "Schmidt Meyer Wagner Becker Schulz Koch Bauer Richter Klein Wolf Schröder Neumann Schwarz Zimmermann Krüger Hartmann Lange Werner",
  ],
  [
    "Nicolas Chloé Antoine Inès Julien Léa Pierre Sophie François Nathalie Guillaume Isabelle Olivier Sylvie Laurent Aurélie Mathieu Hélène",
    "Bernard Thomas Petit Robert Richard Durand Leroy Simon Laurent Michel Garnier Faure Mercier Blanc Guérin Boyer Perrin Lambert",
  ],
  [
    "Francesco Anna Alessandro Giorgia Andrea Martina Luca Valentina Giovanni Francesca Antonio Elisa Stefano Paola Roberto Silvia Simone Laura",
    "Russo Colombo Ricci Marino Greco Bruno Gallo Costa Giordano Mancini Rizzo Lombardi Moretti Barbieri Mariani Santoro Ferrara Pellegrini",
  ],
  [
    "Alejandro María Daniel Paula Diego Laura Adrián Sara Carlos Cristina Miguel Raquel Rubén Beatriz Jorge Silvia Fernando Pilar",
    "García Fernández González Rodríguez López Martínez Sánchez Pérez Gómez Ruiz Díaz Alonso Romero Vázquez Ramos Gil Castro Rubio",
  ],
  [
    "Antoni Julia Jan Alicja Piotr Magdalena Krzysztof Katarzyna Andrzej Barbara Marcin Joanna Michał Ewa Grzegorz Dorota Łukasz Monika",
    "Wojciechowski Kwiatkowski Kaczmarek Piotrowski Grabowski Pawłowski Michalski Król Wieczorek Jabłoński Wróbel Majewski Olszewski Stępień Malinowski Jaworski Adamczyk Dudek",
  ],
  [
    "Andris Inese Juris Kristīne Edgars Inga Māris Aija Artūrs Sandra Raimonds Dace Guntis Ieva Normunds Laura Valdis Santa",
    "Jansons Ozols Liepa Krastiņš Vanags Petersons Kārkliņš Zālītis Šmits Lapiņš Siliņš Rudzītis Pētersons Grīnbergs Apinis Skuja Sproģis Briedis",
  ],
  [
    "Matti Maria Timo Anne Kari Päivi Jari Minna Markku Tiina Heikki Liisa Ville Jenni Lauri Katja Pekka Outi",
    "Mäkelä Heikkilä Laaksonen Salonen Turunen Salo Tuominen Rantanen Karjalainen Jokinen Mattila Savolainen Lahtinen Ahonen Ojala Leppänen Hiltunen Väisänen",
  ],
  [
    "Mehmet Fatma Mustafa Emine Ahmet Hatice Murat Merve Hakan Esra Serkan Büşra Volkan Gül Cem Derya Barış Özlem",
    "Kılıç Koç Kurt Özdemir Aslan Çetin Kara Özkan Şimşek Polat Korkmaz Çakır Erdoğan Yavuz Acar Güneş Aktaş Tekin",
  ],
  [
    "Hiroshi Yoko Takashi Keiko Kazuo Naoko Daisuke Ayumi Kenta Mai Shota Nanami Ryo Emi Satoshi Yuka Tetsuya Rina",
    "Ito Yoshida Yamada Sasaki Matsumoto Inoue Kimura Hayashi Shimizu Saito Mori Abe Ikeda Hashimoto Ishikawa Ogawa Goto Okada",
  ],
];

const pairsOf = (languages: readonly [first: string, last: string][]): string[] =>
  languages.flatMap(([first, last]) =>
    first.split(" ").flatMap((one) => last.split(" ").map((other) => `${one} ${other}`)),
  );

export const inventedNames = (): string[] => pairsOf(LANGUAGES);
export const otherInventedNames = (): string[] => pairsOf(OTHERS);
/** First names of each with last names of the others. */
export const crossedNames = (): string[] =>
  pairsOf(
    LANGUAGES.flatMap(([first, last], at): [string, string][] => [
      [first, OTHERS[at]![1]],
      [OTHERS[at]![0], last],
    ]),
  );

/** First names of the list with last names of others, no pair of which is listed. */
export function shuffledNames(names: readonly string[], count: number, random: Random): string[] {
  const listed = new Set(names.map((name) => name.toUpperCase()));
  const halves = names.flatMap((name) => {
    const [last, first] = name.split(",").map((part) => part.trim());
    return last && first ? [{ last, first }] : [];
  });
  const made: string[] = [];
  while (made.length < count) {
    const name = `${pick(halves, random).last}, ${pick(halves, random).first}`;
    if (!listed.has(name.toUpperCase())) made.push(name);
  }
  return made;
}
