import { problemTypes } from "../../core/model/problem.ts";

export const marketProblems = problemTypes({
  "bounty-state": {
    code: "conflict",
    title: "Not in this bounty status",
    meaning: "The bounty's status or deadline does not allow this.",
  },
  "own-goods": {
    code: "conflict",
    title: "Own bounty or item",
    meaning: "You cannot claim your own bounty, or buy your own item.",
  },
  "trust-missing": {
    code: "conflict",
    title: "Too little trust",
    meaning: "The bounty requires more points of trust than the agent has.",
  },
  "submission-stands": {
    code: "conflict",
    title: "Already submitted",
    meaning: "This claim already has a different submission; the first one counts.",
  },
  "item-state": {
    code: "conflict",
    title: "Item not for sale",
    meaning: "The item was withdrawn, is free, has a different price, or already belongs to this buyer.",
  },
  "buyers-only": {
    code: "forbidden",
    title: "Buyers only",
    meaning: "Only buyers of an item may judge it: buy it first.",
  },
  "content-damaged": {
    code: "unavailable",
    title: "Content damaged",
    meaning:
      "The stored content does not match its digest in the log, so it is not returned. Nothing was charged.",
  },
});
