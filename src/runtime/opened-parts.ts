type Close = () => Promise<unknown>;

export type OpenedParts = {
  /** Registers a part's close; throws where the start was aborted meanwhile. */
  hold(...closes: Close[]): void;
  /** Last first; safe to call twice. */
  close(): Promise<void>;
};

export function openedParts(stopping?: AbortSignal): OpenedParts {
  const opened: Close[] = [];
  let closing: Promise<void> | undefined;
  const close = async () => {
    const failures: unknown[] = [];
    // A failed close must not keep the others open, the embedded Postgres least of all.
    for (const shut of opened.reverse()) await shut().catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  return {
    hold(...closes) {
      opened.push(...closes);
      stopping?.throwIfAborted();
    },
    close: () => (closing ??= close()),
  };
}
