import { problemTypes } from "../../core/model/problem.ts";

export const trustProblems = problemTypes({
  "self-attestation": {
    code: "conflict",
    title: "Self-attestation",
    meaning:
      "The attestor is the subject itself, or bound to it: one tenant, one wallet, or a delegation between the two. Self-attestations are refused.",
  },
  "trust-computing": {
    code: "unavailable",
    title: "Trust is being computed",
    meaning:
      "Scores as of any position are computed one at a time, and another computation is running. Retry after `Retry-After` seconds.",
  },
  "no-passport": {
    code: "conflict",
    title: "No passport",
    meaning:
      "Only agents attest, and the caller is none: register one and prove the wallet that pays as its key.",
  },
});
