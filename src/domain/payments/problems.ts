import { problemTypes } from "../../core/model/problem.ts";

export const paymentProblems = problemTypes({
  "payment-known": {
    code: "conflict",
    title: "Payment in use",
    meaning: "Another call already uses this payment or this Idempotency-Key.",
  },
  "answer-gone": {
    code: "conflict",
    title: "Answer gone",
    meaning: "This payment was answered, and the answer is no longer stored; the log has its digest.",
  },
  "payment-unavailable": {
    code: "unavailable",
    title: "Payment unavailable",
    meaning: "Payments cannot be settled at the moment. Nothing was charged.",
  },
  "payment-pending": {
    code: "unavailable",
    title: "Payment pending",
    meaning: "The payment is pending. Retry with the same payment; do not sign a new one.",
  },
  "channel-moved": {
    code: "conflict",
    title: "Channel in use",
    meaning: "Another call used this channel at the same time, or its deposit is being returned.",
  },
  "funds-missing": {
    code: "conflict",
    title: "Funds missing",
    meaning:
      "The account has less than the call must reserve. Calls that take payments answer 402 with the sum instead.",
  },
  "delegation-spent": {
    code: "forbidden",
    title: "Delegation spent",
    meaning:
      "The call would reserve more than the max_spend_usdc of the delegation allows; released money counts again.",
  },
  "account-full": {
    code: "conflict",
    title: "Account full",
    meaning: "An account, or all of them together, would exceed the operator's limit.",
  },
  "custody-off": {
    code: "unavailable",
    title: "Custody off",
    meaning: "This service does not hold others' money on this chain. Nothing was charged.",
  },
});
