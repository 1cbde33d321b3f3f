/** Under what terms each source is published, and how long after what it tells of. */

type Terms = { licence: string; delay: string };

const EUROSTAT = "Eurostat: reuse with the source named (CC BY 4.0)";
const UNITED_STATES = "Work of the United States Government, public domain";
const COMMISSION = "European Commission: reuse with the source named (Decision 2011/833/EU)";

/** By the name of the table, or what the source of a trade dataset says of itself. */
const terms: readonly (Terms & { of: RegExp })[] = [
  { of: /^(hicp|labour-costs)$/, licence: EUROSTAT, delay: "about a month and a half, or a quarter" },
  { of: /^(ses-earnings|isco-nace-employment)$/, licence: EUROSTAT, delay: "a year or more" },
  {
    of: /^(ecb-mro|ecb-rates)$/,
    licence: "European Central Bank: free with the source named",
    delay: "a day",
  },
  { of: /^brent$/, licence: UNITED_STATES, delay: "about a week" },
  { of: /^ofac-/, licence: UNITED_STATES, delay: "none: a list in force" },
  { of: /^un-/, licence: "United Nations: terms of use of its site", delay: "none: a list in force" },
  { of: /^(cn-nomenclature|hs-|taric-)/, licence: COMMISSION, delay: "none: rules in force" },
  {
    of: /^lv-wages$/,
    licence: "Central Statistical Bureau of Latvia (CC BY 4.0)",
    delay: "about two months",
  },
  {
    of: /^ilo-exposure$/,
    licence: "International Labour Organization (CC BY 4.0)",
    delay: "as papers appear",
  },
  { of: /^policies$/, licence: "As whoever gave the list says", delay: "as it is given" },
  { of: /^shop-sales$/, licence: "The operator's own", delay: "none" },
  {
    of: /comtrade/i,
    licence: "UN Comtrade: its licence limits redistribution",
    delay: "months, by reporter",
  },
  { of: /comext|eurostat/i, licence: EUROSTAT, delay: "about fifty days after the month" },
];

/** The terms of a dataset; its publisher's own where none are known here. */
export function licenceOf(dataset: string, source: string, synthetic: boolean): Terms {
  if (synthetic) return { licence: "Invented here: free of any", delay: "none" };
  const found = terms.find(({ of }) => of.test(dataset)) ?? terms.find(({ of }) => of.test(source));
  return found
    ? { licence: found.licence, delay: found.delay }
    : { licence: "As its publisher says", delay: "as its publisher says" };
}

/** What answers might rest on and do not. */
export const absentSources: readonly { dataset: string; why: string }[] = [
  { dataset: "gdelt", why: "no GDELT files are loaded" },
  { dataset: "ais", why: "positions of ships are licensed, and none are loaded" },
];
