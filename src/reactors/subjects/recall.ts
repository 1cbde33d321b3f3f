/** Destroys keys that were given out to seal by, and that nothing was recorded under within an hour. */

import { reactor } from "../../core/background/reactor.ts";
import { type IssuedKey, SubjectsUnavailable } from "../../core/model/ports/subjects.ts";
import * as recall from "../../core/model/unused-keys.ts";
import { sealedAmong, sealedProjection } from "../../projections/subjects/sealed.ts";

const AT_ONCE = 10_000;
/** The longest wait for a read model. */
const WAIT_MS = 5_000;

const meta = { actor: "reactor:subjects.recall", operation: "subjects.recall" };

export const recallReactor = reactor({
  name: "subjects.recall",
  every_ms: 10_000,
  memory: () => ({}),
  failures: {
    vault_away: "keys without a record are not destroyed: the vault is unreachable",
    failed: "keys without a record are not destroyed",
  },
  resumed: "keys without a record are destroyed again",
  async take({ app }) {
    /** The keys without any record in the log up to this position; undefined while that is unknown. */
    const unused = async (keys: readonly IssuedKey[], position: number) => {
      if (!(await app.runner.reached(sealedProjection, position, WAIT_MS))) return undefined;
      const used = await sealedAmong(
        app.pool,
        keys.map(({ subject_id }) => subject_id),
      );
      await app.subjects.used([...used]);
      return keys.filter(({ subject_id }) => !used.has(subject_id));
    };
    try {
      const given = await app.subjects.given(AT_ONCE);
      if (given.length === 0) return "idle";
      const left = await unused(given, (await app.store.head()).position);
      const old = left?.filter(({ age_s }) => age_s >= recall.UNUSED_S) ?? [];
      if (old.length === 0) return "done";
      const facts = { keys: old.length, recalled_at: app.clock.now().toISOString() };
      const { events } = await app.decide(recall, recall.target, recall.recall(facts), { meta });
      if (!events[0]) return "done";
      // Records from before the recall stay; nothing sealed before it is recorded after it.
      await app.subjects.recall((await unused(old, events[0].position)) ?? []);
      return "done";
    } catch (error) {
      if (!(error instanceof SubjectsUnavailable)) throw error;
      return { status: "vault_away", reason: error.message };
    }
  },
});
