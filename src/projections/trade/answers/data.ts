/** What all trade operations have in common: the data they read, what their answers rest on, and what is said of both. */
import type { Data } from "../../../datasets/reading.ts";
import { namesFrom, namesIn, nameTables } from "./names.ts";
import type { TradeData } from "./question.ts";

/** Names are looked up where an answer has any: only then does it rest on their tables. */
export const dataOf = ({ vintages, reference, allow_synthetic }: Data): TradeData => ({
  vintages,
  allow_synthetic,
  get nameOf() {
    return namesIn(reference);
  },
  get names_from() {
    return namesFrom(reference);
  },
});

/** An answer may come from any dataset that is open, so all of them name it, and so do the tables that names come from. */
export const vintage = ({ vintages, reference }: Data) => {
  const open = vintages.open().map(({ vintage }) => vintage);
  return open.length === 0 ? undefined : [...open.sort(), reference.vintages(nameTables)].join("+");
};
