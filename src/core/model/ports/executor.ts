import type { Json } from "../sealed.ts";

export type ExecutionResult = { exit: "ok" | "limit"; output: { readonly [member: string]: Json } };

export type Executor = {
  readonly engine_sha256: string;
  /** `failed`: the program was killed or crashed. The signal kills it too. Never rejects. */
  run(work: {
    kind: string;
    input: object;
    limit_s: number;
    signal?: AbortSignal;
  }): Promise<ExecutionResult | { exit: "failed"; reason: string }>;
};
