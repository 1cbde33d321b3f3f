export const modelFailures = {
  unreached: "it could not be reached",
  late: "it did not answer in time",
  refused: "it refused to answer",
  too_large: "its answer was too large",
  unreadable: "its answer has the wrong form",
  budget_spent: "the tokens of the day are spent",
} as const;

export type ModelFailure = keyof typeof modelFailures;

export type ModelResult<Accepted, Why> = ({ accepted: Accepted } | { why: Why | ModelFailure }) & {
  prompt_sha256: string;
  answer_sha256: string | null;
  tokens: number;
};

/** `data`: the user message, as JSON. `form`: the JSON Schema of the answer. `within_ms`: below the one-minute limit. */
export type Question = {
  instructions: string;
  data: object;
  form: object;
  signal: AbortSignal;
  within_ms?: number | undefined;
};

/** A language model. Its answers are always checked before use. */
export type Model = {
  readonly name: string;
  readonly host: string;
  /**
   * Retries a failed answer within one minute in all. `read` parses the answer's text. Rejects when `signal` aborts.
   */
  ask<Accepted, Why>(
    question: Question,
    read: (text: string) => { accepted: Accepted } | { why: Why },
  ): Promise<ModelResult<Accepted, Why>>;
};
