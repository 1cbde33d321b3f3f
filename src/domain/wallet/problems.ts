import { problemTypes } from "../../core/model/problem.ts";

export const walletProblems = problemTypes({
  "platform-token-missing": {
    code: "unavailable",
    title: "Platform token missing",
    meaning: "This service has no platform token on its chain, so it cannot transfer it.",
  },
});
