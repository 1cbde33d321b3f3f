/** Reads the cursor of a feed as a position in the log. */
import { checkCursor } from "../../../../eventstore/cursor.ts";
import type { LogHead } from "../../../../eventstore/types.ts";
import type { App } from "../../../core/app.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import { replayProblems } from "../../../domain/replay/problems.ts";

/** A cursor of another history is a conflict: the consumer has events that this log lacks. */
export async function afterCursor(app: App, cursor: string, path: string): Promise<LogHead> {
  const checked = await checkCursor(app.store, cursor);
  switch (checked.status) {
    case "ok":
      return (await app.store.headAt(checked.position))!;
    case "malformed":
      return refuseField(path, "is not a whole cursor of this feed; copy it from a line");
    case "ahead":
      return diverged(`it is beyond the head of the log, ${checked.head}: the log has lost its end`);
    case "diverged":
      return diverged("this log has another hash at that position, or is another log");
  }
}

const diverged = (why: string) =>
  refuse(
    replayProblems["history-diverged"],
    `the cursor is not of this history: ${why}. Compare the log with your copy before you go on.`,
  );
