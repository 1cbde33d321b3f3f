/** The second verifier's verdicts, for its tests. */
import type { verifyPack } from "../../src/explorer/verifier.js";

export type Options = Parameters<typeof verifyPack>[1];
export type Verdicts = Awaited<ReturnType<typeof verifyPack>>["verdicts"];

/** The verdicts with a fault of their own, and where each begins. */
export const red = (verdicts: Verdicts) =>
  Object.fromEntries(
    verdicts
      .filter(({ ok, judged }) => !ok && judged !== false)
      .map(({ name, first_bad }) => [name, first_bad]),
  );

export const reasons = (verdicts: Verdicts) => verdicts.map(({ reason }) => reason ?? "").join("\n");
