/** The elements of Article 12, with the events of this log that answer each. */
import { z } from "zod";

export const element = z.object({
  provision: z.string(),
  element: z.string(),
  applies_to: z.string(),
  events: z.array(z.string()).describe("Event types that answer it"),
  stands_in: z.string().describe("The streams, and the requests that return them"),
  retention: z.string(),
  missing: z.string().nullable().describe("Facts that this log does not record"),
});
export type Element = z.infer<typeof element>;

const HIGH = "high-risk systems";
const FOR_EVER = "append-only, without an end; Articles 19(1) and 26(6) ask for six months at least";
const ELSEWHERE = "what the system does elsewhere, which its provider logs";
const OWN =
  "the agent's tenants soul:<number> and wallet:<address>, by GET /v1/agent/replay/wal-since and exports";
const AGENT = "agent-<agent_id>, public: GET /log/proof/{event_id}";

export const mapping: readonly Element[] = [
  {
    ...{
      provision: "Article 12(1)",
      element: "Events are recorded automatically over the system's lifetime",
      applies_to: HIGH,
    },
    events: [
      "AgentRegistered",
      "AgentKeyProven",
      "PaymentClaimed",
      "PaymentSettled",
      "CheckpointSigned",
      "Anchored",
    ],
    ...{ stands_in: `${AGENT}; ${OWN}`, retention: FOR_EVER, missing: ELSEWHERE },
  },
  {
    ...{
      provision: "Article 12(2)(a)",
      element: "Situations in which it may present a risk, or is changed substantially",
      applies_to: HIGH,
    },
    events: ["AgentDescribed", "AgentSuspended", "AgentReinstated", "PassportRevoked", "NodeSlashed"],
    ...{ stands_in: AGENT, retention: FOR_EVER, missing: "changes that nobody described" },
  },
  {
    ...{ provision: "Article 12(2)(b)", element: "Post-market monitoring (Article 72)", applies_to: HIGH },
    events: ["TrustComputed", "AttestationMade", "AttestationRevoked", "PaymentFailed"],
    ...{ stands_in: "trust, attestation-<id>, payment-<id>", retention: FOR_EVER, missing: ELSEWHERE },
  },
  {
    ...{
      provision: "Article 12(2)(c)",
      element: "Monitoring of its operation by deployers (Article 26(5))",
      applies_to: HIGH,
    },
    events: ["AgentDelegated", "AgentDelegationRevoked", "AgentKeyRevoked"],
    ...{
      stands_in: AGENT,
      retention: FOR_EVER,
      missing: "who the natural persons behind keys and delegations are",
    },
  },
  {
    ...{
      provision: "Article 12(3)",
      element:
        "Period of each use, reference database, input data that matched, persons who verified the result",
    },
    ...{
      applies_to:
        "Annex III, point 1(a), alone: remote biometric identification. It asks nothing of any other system",
      events: [],
    },
    ...{ stands_in: "nowhere in this log", retention: "the provider must store it", missing: "all of it" },
  },
  {
    ...{
      provision: "Articles 19(1) and 26(6)",
      element: "Logs are kept for a period that suits the purpose, six months at least",
      applies_to: HIGH,
    },
    events: ["CheckpointSigned", "Anchored"],
    ...{
      stands_in: "the whole log: GET /log/checkpoints, exports",
      retention: FOR_EVER,
      missing: "personal data that was erased stays unreadable (docs/personal-data.md)",
    },
  },
];
