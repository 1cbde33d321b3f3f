/** Foods in another state are other goods: frozen peas are 0710, and canned tuna is 1604. */
import type { NamesIndex } from "./names-index.ts";
import type { Range } from "./numbers.ts";
import type { Word } from "./words.ts";

type State = "frozen" | "dried" | "canned" | "smoked";

const stateOf = ({ folded }: Word): State | undefined =>
  folded === "frozen" || /^sald\w+t/.test(folded)
    ? "frozen"
    : /^(dried|dehydrated)$/.test(folded)
      ? "dried"
      : /^(canned|tinned|pickled|preserved|jarred)$/.test(folded)
        ? "canned"
        : /^smoked$/.test(folded)
          ? "smoked"
          : undefined;

/** The heading of a chapter's goods in a state. Frozen meat stays in its own headings, and dried legumes in theirs. */
const headings: Readonly<Record<string, Partial<Record<State, string>>>> = {
  "03": { frozen: "0303", canned: "1604", smoked: "0305", dried: "0305" },
  "07": { frozen: "0710", canned: "2005", dried: "0712" },
  "08": { frozen: "0811", canned: "2008", dried: "0813" },
};
/** Headings whose goods a state does not move: shellfish, legumes, nuts, raisins, figs and dates. */
const stays = /^(030[678]|0713|080[1-6]|0710|0811|0303)/;
const isMoved = (code: string, state: State): boolean =>
  state === "canned" || (state === "frozen" && /^(0713|080[1-6])/.test(code)) || !stays.test(code);

/** The heading of a product that is said to be in a state, right before it; undefined where its code has the state. */
export function inState(
  words: readonly Word[],
  index: NamesIndex,
  { from, to }: Range,
  code: string,
): string | undefined {
  const state = words
    .slice(Math.max(0, from - 2), to)
    .map(stateOf)
    .find((one) => one !== undefined);
  const heading = state && headings[code.slice(0, 2)]?.[state];
  if (!heading || code.startsWith(heading) || !isMoved(code, state)) return undefined;
  const saysIt = (one: string) =>
    index.below(one).some((entry) => entry.code === one && entry.terms.has(state));
  return code.length > 4 && saysIt(code) ? undefined : heading;
}
