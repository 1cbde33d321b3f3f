/** Refusals of operations on notices beyond those of any call. */
import { problemTypes } from "../../core/model/problem.ts";

export const noticeProblems = problemTypes({
  "notices-past-keeping": {
    code: "not_found",
    status: 410,
    title: "Notices no longer stored",
    meaning:
      "The cursor is older than the oldest stored notice, so some are missing: begin again without a cursor, and read the missing ones in the change feed.",
  },
});
