/** The parts of a runtime that are open, and how they are closed again. */

type Close = () => Promise<unknown>;

export type OpenedParts = {
  /** Notes how a part that was just opened is closed; throws where the start was told to end meanwhile. */
  hold(...closes: Close[]): void;
  /** Closes them, last first; safe to call twice. */
  close(): Promise<void>;
};

export function openedParts(stopping?: AbortSignal): OpenedParts {
  const opened: Close[] = [];
  let closing: Promise<void> | undefined;
  const close = async () => {
    const failures: unknown[] = [];
    // One part that cannot be closed must not keep the others, the embedded Postgres last, from being let go.
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
