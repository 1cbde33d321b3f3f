import { problemTypes } from "../../core/model/problem.ts";

export const questionProblems = problemTypes({
  ambiguous: {
    code: "invalid",
    title: "Ambiguous question",
    meaning: "The question has two likely meanings; `errors` names both and the remedy. Nothing was charged.",
  },
});
