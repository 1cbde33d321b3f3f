/** Presentation of hits: an explanation, and the agreement of the entry's other facts, which ranks and never hides. */
import { codeOfCountry, countryCode } from "./countries.ts";
import type { ListedKind } from "./list-entry.ts";
import type { Hit } from "./name-score.ts";

/** The subject of a screening besides the name. `country`: its code. */
export type SubjectFacts = {
  kind: ListedKind | undefined;
  country: string | undefined;
  born: number | undefined;
};

/** null: the caller or the list does not say. */
export type Agreement = { type: boolean | null; country: boolean | null; born: boolean | null };

/** Lists are often a year off, and say so themselves (`circa`). */
const YEARS_OFF = 1;

function agreementOf({ of: { entry } }: Hit, { kind, country, born }: SubjectFacts): Agreement {
  const listed = entry.countries.flatMap((one) => codeOfCountry(one) ?? []);
  return {
    type: kind === undefined ? null : kind === entry.kind,
    country: country === undefined || listed.length === 0 ? null : listed.includes(countryCode(country)),
    born:
      born === undefined || entry.born.length === 0
        ? null
        : entry.born.some((year) => Math.abs(year - born) <= YEARS_OFF),
  };
}

/** Orders hits of about the same score (to a hundredth) by the agreement of their other facts. */
export function ranked(hits: readonly Hit[], known: SubjectFacts): { hit: Hit; agrees: Agreement }[] {
  const rank = (agrees: Agreement) =>
    Object.values(agrees).reduce((sum: number, one) => sum + (one === null ? 0 : one ? 1 : -1), 0);
  const hundredths = (hit: Hit) => Math.round(hit.score * 100);
  return hits
    .map((hit) => ({ hit, agrees: agreementOf(hit, known) }))
    .sort((a, b) => hundredths(b.hit) - hundredths(a.hit) || rank(b.agrees) - rank(a.agrees));
}

/** Explains a hit in a sentence. */
export function explanationOf({ words, of: { name, entry } }: Hit, agrees: Agreement): string {
  const equal = words.filter(({ alike }) => alike === 1).map(({ listed }) => listed);
  const like = words.filter(({ alike }) => alike < 1).map(({ listed }) => listed);
  const parts = [
    ...(equal.length > 0 ? [`has ${equal.join(", ")}`] : []),
    ...(like.length > 0 ? [`is like ${like.join(", ")}`] : []),
  ];
  const first = entry.names.find(({ quality }) => quality === "primary") ?? entry.names[0]!;
  const alias =
    name === first
      ? ""
      : name.quality === "weak"
        ? `, a name that the list marks as weak, of ${first.name}`
        : `, another name of ${first.name}`;
  const compared = [
    ["type", agrees.type],
    ["country", agrees.country],
    ["year of birth", agrees.born],
  ] as const;
  const said = (which: boolean) => compared.filter(([, one]) => one === which).map(([word]) => word);
  const also = [
    ...(said(true).length > 0 ? [`${said(true).join(" and ")} agree`] : []),
    ...(said(false).length > 0 ? [`${said(false).join(" and ")} differ`] : []),
  ];
  return `The name ${parts.join(" and ")} of ${name.name}${alias}${also.length > 0 ? `; ${also.join(", ")}` : ""}.`;
}
