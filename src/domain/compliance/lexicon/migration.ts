/** Annex III, point 7: migration, asylum and border control. */
import { annex3, DEEDS, IN_PLAIN_WORDS, JUDGING, words } from "./phrases.ts";

export const migrationConcepts = {
  migration:
    words(`migrant*, immigra*, migration office*, migration authorit*, migration agenc*, migration case*, migration control, migration management, irregular
    migration, illegal migration, illegal entr*, irregular entr*, asylum*, protection claim*, protection status, international protection, seeking
    protection, subsidiary protection, visa, visas, border guard*, border control*, border post*, border police*, border officer*, border official*,
    border patrol*, border agenc*, border force*, border check*, border crossing*, border management, border surveillance, border authorit*, border
    region*, border fence*, at the border, at borders, green border*, land border*, sea border*, external border*, external frontier*, crossing ..
    border, cross the border, cross .. frontier, frontier*, residence permit*, residence title*, work permit*, right of residence, leave to remain,
    right to remain, refugee*, overstay*, deport*, return decision*, removal order*, detention centre*, detention center*, naturalis*, naturaliz*,
    citizenship application*, family reunification, consul*, embassy, embassies, passport desk*, passport control*, passport officer*, entry ban*,
    entry permit*, entry into the union, third-country national*, third country national*, third countries, foreign national*, foreigners, aliens,
    unaccompanied minor*, unaccompanied child*, stateless*, country of origin, etias, eurodac, schengen, frontex, resettle*, abscond*, travel
    authorisation*, travel authorization*, arrivals, smuggled people, people smuggl*, illegal entry, irregular crossing*, entry request*, entry
    application*, entry refusal*, entry and exit, entry/exit, entry-exit, exit visa, travellers from outside, travellers from third, arriving
    traveller*, arriving passenger*, passenger data, passenger name record*, pnr, api data, air carriers, carriers, rejected applicants, rejected
    asylum*, return of migrants, return flight*, voluntary return, removal of foreigners, removal centre*, reception centre*, reception center*, camp
    for refugees, relocation of refugees, dublin, first country of entry, country reports, claimed homeland, homeland, nationality claim*, nationality
    of, undocumented, sans-papiers, without papers, boat people, boats with, smuggler boat*, sea rescue of migrants, mediterranean crossing*, coast
    guard*, coastguard*, border zone, border area, border strip, border wall, border camera*, border drone*, border dog*, border interview*, border
    lane*, e-gate*, egate*, automated border, labour migration, blue card*, skilled migration, points-based immigration, settlement permit*, stay
    permit*, permission to stay, leave to enter, leave to stay, indefinite leave, toleration permit, tolerated stay, humanitarian visa*, humanitarian
    protection, persecution, persecuted, applicant's story, flight story, story of flight, credibility of .. claim*, language analysis for, origin of,
    aliens' office, foreigners' office, migration service, migration board, home office, citizenship test*, migratory, displaced person*, displaced
    people, war refugees, stowaway*, traveller's answers, travellers' answers, traveler's answers, officer at the counter, ask for protection, asks
    for protection, asking for protection, seek protection, seeks protection, manifestly unfounded, earlier stays, right to stay, hidden people,
    tourist visa*, short-stay visa*, student visa*, work visa*, business visa*, family visa*, entry interview*, people hiding, hiding people, hidden
    migrant*, x-rayed lorries, lorries are x-rayed, smuggled persons, human smuggling, boat landing*, pushback*, drone patrol*, green line, fence
    patrol*, unaccompanied young*, unaccompanied youth*, unaccompanied teen*, age of young refugees, age of asylum, age assessment, country-of-origin,
    hearing protocol*, flight reason*, flight history, grounds for asylum, grounds of persecution, status determination, subsidiary status, protection
    request*, protection application*, residence application*, residence request*, residence card*, residence office, residence status, right of
    abode, settled status, pre-settled status, sham marriage*, fake marriage*, marriages of convenience, marriage of convenience, dual citizenship,
    citizenship request*, applications for citizenship, passport application*, travel document*, forged passport*, false passport*, identity of
    migrants, identity of refugees, fingerprints of asylum, fingerprints of migrants, expulsion, expel foreigners, return counselling, returnee*,
    irregular stay, illegal stay, illegal immigrant*, traveller risk, passenger risk, passenger targeting, customs and border, virtual officer, before
    the gate, passes the gate, to the guard, requests for residence, applications for residence, applications for stay, request for residence,
    likelihood of rejection, officials can, returned earlier, earlier returned, human silhouettes, silhouettes`),
  examine: [...DEEDS, ...IN_PLAIN_WORDS].concat(
    words(`lie, lies, lying, truth*, decept*, credib*, plausib*, trustworth*, security threat*, threat, health risk*, identity of, match, approve or, pick
    out, picks out, pick* out human, forged, dialect, come from, origin, abscond, re-identif*, handles applications, work through applications,
    polygraph*, stress, take aside, taken aside, whom to, fast lane, full scrutiny, scrutin*, disappear*, on board, persons on, secondary inspection,
    extra questioning, for questioning, interview*, hearing*, legit*, fraud*, outcome, sort, untruth, hesitation*, marks, unfounded, complex, granted,
    pre-sort*, hiding, x-ray*, searched, searches, does not hold, hold up, holds up, points out, asked for more, over eighteen, under eighteen, adult
    or, minor or, age, asks more, extra papers, up to a classifier, who gets, three days, silhouettes, rejection, indicator`),
  ),
  border: words(`border, borders, borderland, frontier, frontiers, sea route*, river border`),
  crosser:
    words(`people, persons, person, individual*, human beings, migrant*, traveller*, traveler*, refugee*, crossers, men, women, families, somebody, someone,
    groups`),
  /** What offices tell people. */
  leaflets: words(
    `leaflet*, brochure*, website, web site, translates, chatbot*, opening hours, which documents, waiting times, queues`,
  ),
  /** Uses by their names, which need no deed. */
  migration_use:
    words(`visa screening, visa scoring, visa assessment, visa triage, asylum assessment, asylum decision*, asylum screening, asylum scoring, border
    surveillance, migrant detection, migration risk, overstay prediction, traveller screening, passenger screening at borders, residence permit
    decision*, credibility of asylum`),
  doubted: JUDGING,
  /** Words of coming and staying. Two of them, and somebody judged, are about migration. */
  stay_hint:
    words(`residence, foreigner*, marriages, marriage, sham, passport*, nationality, nationals, arrival*, asylum, country of, home country, border*,
    traveller*, traveler*, entry, entering, enter the country, visa*, birth certificate*, immigra*, migra*, refugee*, embassy, consul*, permit*,
    deport*, detained, newcomers, citizenship, customs officers, frontier*, crossing, wading, stay for good, third country, outside the union,
    schengen, smuggl*, family reunification, contradict*, language test, abscond*, detention`),
  /** Of borders and migration in another sense. */
  goods:
    words(`to tourists, restaurant*, hotel*, orchard*, luggage, baggage, flight delay*, customs declaration*, cross-border payment*, cross-border trade,
    border collie*, data migration*, database migration*, visa card*, visa payment*, visa or mastercard, bird migration, page border*, image border*,
    flower border*, customs value*, goods cross*, visa requirement*`),
};

const rule = annex3<keyof typeof migrationConcepts | "decided">;

export const migrationRules = [
  rule("7", "migration, asylum and borders", ["migration", "examine"], ["goods"]),
  rule("7", "migration, asylum and borders", ["border", "crosser", "examine"], ["goods"]),
  rule("7", "migration, asylum and borders", ["doubted"], ["goods"], "stay_hint"),
  rule("7", "migration, asylum and borders", ["decided"], ["goods", "leaflets"], "migration"),
  rule("7", "migration, asylum and borders", ["migration_use"], ["goods"]),
];
