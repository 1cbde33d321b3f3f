/** What a test does around the commits that a service sends to its log: dying, waiting, refusing. */
import type { EventStore } from "../../eventstore/store.ts";
import type { AppendResult, Commit, CommitInFlight } from "../../eventstore/types.ts";

export type Around = (commit: Commit, send: () => Promise<AppendResult>) => Promise<AppendResult>;

/** Puts something around each commit that this store sends; what is answered takes it away. */
export function aroundCommits(store: EventStore, around: Around): () => void {
  const { send } = store;
  // Others that rest on it may be sent before it is: their versions alone hold them then.
  store.send = (commit): CommitInFlight => ({ settled: around(commit, () => send(untied(commit)).settled) });
  return () => {
    store.send = send;
  };
}

/** The same commit, which rests on versions alone and not on commits that are on their way. */
export const untied = ({ appends, guards = [], ...rest }: Commit): Commit => ({
  ...{ ...rest, appends: appends.map(byVersion), guards: guards.map(byVersion) },
});

function byVersion<Stream extends { after?: CommitInFlight }>({
  after: _,
  ...stream
}: Stream): Omit<Stream, "after"> {
  return stream;
}

/** The types of all events of a commit. */
export const typesOf = (commit: Commit): string[] =>
  commit.appends.flatMap(({ events }) => events.map(({ type }) => type));
