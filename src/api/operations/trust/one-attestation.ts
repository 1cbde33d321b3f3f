import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { pause } from "../../../core/coordination/concurrency.ts";
import { networkOf } from "../../../core/model/chain.ts";
import { address, chainHash, madeId, time } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import * as agents from "../../../domain/identity/agent.ts";
import { sxId } from "../../../domain/identity/fields.ts";
import { examples } from "../../../domain/sandbox/examples.ts";
import * as attestations from "../../../domain/trust/attestation.ts";
import { EAS_ADDRESS, SCHEMA_UID } from "../../../domain/trust/eas.ts";
import { isLive } from "../../../projections/trust/evidence.ts";
import { trustProjection } from "../../../projections/trust/trust.ts";
import { authorityOf, proofs } from "../../agents/authority.ts";
import { challengeField, signatureField } from "../../agents/proofs.ts";
import { json, open, operation } from "../../declare/index.ts";
import { targetOfNumber } from "./agents.ts";
import { attestationShown, shownAttestation } from "./attestations.ts";

const attestationId = madeId.describe("The attestation_id from soul_attest");

const unknown = (id: string) => refuse("not_found", `there is no attestation ${id}`);

const LONGEST_WAIT_S = 30;
/** The polling interval of a waiting call. */
const LOOK_MS = 250;

const onChainStatuses = ["none", "asked", "sent", "anchored", "withdrawn", "revoked"] as const;

const show = operation({
  name: "soul_attestation",
  route: "GET /v1/agent/soul/attestations/{id}",
  summary: "One attestation, and its status on chain",
  description: `The attestation is written to EAS within seconds, up to 40 in a transaction; \`wait_s\` waits for that, or for its revocation. Even if a block is reverted, the attestation is on chain once, or reported
as missing. Trust depends only on the log.`,
  access: [open()],
  input: z.object({
    id: attestationId,
    wait_s: z.coerce
      .number()
      .int("is a whole number of seconds")
      .min(0, "is at least 0")
      .max(LONGEST_WAIT_S, `is at most ${LONGEST_WAIT_S}`)
      .default(0)
      .describe(`Seconds to wait for the chain, 0 to ${LONGEST_WAIT_S}`),
  }),
  output: json(
    shownAttestation.extend({
      live: z.boolean().describe("Neither revoked nor replaced"),
      revoked_at: time.nullable(),
      attestation_uid: chainHash.nullable().describe("UID of the EAS offchain attestation"),
      status: z
        .enum(onChainStatuses)
        .describe(
          "On the chain. none: it goes to no chain; asked: it waits; sent: it may be in flight; anchored: it arrived; withdrawn: revoked before it was sent; revoked: revoked there too",
        ),
      network: z.string().describe("CAIP-2"),
      contract: address.describe("EAS"),
      schema_uid: chainHash,
      onchain_uid: chainHash.nullable(),
      tx_hash: chainHash.nullable(),
      block_number: z.int().nullable(),
      revoked_onchain_at: time.nullable(),
    }),
  ),
  refuses: [404],
  example: { id: examples.attestation.shown },
  handle: async ({ input, app, signal }) => {
    const state = await settled(app, input, signal);
    const { facts, revoked_at, on_chain } = state;
    const anchored = on_chain.status === "anchored" ? on_chain.kept : undefined;
    const revoked_s = on_chain.status === "anchored" ? on_chain.revoked_s : null;
    await app.caughtUp(trustProjection);
    return {
      ...attestationShown(facts),
      live: revoked_at === null && (await isLive(app.pool, facts.attestation_id)),
      revoked_at,
      attestation_uid: facts.offchain_uid,
      status: statusOf(state),
      network: networkOf(app.chain),
      contract: EAS_ADDRESS,
      schema_uid: SCHEMA_UID,
      onchain_uid: anchored?.uid ?? null,
      tx_hash: anchored?.transaction ?? null,
      block_number: anchored?.block_number ?? null,
      revoked_onchain_at: revoked_s === null ? null : new Date(revoked_s * 1_000).toISOString(),
    };
  },
});

function statusOf({ revoked_at, on_chain }: attestations.Attestation): (typeof onChainStatuses)[number] {
  if (on_chain.status === "asked" && revoked_at !== null) return "withdrawn";
  if (on_chain.status === "anchored" && on_chain.revoked_s !== null) return "revoked";
  return on_chain.status;
}

/** Waits until the chain shows the state of the log, at most for the requested time. */
async function settled(
  app: App,
  { id, wait_s }: { id: string; wait_s: number },
  signal: AbortSignal,
): Promise<attestations.Attestation> {
  const deadline = performance.now() + wait_s * 1_000;
  for (;;) {
    const state = (await app.load(attestations, attestations.targetOf(id))) ?? unknown(id);
    const status = statusOf(state);
    const isReached = state.revoked_at === null ? ["none", "anchored"] : ["none", "withdrawn", "revoked"];
    if (isReached.includes(status) || signal.aborted || performance.now() >= deadline) return state;
    await pause(LOOK_MS, signal);
  }
}

const revoke = operation({
  name: "soul_attestation_revoke",
  route: "DELETE /v1/agent/soul/attestations/{id}",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Revoke an attestation that your agent made",
  description:
    "Use the attestor's API key, or a challenge with the purpose `revoke` about the attestation_id, signed by a live key of the attestor. The revoked attestation no longer counts, and the one it replaced does not return. A repeat returns its status.",
  access: [proofs],
  input: z.object({
    id: attestationId,
    challenge: challengeField.optional(),
    signature: signatureField.optional(),
  }),
  output: json(
    z.object({
      attestation_id: madeId,
      from: z.string().describe("The attestor's SX#<number>"),
      live: z.literal(false),
      revoked_at: time,
    }),
  ),
  refuses: [403, 404, 409],
  example: { id: examples.attestation.shown },
  handle: async (context) => {
    const { input, app, unit } = context;
    const target = attestations.targetOf(input.id);
    const { facts, revoked_at } = (await unit.watch(attestations, target)) ?? unknown(input.id);
    const answer = (at: string) => ({
      attestation_id: facts.attestation_id,
      from: sxId(facts.from),
      live: false,
      revoked_at: at,
    });
    if (revoked_at !== null) return answer(revoked_at);
    const attestor = agents.acting(await unit.watch(agents, await targetOfNumber(app, facts.from)));
    const request = { purpose: "revoke" as const, about: facts.attestation_id };
    const { by, act } = await authorityOf(context, attestor, input, request);
    agents.refuseStranger(attestor, by);
    const at = app.clock.now().toISOString();
    const { state } = await unit.decide(attestations, target, attestations.revoke(facts.from, at, act));
    return answer(state!.revoked_at!);
  },
});

export const oneAttestationOperations = [show, revoke];
