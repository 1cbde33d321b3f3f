/** One attestation, by its id. */
import { z } from "zod";
import { madeId, time } from "../../../domain/fields.ts";
import * as agents from "../../../domain/identity/agent.ts";
import { sxId } from "../../../domain/identity/fields.ts";
import { refuse } from "../../../domain/refusal.ts";
import * as attestations from "../../../domain/trust/attestation.ts";
import { json, operation } from "../../operation.ts";
import { authorityOf, proofs } from "../identity/authority.ts";
import { challengeField, signatureField } from "../identity/proofs.ts";
import { targetOfNumber } from "./agents.ts";

const attestationId = madeId.describe("The attestation_id that soul_attest answered");

const unknown = (id: string) => refuse("not_found", `there is no attestation ${id}`);

const revoke = operation({
  name: "soul_attestation_revoke",
  route: "DELETE /v1/agent/soul/attestations/{id}",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Take back what an agent said of another",
  description:
    "With the attestor's API key, or a challenge of purpose revoke about the attestation_id, signed by a live key of the attestor. It counts no " +
    "more from then on; what it had replaced stays replaced. One that was taken back before answers as it stands.",
  access: [proofs],
  input: z.object({
    id: attestationId,
    challenge: challengeField.optional(),
    signature: signatureField.optional(),
  }),
  output: json(
    z.object({ attestation_id: madeId, from: z.string(), live: z.literal(false), revoked_at: time }),
  ),
  refuses: [403, 404, 409],
  example: { id: "0".repeat(32) },
  handle: async (context) => {
    const { input, app, decide, watch } = context;
    const target = attestations.targetOf(input.id);
    const { facts, revoked_at } = (await watch(attestations, target)) ?? unknown(input.id);
    const answer = (at: string) => ({
      attestation_id: facts.attestation_id,
      from: sxId(facts.from),
      live: false,
      revoked_at: at,
    });
    if (revoked_at !== null) return answer(revoked_at);
    const attestor = agents.acting(await watch(agents, await targetOfNumber(app, facts.from)));
    const asked = { purpose: "revoke" as const, about: facts.attestation_id };
    const { by } = await authorityOf(context, attestor, input, asked);
    agents.refuseStranger(attestor, by);
    const at = app.clock.now().toISOString();
    const { state } = await decide(attestations, target, attestations.revoke(facts.from, at));
    return answer(state!.revoked_at!);
  },
});

export const oneAttestationOperations = [revoke];
