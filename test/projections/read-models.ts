/** The log as read models fold it. */
import type { RecordedEvent } from "../../eventstore/types.ts";
import type { App } from "../../src/app.ts";

/** All events of the log, in its order. */
export async function wholeLog({ readLog }: Pick<App["store"], "readLog">): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (let page: RecordedEvent[]; (page = await readLog({ after: events.length })).length > 0; )
    events.push(...page);
  return events;
}
