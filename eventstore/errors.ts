/** The input cannot stand in the log as it is; `field` is the path of the offending value. Nothing was appended. */
export class InvalidEvent extends Error {
  override readonly name = "InvalidEvent";
  readonly field: string;
  readonly problem: string;
  constructor(field: string, problem: string) {
    super(`${field} ${problem}`);
    this.field = field;
    this.problem = problem;
  }

  /** The same problem seen from outside: `payload.a` within `events[2]` is `events[2].payload.a`. */
  within(outer: string): InvalidEvent {
    return new InvalidEvent(`${outer}.${this.field}`, this.problem);
  }
}

/** An event_id of the commit stands in the log already. Nothing was appended. */
export class DuplicateEventId extends Error {
  override readonly name = "DuplicateEventId";
}

/** The database is away or refused the call; nothing was appended, and the same call may be made again. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/**
 * The connection was lost after an append was sent, so it may stand in the log or not. With an idempotency key make
 * the same call again to learn which; without one look for the event_ids.
 */
export class AppendUnknown extends Error {
  override readonly name = "AppendUnknown";
}

/** The store was closed before this call; nothing was appended. */
export class StoreClosed extends Error {
  override readonly name = "StoreClosed";
  constructor() {
    super("the event store is closed: this process is shutting down");
  }
}
