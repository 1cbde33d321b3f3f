/** A decision or a query says no: the caller can act on it. The API turns it into a problem answer of the same code. */
export type RefusalCode =
  | "invalid"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "unprocessable"
  | "quota_exceeded"
  | "unavailable";

export type FieldError = { path: string; message: string };

/** An event by its id and its place in the log. */
export type EventName = { event_id: string; position: number };

export type RefusalExtra = {
  /** Every bad field, when input is what was refused. */
  errors?: FieldError[];
  /** A stable slug that names the kind of problem, such as `dataset-missing`; the code's own slug otherwise. */
  type?: string;
  /** After how many seconds the same request may succeed. */
  retry_after_s?: number;
  /** What was recorded all the same. */
  event?: EventName;
  /** What failed on our side; for the operator, never told to the caller. */
  cause?: unknown;
};

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: RefusalCode;
  readonly errors: FieldError[] | undefined;
  readonly type: string | undefined;
  readonly retry_after_s: number | undefined;
  readonly event: EventName | undefined;

  constructor(code: RefusalCode, message: string, extra: RefusalExtra = {}) {
    super(message, { cause: extra.cause });
    this.code = code;
    this.errors = extra.errors;
    this.type = extra.type;
    this.retry_after_s = extra.retry_after_s;
    this.event = extra.event;
  }
}

/** Refuses: throws a Refusal that carries `code`, a sentence for the caller and what helps to mend it. */
export function refuse(code: RefusalCode, message: string, extra?: RefusalExtra): never {
  throw new Refusal(code, message, extra);
}
