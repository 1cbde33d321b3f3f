/** Signs and anchors, and ends itself like kill -9 at the step named by DIES_AT. */
import { anchorTick } from "../../src/anchoring/anchor-signed.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { openDoomed } from "../support/doomed.ts";
import { DOOMED_SECONDS, turnOf } from "../support/turns.ts";
import { AT_ONCE } from "./anchoring-setup.ts";

const app = await openDoomed({
  before: { CheckpointSigned: "before it is signed" },
  after: { CheckpointSigned: "after it is signed", Anchored: "after it is recorded" },
});
const brief = { seconds: DOOMED_SECONDS };
await turnOf(app, "log-signing", (turn) => signTick(turn.app, AT_ONCE), brief);
await turnOf(app, "log-anchoring", (turn) => anchorTick(turn.app, AT_ONCE), brief);
