/** Reasons why the change feed or a snapshot cannot be read. */
import { problemTypes } from "../../core/model/problem.ts";

export const replayProblems = problemTypes({
  "history-diverged": {
    code: "conflict",
    title: "History diverged",
    meaning:
      "The cursor or log position belongs to a different history than this log's; compare with your stored events before you continue.",
  },
  "link-expired": {
    code: "forbidden",
    status: 410,
    title: "Link expired",
    meaning: "A signed link is valid for a limited time; request a new one where you got it.",
  },
  "snapshot-being-made": {
    code: "unavailable",
    title: "Snapshot being made",
    meaning: "The file is made on its first request; repeat it after Retry-After. Nothing was charged.",
  },
});
