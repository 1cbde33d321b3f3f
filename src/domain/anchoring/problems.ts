/** Why what is said of the log is not recorded. */
import { problemTypes } from "../problem.ts";

export const logProblems = problemTypes({
  "log-contradicted": {
    code: "unavailable",
    title: "Log contradicted",
    meaning:
      "The log in this service's database is not the one that was signed or anchored: it was cut, rewritten or set back. Nothing is recorded or sold until its operator has restored it; reading, exporting and verifying go on. Nothing was charged.",
  },
  "log-forked": {
    code: "conflict",
    title: "Log forked",
    meaning:
      "Two roots are said of one size of the log, and one of them is false: keep both, and compare with what you verified before.",
  },
});
