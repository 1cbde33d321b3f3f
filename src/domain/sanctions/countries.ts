/** The countries that lists name, as codes: "Iran (Islamic Republic of)" and "Korea, North" are IR and KP. */

import { atFirstUse } from "../../core/model/first-use.ts";
import { namesOfCountries } from "../questions/vocabulary.ts";
import { fold, foldedIn } from "../questions/words.ts";
import { cldrNames, countryCodes } from "../trade/cldr-names.ts";
import { partnerName } from "../trade/reporters.ts";

/** Names in the lists that neither CLDR nor the reader of questions has. */
const OFFICIAL: Readonly<Record<string, string>> = {
  "bolivarian republic of venezuela": "VE",
  "brunei darussalam": "BN",
  "cabo verde": "CV",
  "cape verde": "CV",
  "china hong kong special administrative region": "HK",
  "china macao special administrative region": "MO",
  congo: "CG",
  "congo brazzaville": "CG",
  "congo kinshasa": "CD",
  "republic of the congo": "CG",
  "democratic peoples republic of korea": "KP",
  "democratic republic of the congo": "CD",
  dprk: "KP",
  "east timor": "TL",
  "falkland islands malvinas": "FK",
  "former yugoslav republic of macedonia": "MK",
  gaza: "PS",
  "holy see": "VA",
  "islamic republic of iran": "IR",
  kosovo: "XK",
  "lao peoples democratic republic": "LA",
  "libyan arab jamahiriya": "LY",
  macau: "MO",
  "north korea": "KP",
  "occupied palestinian territory": "PS",
  "palestinian territory": "PS",
  "peoples democratic republic of algeria": "DZ",
  "region palestinian territories": "PS",
  "republic of korea": "KR",
  "south korea": "KR",
  "st vincent and the grenadines": "VC",
  "syrian arab republic": "SY",
  swaziland: "SZ",
  "the former yugoslav republic of macedonia": "MK",
  "taiwan province of china": "TW",
  "united kingdom of great britain and northern ireland": "GB",
  "us virgin islands": "VI",
  "virgin islands us": "VI",
  "viet nam": "VN",
  "west bank": "PS",
};

/** Codes of the statistics for countries that have another one. */
const SAME: Readonly<Record<string, string>> = {
  XS: "RS",
  XI: "GB",
  XU: "GB",
  XC: "ES",
  XL: "ES",
  TP: "TL",
  ZR: "CD",
};

/** One code for a country, whichever of its codes is given. */
export const countryCode = (code: string): string => SAME[code] ?? code;

/** Words that official names have and short ones have not. */
const OF_STATES = new Set(
  "the of republic islamic arab bolivarian plurinational federated federal federation democratic peoples socialist united state states kingdom sultanate principality province former possibly and".split(
    " ",
  ),
);

const keyOf = (name: string) =>
  foldedIn(name.replaceAll(/['’.]/g, "").replaceAll("&", " and "))
    .join(" ")
    .replaceAll(/\bsaint\b/g, "st");

const codesByName = atFirstUse((): ReadonlyMap<string, string> => {
  const found = new Map<string, string>(Object.entries(OFFICIAL));
  const add = (name: string | undefined, code: string) => {
    const key = name === undefined ? "" : keyOf(name);
    if (key !== "" && !found.has(key)) found.set(key, countryCode(code));
  };
  const english = cldrNames("en");
  for (const code of countryCodes()) {
    for (const name of [english(code), partnerName(code)]) {
      add(name, code);
      // Myanmar (Burma) are two names.
      for (const part of name?.split(/[()]/) ?? []) if (fold(part).trim() !== "former") add(part, code);
    }
  }
  for (const { code, names, en } of namesOfCountries) for (const name of [...names, ...en]) add(name, code);
  return found;
});

const known = new Map<string, string | undefined>();
/** Lists write far fewer. */
const MOST_KNOWN = 10_000;

/** The code of a country by a name that a list gives it; undefined where it names none, such as "na". */
export function codeOfCountry(name: string): string | undefined {
  if (known.has(name)) return known.get(name);
  const found = codeOf(name);
  if (known.size < MOST_KNOWN) known.set(name, found);
  return found;
}

function codeOf(name: string): string | undefined {
  const codes = codesByName();
  if (/^[A-Z]{2}$/.test(name) && partnerName(name) !== name) return countryCode(name);
  const [outside = "", inside = ""] = name.split(/[()]/);
  const [first = "", ...rest] = outside.split(",");
  const inverted = rest.length > 0 ? [`${rest.join(" ")} ${first}`] : [];
  const ways = [name, ...inverted, `${inside} ${outside}`, outside].map(keyOf);
  const short = ways.map((way) =>
    way
      .split(" ")
      .filter((word) => !OF_STATES.has(word))
      .join(" "),
  );
  for (const way of [...ways, ...ways.map((one) => one.replace(/^(?:the|possibly|former) /, "")), ...short]) {
    const code = codes.get(way);
    if (code !== undefined) return code;
  }
  return undefined;
}
