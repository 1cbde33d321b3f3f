import { problemTypes } from "../../core/model/problem.ts";

export const reportProblems = problemTypes({
  "report-past-keeping": {
    code: "not_found",
    status: 410,
    title: "Report no longer stored",
    meaning:
      "The report's retention has ended. Its digests remain in the log; ask the same question again for a report on current data.",
  },
});
