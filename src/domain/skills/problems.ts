import { problemTypes } from "../../core/model/problem.ts";

export const skillProblems = problemTypes({
  "execution-over": {
    code: "conflict",
    title: "Execution over",
    meaning: "The execution has ended, or another attempt runs it: this attempt records nothing more.",
  },
  "executions-waiting": {
    code: "quota_exceeded",
    title: "Too many executions wait",
    meaning:
      "The maximum of your executions is waiting or running. Wait until some have ended; nothing was charged.",
  },
});
