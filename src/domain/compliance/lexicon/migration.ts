/** Annex III, point 7: migration, asylum and border control. */
import { annex3, DEEDS, words } from "./phrases.ts";

export const migrationConcepts = {
  migration: words(
    `migrant*, immigra*, migration office*, migration authorit*, migration agenc*, migration case*, migration control, migration management, irregular migration, illegal migration, illegal entr*, irregular entr*, asylum*, protection claim*, protection status, international protection, seeking protection, subsidiary protection, visa, visas, border guard*, border control*, border post*, border police*, border officer*, border official*, border patrol*, border agenc*, border force*, border check*, border crossing*, border management, border surveillance, border authorit*, border region*, border fence*, at the border, at borders, green border*, land border*, sea border*, external border*, external frontier*, crossing .. border, cross the border, cross .. frontier, frontier*, residence permit*, residence title*, work permit*, right of residence, leave to remain, right to remain, refugee*, overstay*, deport*, return decision*, removal order*, detention centre*, detention center*, naturalis*, naturaliz*, citizenship application*, family reunification, consul*, embassy, embassies, passport desk*, passport control*, passport officer*, entry ban*, entry permit*, entry into the union, third-country national*, third country national*, third countries, foreign national*, foreigners, aliens, unaccompanied minor*, unaccompanied child*, stateless*, country of origin, etias, eurodac, schengen, frontex, resettle*, abscond*, travel authorisation*, travel authorization*, arrivals, smuggled people, people smuggl*`,
  ),
  examine: DEEDS.concat(
    words(
      `lie, lies, lying, truth*, decept*, credib*, plausib*, trustworth*, security threat*, threat, health risk*, identity of, match, approve or, pick out, picks out, pick* out human, forged, dialect, age of, come from, origin, abscond, re-identif*, handles applications, work through applications, polygraph*, stress`,
    ),
  ),
  /** Of borders and migration in another sense. */
  goods: words(
    `customs declaration*, cross-border payment*, cross-border trade, border collie*, data migration*, database migration*, visa card*, visa payment*, visa or mastercard, bird migration, page border*, image border*, flower border*, customs value*, goods cross*, visa requirement*`,
  ),
};

const rule = annex3<keyof typeof migrationConcepts>;

export const migrationRules = [
  rule("7", "migration, asylum and borders", ["migration", "examine"], ["goods"]),
];
