/** The terms of each source in short, with the publisher's own statement, and its delay after the reported period. */

type Terms = {
  licence: string;
  /** The publisher's statement of the terms; null without one. */
  licence_source: string | null;
  delay: string;
};

const EUROSTAT = {
  licence: "Eurostat: commercial and other reuse with the source and changes named",
  licence_source: "https://ec.europa.eu/eurostat/web/main/help/copyright-notice",
};
/**
 * An older notice that is still valid excludes these from commercial dissemination; the newer one does not name them.
 */
const COMEXT = {
  ...EUROSTAT,
  licence: `${EUROSTAT.licence}; ask Eurostat before selling Austria's trade by eight digits, or EFTA's`,
  licence_source: `${EUROSTAT.licence_source} https://ec.europa.eu/eurostat/statistics-explained/index.php/Copyright/licence_policy`,
};
const UNITED_STATES = {
  licence: "Work of the United States Government: no copyright there (17 U.S.C. 105)",
  licence_source: "https://www.law.cornell.edu/uscode/text/17/105",
};
const COMMISSION = {
  licence: "European Commission: commercial and other reuse with the source named (Decision 2011/833/EU)",
  licence_source:
    "https://op.europa.eu/en/web/about-us/legal-notices/publications-office-of-the-european-union-copyright",
};

/** By the name of the table, or the source that a trade dataset declares. */
const terms: readonly (Terms & { of: RegExp })[] = [
  { of: /^(hicp|labour-costs)$/, ...EUROSTAT, delay: "about a month and a half, or a quarter" },
  { of: /^(ses-earnings|isco-nace-employment)$/, ...EUROSTAT, delay: "a year or more" },
  {
    of: /^(ecb-mro|ecb-rates)$/,
    licence: "European System of Central Banks: free reuse with the source named, unchanged",
    licence_source: "https://www.ecb.europa.eu/home/disclaimer/html/index.en.html",
    delay: "a day",
  },
  { of: /^brent$/, ...UNITED_STATES, delay: "about a week" },
  { of: /^ofac-/, ...UNITED_STATES, delay: "none: a list in force" },
  {
    of: /^un-/,
    licence: "United Nations: personal, non-commercial use; no right to resell or redistribute",
    licence_source: "https://www.un.org/en/about-us/terms-of-use",
    delay: "none: a list in force",
  },
  { of: /^(cn-nomenclature|hs-|taric-|eu-)/, ...COMMISSION, delay: "none: rules in force" },
  {
    of: /^lv-wages$/,
    licence: "Official statistics of Latvia: commercial and other use with the source and the portal named",
    licence_source: "https://stat.gov.lv/en/about-osp",
    delay: "about two months",
  },
  {
    of: /^ilo-exposure$/,
    licence: "International Labour Organization: CC BY 4.0 for what appeared since 3 May 2023",
    licence_source: "https://www.ilo.org/global/copyright/lang--en/index.htm",
    delay: "as papers appear",
  },
  {
    of: /^policies$/,
    licence: "As the list's publisher says",
    licence_source: null,
    delay: "as it is given",
  },
  { of: /^shop-sales$/, licence: "The operator's own", licence_source: null, delay: "none" },
  {
    of: /comtrade/i,
    licence:
      "UN Comtrade: internal use; redissemination only with written permission of its Statistics Division",
    licence_source: "https://wits.worldbank.org/WITS/wits/registration/TermsAndCondtions.aspx",
    delay: "months, by reporter",
  },
  { of: /comext|eurostat/i, ...COMEXT, delay: "about fifty days after the month" },
];

/** The terms of a dataset; where none are listed here, the publisher's own. */
export function licenceOf(dataset: string, source: string, synthetic: boolean): Terms {
  if (synthetic)
    return { licence: "Invented by this service: no licence applies", licence_source: null, delay: "none" };
  const found = terms.find(({ of }) => of.test(dataset)) ?? terms.find(({ of }) => of.test(source));
  if (!found)
    return { licence: "As its publisher says", licence_source: null, delay: "as its publisher says" };
  const { of: _, ...licence } = found;
  return licence;
}

/** Sources that answers could rest on and do not. */
export const absentSources: readonly { dataset: string; why: string }[] = [
  { dataset: "gdelt", why: "no GDELT files are loaded" },
  { dataset: "ais", why: "positions of ships are licensed, and none are loaded" },
];
