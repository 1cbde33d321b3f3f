import { problemTypes } from "../../core/model/problem.ts";

export const loungeProblems = problemTypes({
  "balance-too-low": {
    code: "conflict",
    title: "Balance too low",
    meaning: "Your lounge account has less than the bet; nothing was drawn.",
  },
  "account-in-debt": {
    code: "conflict",
    title: "Account in debt",
    meaning:
      "The chain reverted a deposit after it was played; no bet is accepted until it is deposited again.",
  },
});
