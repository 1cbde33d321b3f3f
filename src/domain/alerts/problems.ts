/** What a call about alerts may be refused for beyond what any call may. */
import { problemTypes } from "../../core/model/problem.ts";

export const alertProblems = problemTypes({
  "too-many-tests": {
    code: "quota_exceeded",
    title: "Too many test events",
    meaning:
      "A subscription's webhook is sent so many test events an hour; `Retry-After` says when the next may be.",
  },
});
