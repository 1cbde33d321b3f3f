import type { Json } from "../sealed.ts";

export type Ran = { exit: "ok" | "limit"; output: { readonly [member: string]: Json } };

export type Executor = {
  readonly engine_sha256: string;
  /** `failed`: killed or crashed. The signal kills it too. Never rejects. */
  run(work: {
    kind: string;
    input: object;
    limit_s: number;
    signal?: AbortSignal;
  }): Promise<Ran | { exit: "failed"; reason: string }>;
};
