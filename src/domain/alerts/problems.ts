/** Refusals of alert operations beyond those of any call. */
import { problemTypes } from "../../core/model/problem.ts";

export const alertProblems = problemTypes({
  "too-many-tests": {
    code: "quota_exceeded",
    title: "Too many test events",
    meaning:
      "A subscription's webhook is sent so many test events an hour; `Retry-After` says when the next may be.",
  },
});
