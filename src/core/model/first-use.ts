/** A function that returns the value of `make`, which runs at the first call: most processes start without it. */
export function atFirstUse<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
