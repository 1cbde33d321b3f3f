/** What is read of the data while an answer is computed, so that it can be held against what the answer says it rests on. */
import { AsyncLocalStorage } from "node:async_hooks";

const reads = new AsyncLocalStorage<Set<string>>();

/** Runs `work`; `read` names the states of data it looked at, those that were not there too. It grows while `work` goes on. */
export function recordReads<T>(work: () => T): { result: T; read: ReadonlySet<string> } {
  const read = new Set<string>();
  return { result: reads.run(read, work), read };
}

/** Called by the stores for each state of data that somebody looks at. */
export const noteRead = (state: string): void => void reads.getStore()?.add(state);
