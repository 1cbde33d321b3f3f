/** Why what is said of the log is not recorded. */
import { problemTypes } from "../problem.ts";

export const logProblems = problemTypes({
  "log-forked": {
    code: "conflict",
    title: "Log forked",
    meaning:
      "Two roots are said of one size of the log, and one of them is false: keep both, and compare with what you verified before.",
  },
});
