/** Restores a log from its external copy: its events become lines of an export, and none is trusted. */
import { lineOf } from "../../eventstore/files/export.ts";
import { BackupUnsound, type RestoreSource } from "../../eventstore/files/restore-source.ts";
import { hexOfDigest } from "../../eventstore/verify/bytes.ts";
import { LogHashes } from "../../eventstore/verify/hashes.ts";
import type { CopiedEvent, OutsideLog } from "../core/model/ports/outside-log.ts";
import { epochOf, exportLineOf, unreadableIn } from "../domain/outside/copied-event.ts";

/** Approximate characters per chunk. */
const CHUNK = 256 * 1024;
const NEVER = "1970-01-01T00:00:00.000Z";

/** `left_out`: the number of events after the last complete commit, known at the end. */
export type CopySource = RestoreSource & { readonly left_out: number };

/** The copy of this epoch's log. Rejects with BackupUnsound if there is none, and with OutsideUnavailable. */
export async function copySource(outside: OutsideLog, epoch: string): Promise<CopySource> {
  const newest = await outside.newest();
  if (!newest)
    throw new BackupUnsound(
      `${outside.host} has no copy of a log of the epoch ${epoch}: name another epoch, KURRENTDB_GENERATION or KurrentDB`,
    );
  refuseUnreadable(newest.event, "its newest event");
  const { origin, position } = newest.event.metadata;
  if (epochOf(origin) !== epoch)
    throw new BackupUnsound(
      `the copy at ${outside.host} is of ${origin}, which is not of the epoch ${epoch}`,
    );
  const source = { origin, events: position, left_out: 0 };
  async function* text() {
    const header = { format: "tallystick-log/1", log_id: 1, origin, exported_at: NEVER, first_position: 1 };
    const genesis = hexOfDigest(new LogHashes(origin).genesis);
    yield Buffer.from(lineOf({ ...header, previous_log_hash: genesis }));
    let events = 0;
    let head = { position: 0, log_hash: genesis };
    let lines = "";
    for await (const commit of wholeCommits(eventsOf(outside, origin), source)) {
      events += commit.length;
      const { position, log_hash } = commit.at(-1)!.metadata;
      head = { position, log_hash };
      for (const event of commit) lines += lineOf(exportLineOf(event));
      if (lines.length < CHUNK) continue;
      yield Buffer.from(lines);
      lines = "";
    }
    yield Buffer.from(lines + lineOf({ end: true, events, head }));
  }
  return Object.assign(source, { parts: [{ name: `the copy at ${outside.host}`, text }] });
}

/** The events that have the form of an export line and are of this log. */
async function* eventsOf(outside: OutsideLog, origin: string): AsyncGenerator<CopiedEvent> {
  let place = 0;
  for await (const event of outside.read()) {
    const which = `the event at position ${++place}`;
    refuseUnreadable(event, which);
    if (event.metadata.origin !== origin)
      throw new BackupUnsound(`${which} of the copy is of the log ${event.metadata.origin}, not ${origin}`);
    yield event;
  }
}

function refuseUnreadable(event: CopiedEvent, which: string): void {
  const reason = unreadableIn(event);
  if (reason !== undefined) throw new BackupUnsound(`${which} of the copy cannot be read: ${reason}`);
}

/** An interrupted copy may end within a commit, which is then left out entirely. */
async function* wholeCommits(
  events: AsyncIterable<CopiedEvent>,
  source: { left_out: number },
): AsyncGenerator<CopiedEvent[]> {
  let commit: CopiedEvent[] = [];
  let size = 0;
  for await (const event of events) {
    const { commit_size } = event.metadata;
    // A commit that begins within another is reported by the verification of the lines.
    if (commit_size !== undefined) size = commit.length + commit_size;
    commit.push(event);
    if (commit.length < size) continue;
    yield commit;
    [commit, size] = [[], 0];
  }
  source.left_out = commit.length;
}
