import { createHash } from "node:crypto";
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { chainHash, lowerCase, time } from "../../../core/model/fields.ts";
import { refuseField } from "../../../core/model/refusal.ts";
import * as agents from "../../../domain/identity/agent.ts";
import { agentRef, sxId } from "../../../domain/identity/fields.ts";
import * as attestations from "../../../domain/trust/attestation.ts";
import { scoreOn, storedAt } from "../../../projections/trust/scores.ts";
import { actWith } from "../../agents/authority.ts";
import { challengeField, provenBy, signatureField } from "../../agents/proofs.ts";
import { type Context, json, operation, pay } from "../../declare/index.ts";
import { findTarget, sideOf, speakerOf } from "./agents.ts";
import { offchainShown, signingOf } from "./offchain.ts";

const target = z.object({
  subject: agentRef.describe("The subject: agent_id, SX#<number>, or the address of a proven key"),
  skill: attestations.skill.describe("Its skill: small letters, digits and hyphens"),
  weight: z
    .number()
    .min(0.0001, "is at least 0.0001; no weight is negative")
    .max(10, "is at most 10")
    .refine((weight) => Math.abs(weight * 1e4 - Math.round(weight * 1e4)) < 1e-6, "has at most four decimals")
    .default(1)
    .describe("Its weight, 0.0001 to 10"),
  evidence: z
    .string()
    .max(200, "is at most 200 characters")
    .regex(/^[\x21-\x7e]+$/, "is the id of a payment or task: ASCII without spaces")
    .optional()
    .describe("A payment or task between the two; it is shown, and adds no weight"),
  challenge: challengeField.optional(),
  signature: signatureField.optional(),
});
type Target = z.output<typeof target>;

export const shownAttestation = z.object({
  attestation_id: z.string(),
  from: z.string().describe("The attestor's SX#<number>"),
  to: z.string().describe("The subject's SX#<number>"),
  skill: z.string(),
  weight: z.number(),
  evidence: z.string().nullable(),
  made_at: time,
});

const ATTESTATIONS_PATH = "/v1/agent/soul/attestations";

/**
 * Seconds until a new attestation is usually on the chain: a reactor sends each second, and Base makes a block every
 * two seconds.
 */
const EXPECTED_S = 10;

/** An attestation as the attestor sees it: with the offchain proof and the status on chain. */
const withProof = shownAttestation.extend({
  attestation_uid: chainHash.describe("UID of the attestation in `offchain`"),
  offchain: offchainShown,
  status: z.literal("pending").describe("It waits for the chain; `offchain` can be verified at once"),
  onchain_uid: z.null().describe("Not on chain yet"),
  tx_hash: z.null().describe("Not on chain yet"),
  expected_s: z.int().describe("Seconds until it is usually on chain"),
  poll: z
    .string()
    .describe("The path that then has `onchain_uid` and `tx_hash`; add `wait_s` to wait for them"),
});

const warning = z
  .literal("weighs_nothing_yet")
  .nullable()
  .describe("The attestor has no score of its own; until it has one, this adds nothing");

export const attestationShown = (facts: attestations.AttestationFacts) => ({
  attestation_id: facts.attestation_id,
  from: sxId(facts.from),
  to: sxId(facts.to),
  skill: facts.skill,
  weight: facts.weight_micro / 1e6,
  evidence: facts.evidence,
  made_at: facts.made_at,
});

const idOf = (name: string) => createHash("sha256").update(`attestation:${name}`).digest("hex").slice(0, 32);

const fieldIn = (path: string, field: string) => (path === "" ? field : `${path}.${field}`);

/**
 * The attestor's proof that it signed these words. Undefined without a signature; then only the payment identifies
 * the attestor.
 */
async function attestedBy(
  app: App,
  attestor: agents.Agent,
  body: string,
  { challenge, signature }: Pick<Target, "challenge" | "signature">,
  path: string,
) {
  if (challenge === undefined && signature === undefined) return undefined;
  if (challenge === undefined || signature === undefined) {
    const missing = challenge === undefined ? "challenge" : "signature";
    return refuseField(fieldIn(path, missing), "is required: challenge and signature go together");
  }
  const about = createHash("sha256").update(body).digest("hex");
  const use = { agent_id: attestor.facts.agent_id, purpose: "attest" as const, about };
  const { key, challenge_sha256, act } = await provenBy(app, { challenge, signature }, use, path);
  agents.refuseStranger(attestor, key.kid);
  return { challenge_sha256, act: actWith(act, body) };
}

const RULES = `The paying wallet must be a live key of the attesting agent. Its attestations weigh by its own score and decay with exp(-days/30).
The newest of an attestor, subject and skill replaces earlier ones. All of an attestor's attestations share a weight of 20, at most 10 per subject. You cannot attest yourself, your own
wallets, or an agent bound to you by a delegation. docs/trust-score.md has the formula.
To sign an attestation, a live key signs a challenge with the purpose \`attest\`. Its \`about\` is the SHA-256, in hex, of this canonical JSON:
{"agent_id","evidence","skill","to","weight_micro"}. There agent_id is yours in lower case, \`to\` is SX#<number>, and evidence is absent if you give none.
The answer has an EAS offchain attestation, signed by the service's account, for any EAS client. It is then also written to EAS on chain.`;

type AttestContext = Pick<Context<unknown>, "app" | "caller" | "unit" | "request">;

/** Records several attestations in one commit, all or none. */
async function attestAll(
  { app, caller, unit, request }: AttestContext,
  targets: readonly Target[],
  pathOf: (at: number) => string,
) {
  const made_at = app.clock.now().toISOString();
  const speaker = await speakerOf(app, caller, request.payment_id);
  const attestor = agents.acting(await unit.watch(agents, speaker.target));
  const from = sideOf(attestor, made_at);
  const lines = new Set<string>();
  const made: z.input<typeof withProof>[] = [];
  const signing = await signingOf(app);
  for (const [at, wanted] of targets.entries()) {
    const { subject: named, skill, weight, evidence = null } = wanted;
    const to = sideOf(agents.acting(await unit.watch(agents, await findTarget(app, named))), made_at);
    attestations.refuseSelf(from, to, speaker.payer);
    const line = `${to.sx_number} ${skill}`;
    if (lines.has(line))
      refuseField(pathOf(at) || "subject", "repeats a subject and skill above: only the newest counts");
    lines.add(line);
    const weight_micro = Math.round(weight * 1e4) * 100;
    const said = { agent_id: attestor.facts.agent_id, evidence, skill, to: to.sx_number, weight_micro };
    const proof = await attestedBy(app, attestor, attestations.attestationText(said), wanted, pathOf(at));
    const words = {
      // A signed text makes one attestation, so the text's digest gives the id.
      attestation_id: idOf(proof?.challenge_sha256 ?? `${unit.fresh_id}:${at}`),
      from: from.sx_number,
      to: to.sx_number,
      skill,
      weight_micro,
      recipient: to.wallets[0] === undefined ? null : lowerCase(to.wallets[0]),
    };
    const { offchain, signed } = await signing(words, made_at);
    const facts: attestations.AttestationFacts = {
      ...words,
      evidence,
      payment_id: request.payment_id ?? null,
      offchain_uid: offchain.uid,
      made_at,
      act: proof?.act ?? { by: "payment" },
    };
    await unit.decide(attestations, attestations.targetOf(facts.attestation_id), attestations.make(facts));
    made.push({
      ...attestationShown(facts),
      attestation_uid: offchain.uid,
      offchain: signed,
      status: "pending",
      onchain_uid: null,
      tx_hash: null,
      expected_s: EXPECTED_S,
      poll: `${ATTESTATIONS_PATH}/${facts.attestation_id}`,
    });
  }
  const computed = await storedAt(app.pool);
  const own = computed && (await scoreOn(app.pool, computed.day, from.sx_number));
  return {
    attestations: made,
    warning: own && own.score > 0 ? null : ("weighs_nothing_yet" as const),
  };
}

const attest = operation({
  name: "soul_attest",
  route: "POST /v1/agent/soul/attest",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  summary: "Attest another agent's skill",
  description: `One public event in the log. ${RULES}`,
  access: [pay("0.50")],
  input: target,
  output: json(withProof.extend({ warning })),
  status: 201,
  refuses: [404, 409],
  example: { subject: "SX#2", skill: "translation", weight: 2.5 },
  handle: async ({ input, ...context }) => {
    const { attestations: made, warning } = await attestAll(context, [input], () => "");
    return { ...made[0]!, warning };
  },
});

const batch = operation({
  name: "soul_attest_batch",
  route: "POST /v1/agent/soul/attest/batch",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  summary: "Attest up to 100 skills of other agents at once",
  description: `All of them in one commit, or none. ${RULES}`,
  access: [pay("25.00")],
  input: z.object({
    targets: z
      .array(target)
      .min(1, "has at least one target")
      .max(100, "has at most 100 targets")
      .describe("Up to 100, each as in soul_attest; no subject and skill twice"),
  }),
  output: json(z.object({ attestations: z.array(withProof), warning })),
  status: 201,
  refuses: [404, 409],
  example: {
    targets: [
      { subject: "SX#2", skill: "translation", weight: 2.5 },
      { subject: "SX#2", skill: "arithmetic" },
    ],
  },
  handle: ({ input: { targets }, ...context }) => attestAll(context, targets, (at) => `targets.${at}`),
});

export const attestationOperations = [attest, batch];
