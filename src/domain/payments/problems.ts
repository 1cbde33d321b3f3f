/** Why a paid call is not answered with what it bought. */
import { problemTypes } from "../../core/model/problem.ts";

export const paymentProblems = problemTypes({
  "payment-known": {
    code: "conflict",
    title: "Payment known",
    meaning: "Another call with this payment, or with this Idempotency-Key, was faster.",
  },
  "answer-gone": {
    code: "conflict",
    title: "Answer gone",
    meaning: "What this payment bought was answered and is not kept any more; its digest stands in the log.",
  },
  "payment-unavailable": {
    code: "unavailable",
    title: "Payment unavailable",
    meaning: "Payments cannot be settled at the moment. Nothing was charged.",
  },
  "payment-pending": {
    code: "unavailable",
    title: "Payment pending",
    meaning:
      "The payment is under way and its outcome not known yet. Ask again with the same payment; do not sign a new one.",
  },
  "funds-missing": {
    code: "conflict",
    title: "Funds missing",
    meaning:
      "The account has less than this holds. Calls that take payments answer 402 with the sum instead.",
  },
  "delegation-spent": {
    code: "forbidden",
    title: "Delegation spent",
    meaning:
      "What the delegate would hold goes beyond the max_spend_usdc of its delegation; what comes back of holds is its to spend again.",
  },
  "account-full": {
    code: "conflict",
    title: "Account full",
    meaning: "An account, or all of them together, would hold more than the operator keeps for others.",
  },
  "custody-off": {
    code: "unavailable",
    title: "Custody off",
    meaning: "This service keeps no money for others on this chain. Nothing was charged.",
  },
});
