/** Why a model gave no text. */
export const modelTroubles = {
  unreached: "it could not be reached",
  late: "it did not answer in time",
  refused: "it refused to answer",
  too_large: "its answer was too large",
  unreadable: "its answer was none that such an endpoint gives",
  budget_spent: "the tokens of the day are spent",
} as const;

export type ModelTrouble = keyof typeof modelTroubles;

/** What became of asking a model: what was kept of its text, or why nothing was. */
export type ModelAsked<Kept, Why> = ({ kept: Kept } | { why: Why | ModelTrouble }) & {
  prompt_sha256: string;
  /** Of the text that was read last; null where there was none. */
  answer_sha256: string | null;
  /** That counted against the day's budget. */
  tokens: number;
};

/** `data` is the whole user message, as JSON; `form` the JSON Schema of the answer; `within_ms` less than the minute that asking may take. */
export type Question = {
  instructions: string;
  data: object;
  form: object;
  signal: AbortSignal;
  within_ms?: number | undefined;
};

/** A language model somewhere else, whose word counts for nothing by itself. */
export type Model = {
  readonly name: string;
  /** Where it is asked. */
  readonly host: string;
  /**
   * Asks it once, and again where nothing comes of it; a minute in all. `read` says what a text comes to. Rejects where `signal`
   * does.
   */
  ask<Kept, Why>(
    question: Question,
    read: (text: string) => { kept: Kept } | { why: Why },
  ): Promise<ModelAsked<Kept, Why>>;
};
