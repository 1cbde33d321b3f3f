/** Reasons why the change feed or a snapshot cannot be read. */
import { problemTypes } from "../../core/model/problem.ts";

export const replayProblems = problemTypes({
  "history-diverged": {
    code: "conflict",
    title: "History diverged",
    meaning:
      "The cursor or log position belongs to a history this log does not hold; compare with what you kept before going on.",
  },
  "link-expired": {
    code: "forbidden",
    status: 410,
    title: "Link expired",
    meaning: "A signed link is good for a while only; ask for a new one where you got it.",
  },
  "snapshot-being-made": {
    code: "unavailable",
    title: "Snapshot being made",
    meaning:
      "The file is made the first time it is asked for; ask again after Retry-After. Nothing was charged.",
  },
});
