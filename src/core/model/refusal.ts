import { type ProblemType, problemOfCode, type RefusalCode } from "./problem.ts";

export type FieldError = { path: string; message: string };

export type EventName = { event_id: string; position: number };

export type RefusalExtra = {
  errors?: FieldError[];
  retry_after_s?: number;
  /** An event that was recorded although the call was refused. */
  event?: EventName;
  /** The error behind the refusal, for the operator; it is never sent to the caller. */
  cause?: unknown;
};

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

/** The query took too long. A retry may succeed, so no cached answer may depend on this refusal. */
export class QueryTimeout extends Refusal {
  constructor(what: string) {
    super("unavailable", `${what} took too long; request less, or try later`, { retry_after_s: 30 });
  }
}

export function refuse(kind: RefusalKind, message: string, extra?: RefusalExtra): never {
  throw new Refusal(kind, message, extra);
}

/** Refuses one field of the input; the answer's detail names the field. */
export function refuseField(path: string, message: string): never {
  refuseFields([{ path, message }]);
}

/** The most fields that an error's detail names. Its `errors` lists all of them. */
export const MOST_NAMED = 3;

/** Refuses several fields of the input. The detail says how to correct the first ones. */
export function refuseFields(errors: FieldError[]): never {
  const rest = errors.length - MOST_NAMED;
  const more = rest > 0 ? `; and ${rest} more, see errors` : "";
  const named = errors.slice(0, MOST_NAMED).map(sentenceOf).join("; ");
  throw new Refusal("invalid", `invalid input: ${named}${more}`, { errors });
}

/** Names the field before its message, unless the message already does. */
export function sentenceOf({ path, message }: FieldError): string {
  if (path === "" || message.startsWith(`${path} `)) return message;
  return /^(is|has|are|appears|looks|must|needs|lacks|takes|begins|names) /.test(message)
    ? `${path} ${message}`
    : `${path}: ${message}`;
}

/** Refuses one field of the input. The sentence is also the answer's detail. */
export function refuseWith(path: string, sentence: string): never {
  throw new Refusal("invalid", sentence, { errors: [{ path, message: sentence }] });
}
