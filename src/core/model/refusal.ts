import { type ProblemType, problemOfCode, type RefusalCode } from "./problem.ts";

export type FieldError = { path: string; message: string };

export type EventName = { event_id: string; position: number };

export type RefusalExtra = {
  errors?: FieldError[];
  retry_after_s?: number;
  /** The event that was recorded despite the refusal. */
  event?: EventName;
  /** For the operator; never sent to the caller. */
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

/** A retry may succeed, so nothing cached may depend on this absence. */
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

/** The most fields that a detail names; `errors` has them all. */
export const MOST_NAMED = 3;

/** Refuses fields of the input; the detail says of the first ones how to mend them. */
export function refuseFields(errors: FieldError[]): never {
  const rest = errors.length - MOST_NAMED;
  const more = rest > 0 ? `; and ${rest} more, see errors` : "";
  const named = errors.slice(0, MOST_NAMED).map(sentenceOf).join("; ");
  throw new Refusal("invalid", `invalid input: ${named}${more}`, { errors });
}

/** A message that already names its field is a whole sentence. */
export function sentenceOf({ path, message }: FieldError): string {
  if (path === "" || message.startsWith(`${path} `)) return message;
  return /^(is|has|are|appears|looks|must|needs|lacks|takes|begins|names) /.test(message)
    ? `${path} ${message}`
    : `${path}: ${message}`;
}

/** Refuses one field of the input by a whole sentence, which is also the answer's detail. */
export function refuseWith(path: string, sentence: string): never {
  throw new Refusal("invalid", sentence, { errors: [{ path, message: sentence }] });
}
