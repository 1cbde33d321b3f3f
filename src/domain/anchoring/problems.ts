/** Reasons why an event of the log's anchoring is refused. */
import { problemTypes } from "../../core/model/problem.ts";

export const logProblems = problemTypes({
  "log-contradicted": {
    code: "unavailable",
    title: "Log contradicted",
    meaning:
      "The log in this service's database is not the one that was signed or anchored: it was cut, rewritten or set back. Nothing is recorded or sold until its operator has restored it; reading, exporting and verifying go on. Nothing is charged meanwhile.",
  },
  "log-unchecked": {
    code: "unavailable",
    title: "Log not checked",
    meaning:
      "The service could not confirm that the log is the signed and anchored one, so nothing is recorded, sold or charged; reads continue. Try again later.",
  },
  "log-forked": {
    code: "conflict",
    title: "Log forked",
    meaning:
      "One size of the log has two claimed roots, and one of them is false: store both, and compare with your earlier verification.",
  },
});
