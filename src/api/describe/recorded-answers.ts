/** Answers to the documented examples, recorded by `RECORD=1` with the catalogue's contract test. */
import recorded from "./generated/recorded-answers.json" with { type: "json" };

export const recordedAnswers = recorded as Readonly<Record<string, unknown>>;
