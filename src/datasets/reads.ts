/** What is read of the data while an answer is computed, so that it can be held against what the answer says it rests on. */
import { AsyncLocalStorage } from "node:async_hooks";

const reads = new AsyncLocalStorage<readonly Set<string>[]>();

/**
 * Runs `work`; `read` names the states of data it looked at, those that were not there too. It grows while `work` goes on. What is
 * recorded within `work` is read by both.
 */
export function recordReads<T>(work: () => T): { result: T; read: ReadonlySet<string> } {
  const read = new Set<string>();
  return { result: reads.run([...(reads.getStore() ?? []), read], work), read };
}

/** Called by the stores for each state of data that somebody looks at. */
export const noteRead = (state: string): void => {
  for (const read of reads.getStore() ?? []) read.add(state);
};
