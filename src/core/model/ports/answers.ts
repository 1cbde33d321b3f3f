/** An answer as it was given. `body` is null when it is the answer of the payment named by `payment_id`. */
export type KeptAnswer = {
  request_sha256: string;
  status: number;
  body: Buffer | null;
  payment_id: string | null;
};

export type KeptAnswers = {
  /** What was kept under this name in the last 24 hours, and of whom it tells. */
  find(name: string): Promise<(KeptAnswer & { subjects: readonly string[] }) | undefined>;
  /** Keeps an answer of at most 1 MiB; a larger one is let go, and so is one that tells of `subjects` of whom one is forgotten. */
  keep(name: string, answer: KeptAnswer, subjects?: readonly string[]): Promise<void>;
  /** Deletes what is kept of a subject, and keeps nothing that tells of it from then on; says how many answers there were. */
  forget(subject_id: string): Promise<number>;
};
