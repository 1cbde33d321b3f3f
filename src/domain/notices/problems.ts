/** Refusals of operations on notices beyond those of any call. */
import { problemTypes } from "../../core/model/problem.ts";

export const noticeProblems = problemTypes({
  "too-many-test-notices": {
    code: "quota_exceeded",
    title: "Too many test notices",
    meaning:
      "The number of test notices for each webhook and hour is limited; `Retry-After` says when you can send the next.",
  },
});
