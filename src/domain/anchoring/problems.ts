/** Reasons why an event of the log's anchoring is refused. */
import { problemTypes } from "../../core/model/problem.ts";

export const logProblems = problemTypes({
  "log-contradicted": {
    code: "unavailable",
    title: "Log contradicted",
    meaning:
      "The log in this service's database differs from the signed or anchored one: it was cut, rewritten or restored from an older copy. Nothing is recorded, sold or charged until the operator has restored it. You can still read, export and verify.",
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
