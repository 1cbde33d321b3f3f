import { problemTypes } from "../../core/model/problem.ts";

export const checkProblems = problemTypes({
  "passphrase-wrong": {
    code: "forbidden",
    title: "Wrong passphrase",
    meaning: "The passphrase is not the check's. Nothing was charged; the attempt is counted.",
  },
  "passphrase-paused": {
    code: "quota_exceeded",
    title: "Passphrase paused",
    meaning: "Too many wrong passphrases were tried for this check; see Retry-After.",
  },
  "check-not-pending": {
    code: "conflict",
    title: "Check not pending",
    meaning: "The check is redeemed, expired or cancelled; checks_verify shows which.",
  },
  "check-redeeming": {
    code: "conflict",
    title: "Check being redeemed",
    meaning: "A redemption was requested; only CancelAuthorization on the chain can still prevent it.",
  },
  "check-uncovered": {
    code: "conflict",
    title: "Check not covered",
    meaning:
      "The chain would not pay the check now: the payer has too little USDC, or USDC blocks one of the two accounts.",
  },
});
