/** Sentences on the changes of a product's code over the years of an answer. */
import { type CitedText, citing, joinList } from "../../domain/reports/cited-text.ts";
import type { AnswerWithOrigin, Ledger } from "../../domain/reports/fact.ts";

type CodesMeta = {
  basis: string;
  changes: { kept: boolean }[];
  family: { code: string }[] | null;
};
type CodedAnswer = {
  meta?: {
    hs?: string | null;
    codes?: CodesMeta;
    chapters_moved?: { year: number; chapters: string[] }[];
  };
};

const MOST_LISTED = 6;

export const JOINED = " with the codes joined to it";

/** Words after a product whose figures are those of its family. */
export function withFamily(answer: object): string {
  const { meta } = answer as CodedAnswer;
  return (meta?.codes?.family?.length ?? 0) > 1 ? JOINED : "";
}

/** The limits that changes of codes set to an answer's figures; none without a change. */
export const codeLimits = (ledger: Ledger, sourced: AnswerWithOrigin): CitedText[] => [
  ...productLimits(ledger, sourced),
  ...chapterLimits(ledger, sourced),
];

function chapterLimits({ at }: Ledger, sourced: AnswerWithOrigin): CitedText[] {
  const { meta } = sourced.answer as CodedAnswer;
  return (meta?.chapters_moved ?? []).map((_, n) => {
    const year = at(sourced, `/meta/chapters_moved/${n}/year`, "year of a change of chapters", "year");
    return citing`In ${year} a revision moved goods between chapters: the figures of these chapters before and after it cover different goods.`;
  });
}

function productLimits({ at }: Ledger, sourced: AnswerWithOrigin): CitedText[] {
  const { meta } = sourced.answer as CodedAnswer;
  if (!meta?.codes || !meta.hs || meta.codes.changes.length === 0) return [];
  const { changes, family } = meta.codes;
  const product = at(sourced, "/meta/hs", "code of the figures", "code");
  const years = changes.map(
    (_, n) => citing`${at(sourced, `/meta/codes/changes/${n}/year`, "year of a change of the code", "year")}`,
  );
  const changed = citing`HS ${product} changed in ${joinList(years)}`;
  const others = (family ?? []).flatMap(({ code }, n) => (code === meta.hs ? [] : n));
  if (others.length > 0) {
    const named = others
      .slice(0, MOST_LISTED)
      .map((n) => citing`${at(sourced, `/meta/codes/family/${n}/code`, "code of the family", "code")}`);
    const rest = others.length > MOST_LISTED ? " and others" : "";
    return [
      citing`${changed}: its figures are sums with HS ${joinList(named)}${rest}, the codes that changes join to it; a sum cannot be divided.`,
    ];
  }
  if (family) return [];
  return [
    changes.some(({ kept }) => kept)
      ? citing`${changed}: the code covers different goods before and after.`
      : citing`${changed}: figures of years without this code are unknown, and no other code is added.`,
  ];
}
