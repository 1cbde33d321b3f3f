/** A decision or a query says no: the caller can act on it. The API turns it into a problem answer of its type. */
import { type ProblemType, problemOfCode, type RefusalCode } from "./problem.ts";

export type FieldError = { path: string; message: string };

/** An event by its id and its place in the log. */
export type EventName = { event_id: string; position: number };

export type RefusalExtra = {
  /** Every bad field, when input is what was refused. */
  errors?: FieldError[];
  /** After how many seconds the same request may succeed. */
  retry_after_s?: number;
  /** What was recorded all the same. */
  event?: EventName;
  /** What failed on our side; for the operator, never told to the caller. */
  cause?: unknown;
};

/** What is refused: a kind of problem that an area has declared, or a code where the general kind says enough. */
export type RefusalKind = RefusalCode | ProblemType<RefusalCode>;

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly type: ProblemType<RefusalCode>;
  readonly errors: FieldError[] | undefined;
  readonly retry_after_s: number | undefined;
  readonly event: EventName | undefined;

  constructor(kind: RefusalKind, message: string, extra: RefusalExtra = {}) {
    super(message, { cause: extra.cause });
    this.type = typeof kind === "string" ? problemOfCode[kind] : kind;
    this.errors = extra.errors;
    this.retry_after_s = extra.retry_after_s;
    this.event = extra.event;
  }

  get code(): RefusalCode {
    return this.type.code;
  }
}

/** What was asked took too long: asked again, it may be answered, so nothing that is kept may rest on its absence. */
export class Late extends Refusal {
  constructor(what: string) {
    super("unavailable", `${what} took too long; ask for less, or later`, { retry_after_s: 30 });
  }
}

/** Refuses: throws a Refusal of `kind`, with a sentence for the caller and what helps to mend it. */
export function refuse(kind: RefusalKind, message: string, extra?: RefusalExtra): never {
  throw new Refusal(kind, message, extra);
}
