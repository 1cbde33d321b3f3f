/** `body` is null if `payment_id` names the payment that stores the same answer. */
export type StoredAnswer = {
  request_sha256: string;
  status: number;
  body: Buffer | null;
  payment_id: string | null;
};

export type StoredAnswers = {
  /** Answers expire after 24 hours. */
  find(name: string): Promise<(StoredAnswer & { subjects: readonly string[] }) | undefined>;
  /** Skips an answer over 1 MiB, and one about an erased subject. */
  keep(name: string, answer: StoredAnswer, subjects?: readonly string[]): Promise<void>;
  /** Deletes a subject's answers, and blocks new ones; returns their number. */
  forget(subject_id: string): Promise<number>;
};
