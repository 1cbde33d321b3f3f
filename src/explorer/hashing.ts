/** Whether the browser lets this page hash at all. */

/** Throws a sentence where it does not; `program` is what does the same elsewhere. */
export function needHashing(program: string): void {
  if (!isSecureContext)
    throw new Error(
      `Browsers let pages hash only over https or on this machine itself; run ${program} instead.`,
    );
}
