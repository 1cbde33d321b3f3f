/** Damaged names, and names of nobody listed, to measure the screening of names. */

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
  of: "persons" | "entities" | "both";
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

export const damages: readonly Damage[] = [
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
      const longer = words.flatMap((word, at) => (long(word) ? at : []));
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
