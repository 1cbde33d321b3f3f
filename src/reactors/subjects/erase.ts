/** Concludes the erasures that a crash, or a vault that was away, cut short. */

import { reactor } from "../../core/background/reactor.ts";
import { SubjectsUnavailable } from "../../core/model/ports/subjects.ts";
import { erasuresProjection, openErasures } from "../../projections/subjects/erasures.ts";
import { concludeErasure } from "./erasure.ts";

const EVERY_MS = 2_000;
const AT_ONCE = 100;

export const erasuresReactor = reactor({
  name: "subjects.erase",
  every_ms: EVERY_MS,
  memory: () => ({}),
  failures: {
    vault_away: "subjects with a requested erasure are not erased: the vault is unreachable",
    failed: "subjects with a requested erasure are not erased",
  },
  grave: ["vault_away"],
  resumed: "erasures are concluded again",
  async take({ app, signal }) {
    const isCurrent = await app.caughtUp(erasuresProjection);
    const open = await openErasures(app.pool, AT_ONCE);
    for (const { subject_id: id, tenant } of open) {
      if (signal.aborted) return "done";
      try {
        await concludeErasure(app, { tenant, id }, { actor: "reactor:subjects.erase" });
      } catch (error) {
        if (!(error instanceof SubjectsUnavailable)) throw error;
        return { status: "vault_away", reason: error.message };
      }
    }
    return open.length === 0 && isCurrent ? "idle" : "done";
  },
});
