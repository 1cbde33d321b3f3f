import { problemTypes } from "../../core/model/problem.ts";

export const skillProblems = problemTypes({
  "execution-over": {
    code: "conflict",
    title: "Execution over",
    meaning: "It has ended, or another attempt is at it: nothing more is recorded of this one.",
  },
  "executions-waiting": {
    code: "quota_exceeded",
    title: "Too many executions wait",
    meaning: "So many of yours wait to be run already. Wait until some have ended; nothing was charged.",
  },
});
