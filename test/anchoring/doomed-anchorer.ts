/** Signs and anchors, and ends itself as kill -9 would at the step named by DIES_AT. */
import { anchorTurn } from "../../src/anchoring/anchor-signed.ts";
import { signTurn } from "../../src/anchoring/sign-growth.ts";
import { openDoomed } from "../support/doomed.ts";
import { AT_ONCE } from "./anchoring-house.ts";

const app = await openDoomed({
  before: { CheckpointSigned: "before it is signed" },
  after: { CheckpointSigned: "after it is signed", Anchored: "after it is recorded" },
});
await signTurn(app, AT_ONCE);
await anchorTurn(app, AT_ONCE);
