import type { Json } from "../sealed.ts";

/** What a program came to: by its own end, or by a limit that is part of its task. */
export type Ran = { exit: "ok" | "limit"; output: { readonly [member: string]: Json } };

/** Runs tasks of the built-in kinds, with inputs that `readKind` gave. */
export type Executor = {
  /** Names the program that runs them. */
  readonly engine_sha256: string;
  /** `failed`: nothing can be said of it, since it was killed or died; the signal kills it, too. Never rejects. */
  run(work: {
    /** Names a built-in kind of task. */
    kind: string;
    input: object;
    limit_s: number;
    signal?: AbortSignal;
  }): Promise<Ran | { exit: "failed"; reason: string }>;
};
