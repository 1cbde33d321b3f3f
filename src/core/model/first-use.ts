/** Returns a function that calls `make` once, at its own first call: most processes start without the value. */
export function atFirstUse<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
