import { problemTypes } from "../../core/model/problem.ts";

export const checkProblems = problemTypes({
  "passphrase-wrong": {
    code: "forbidden",
    title: "Wrong passphrase",
    meaning: "The check has a passphrase, and this is not it. Nothing was charged; the try is counted.",
  },
  "passphrase-paused": {
    code: "quota_exceeded",
    title: "Passphrase paused",
    meaning: "Too many wrong passphrases were tried for this check; see Retry-After.",
  },
  "check-not-pending": {
    code: "conflict",
    title: "Check not pending",
    meaning: "It is redeemed, expired or cancelled; checks_verify shows which.",
  },
  "check-redeeming": {
    code: "conflict",
    title: "Check being redeemed",
    meaning: "Its redemption was requested: only CancelAuthorization on the chain can be faster.",
  },
  "check-uncovered": {
    code: "conflict",
    title: "Check not covered",
    meaning: "The chain would not pay it now: too little USDC, or USDC itself refuses one of the two.",
  },
});
