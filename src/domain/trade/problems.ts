import { problemTypes } from "../../core/model/problem.ts";

export const tradeProblems = problemTypes({
  "outside-coverage": {
    code: "invalid",
    title: "Outside coverage",
    meaning: "No dataset covers the question; `errors` names the field and the covered range.",
  },
  "dataset-missing": {
    code: "unavailable",
    title: "Dataset missing",
    meaning: "The required data is not loaded yet; see Retry-After.",
  },
  "import-running": {
    code: "conflict",
    title: "Import running",
    meaning: "One import of files runs at a time, and another has not ended; see Retry-After.",
  },
  "disk-full": {
    code: "unavailable",
    title: "Disk full",
    meaning:
      "The service's disk has no space left for the data. Nothing was changed; its operator must free some.",
  },
  "memory-limit": {
    code: "unavailable",
    title: "Memory limit",
    meaning:
      "The data needs more memory than the service allows. Nothing was changed; a narrower question may work.",
  },
});
