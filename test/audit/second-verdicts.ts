/** The second verifier's verdicts, for its tests. */
import type { verifyPack } from "../../src/explorer/verifier.js";

export type Options = Parameters<typeof verifyPack>[1];
export type Verdicts = Awaited<ReturnType<typeof verifyPack>>["verdicts"];

/** The failed verdicts, and where each begins. */
export const red = (verdicts: Verdicts) =>
  Object.fromEntries(verdicts.filter(({ ok }) => !ok).map(({ name, first_bad }) => [name, first_bad]));

export const reasons = (verdicts: Verdicts) => verdicts.map(({ reason }) => reason ?? "").join("\n");
