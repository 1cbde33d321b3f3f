import type { Data } from "../../../datasets/reading.ts";
import { codeChanges } from "../../../datasets/reference/code-changes.ts";
import { namesFrom, namesIn, nameTables } from "./names.ts";
import { codeTableIn } from "./product-codes.ts";
import type { TradeData } from "./question.ts";

/** Names are read lazily: only an answer with names depends on their tables. */
export const dataOf = ({ vintages, reference, allow_synthetic }: Data): TradeData => ({
  vintages,
  allow_synthetic,
  get nameOf() {
    return namesIn(reference);
  },
  codesOf: (synthetic) => codeTableIn(reference, synthetic),
  get names_from() {
    return namesFrom(reference);
  },
});

/** An answer can come from any open dataset, so the vintage names all of them and the tables of names. */
export const vintage = ({ vintages, reference }: Data) => {
  const open = vintages.open().map(({ vintage }) => vintage);
  return open.length === 0
    ? undefined
    : [...open.sort(), reference.vintages([...nameTables, codeChanges])].join("+");
};
