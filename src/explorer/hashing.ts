/** Tests whether the browser allows hashing in this page. */

/** Throws a sentence if it does not; `program` is the alternative. */
export function needHashing(program: string): void {
  if (!isSecureContext)
    throw new Error(
      `Browsers let pages hash only over https or on this machine itself; run ${program} instead.`,
    );
}
