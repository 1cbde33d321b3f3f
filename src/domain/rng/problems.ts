import { problemTypes } from "../../core/model/problem.ts";

export const rngProblems = problemTypes({
  "other-seed": {
    code: "conflict",
    title: "Seed not active",
    meaning: "The seed that you named is no longer active; nothing was drawn.",
  },
  "seed-missing": {
    code: "unavailable",
    title: "Seed missing",
    meaning: "No seed is active at the moment, or the requested one is unavailable.",
  },
});
