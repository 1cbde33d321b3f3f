/** Refusals of alert operations beyond those of any call. */
import { problemTypes } from "../../core/model/problem.ts";

export const alertProblems = problemTypes({
  "too-many-tests": {
    code: "quota_exceeded",
    title: "Too many test events",
    meaning:
      "The number of test events for each webhook and hour is limited; `Retry-After` says when you can send the next.",
  },
});
