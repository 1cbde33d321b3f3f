/** Refusals of operations on subscriptions of a webhook beyond those of any call. */
import { problemTypes } from "../../core/model/problem.ts";

export const webhookProblems = problemTypes({
  "too-many-tests": {
    code: "quota_exceeded",
    title: "Too many test messages",
    meaning:
      "The number of test messages for each webhook and hour is limited; `Retry-After` says when you can send the next.",
  },
});
