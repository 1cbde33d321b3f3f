import { problemTypes } from "../../core/model/problem.ts";

export const trustProblems = problemTypes({
  "self-attestation": {
    code: "conflict",
    title: "Self-attestation",
    meaning:
      "The attestor is the subject itself, or related to it: the same tenant, the same wallet, or a delegation between them. Self-attestations are refused.",
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
    meaning: "Only agents can attest: register an agent, and prove the paying wallet as its key.",
  },
});
