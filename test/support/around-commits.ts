/** Wraps the commits that a service sends to its log: to die, wait or refuse. */
import type { EventStore } from "../../eventstore/store.ts";
import type { AppendResult, Commit, CommitInFlight } from "../../eventstore/types.ts";

export type Around = (commit: Commit, send: () => Promise<AppendResult>) => Promise<AppendResult>;

/** Wraps each commit of this store; the result removes the wrapper. */
export function aroundCommits(store: EventStore, around: Around): () => void {
  const { send } = store;
  // Commits that depend on it may be sent earlier: then only their versions protect them.
  store.send = (commit): CommitInFlight => ({ settled: around(commit, () => send(untied(commit)).settled) });
  return () => {
    store.send = send;
  };
}

/** The same commit, which depends on versions alone and not on commits in flight. */
export const untied = ({ appends, guards = [], ...rest }: Commit): Commit => ({
  ...{ ...rest, appends: appends.map(byVersion), guards: guards.map(byVersion) },
});

function byVersion<Stream extends { after?: CommitInFlight }>({
  after: _,
  ...stream
}: Stream): Omit<Stream, "after"> {
  return stream;
}

export const typesOf = (commit: Commit): string[] =>
  commit.appends.flatMap(({ events }) => events.map(({ type }) => type));
