/** `field`: the path of the invalid value. Nothing was appended. */
export class InvalidEvent extends Error {
  override readonly name = "InvalidEvent";
  readonly field: string;
  readonly problem: string;
  constructor(field: string, problem: string) {
    super(`${field} ${problem}`);
    this.field = field;
    this.problem = problem;
  }

  /** `payload.a` within `events[2]` becomes `events[2].payload.a`. */
  within(outer: string): InvalidEvent {
    return new InvalidEvent(`${outer}.${this.field}`, this.problem);
  }
}

/** Nothing was appended. */
export class DuplicateEventId extends Error {
  override readonly name = "DuplicateEventId";
}

/** Nothing was appended; retry later. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/** The connection broke after an append was sent. Retry with an idempotency key, or look for the event_ids. */
export class AppendUnknown extends Error {
  override readonly name = "AppendUnknown";
}

/** Nothing was appended. */
export class StoreClosed extends Error {
  override readonly name = "StoreClosed";
  constructor() {
    super("the event store is closed: this process is shutting down");
  }
}
