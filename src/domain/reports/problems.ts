/** Reasons why a report is no longer available. */
import { problemTypes } from "../../core/model/problem.ts";

export const reportProblems = problemTypes({
  "report-past-keeping": {
    code: "not_found",
    status: 410,
    title: "Report not kept any more",
    meaning:
      "Its days are over. Its digests remain in the log; the same question on current data is made anew.",
  },
});
