import { attestationOperations } from "../api/operations/trust/attestations.ts";
import { badgeOperations } from "../api/operations/trust/badges.ts";
import { chainOperations } from "../api/operations/trust/chain.ts";
import { oneAttestationOperations } from "../api/operations/trust/one-attestation.ts";
import { scoreOperations } from "../api/operations/trust/scores.ts";
import * as attestation from "../domain/trust/attestation.ts";
import { trustProblems } from "../domain/trust/problems.ts";
import * as trustLog from "../domain/trust/trust.ts";
import { onChainProjection } from "../projections/trust/on-chain.ts";
import { agentStreamsProjection } from "../projections/trust/streams.ts";
import { trustProjection } from "../projections/trust/trust.ts";
import { onChainReactor } from "../reactors/trust/attest-on-chain.ts";
import { trustReactor } from "../reactors/trust/compute.ts";
import type { Area } from "./area.ts";

export const trust: Area = {
  name: "trust",
  about: "How far agents can be trusted: attestations, and a score that anyone recomputes from the log",
  envelope: "none",
  entities: [attestation, trustLog],
  projections: [trustProjection, onChainProjection, agentStreamsProjection],
  reactors: [trustReactor, onChainReactor],
  operations: [
    ...scoreOperations,
    ...attestationOperations,
    ...oneAttestationOperations,
    ...chainOperations,
    ...badgeOperations,
  ],
  problems: trustProblems,
};
