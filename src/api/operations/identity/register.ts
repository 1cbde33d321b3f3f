import { createHmac } from "node:crypto";
import { z } from "zod";
import { time } from "../../../core/model/fields.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import * as keys from "../../../domain/access/key.ts";
import { digestOf } from "../../../domain/access/secret.ts";
import { byKey } from "../../../domain/identity/act.ts";
import * as agents from "../../../domain/identity/agent.ts";
import * as agentKey from "../../../domain/identity/agent-key.ts";
import {
  about,
  CHALLENGE_SECONDS,
  challengeDigest,
  challengeText,
  endOf,
  purposes,
} from "../../../domain/identity/challenge.ts";
import { displayName, nameSubject, newAgentId } from "../../../domain/identity/fields.ts";
import * as passports from "../../../domain/identity/passports.ts";
import { identityProblems } from "../../../domain/identity/problems.ts";
import { keyOfId, publicKey } from "../../../domain/identity/public-key.ts";
import { soulTenant } from "../../../domain/identity/soul-tenant.ts";
import { passportOf, passportShown, placeOfName } from "../../agents/agents.ts";
import { challengeField, type Proof, provenBy, refuseProof, signatureField } from "../../agents/proofs.ts";
import { AGENT_SCOPES } from "../../declare/access/signed-request.ts";
import { type Context, json, open, operation } from "../../declare/index.ts";

const CAMPAIGN = "first 1,000,000 passports, free";

const registration = z.object({
  agent_id: newAgentId.describe(
    "The agent's permanent id, case-insensitive. An EVM address or a did:key needs a proof of that key. It is public and stays in the log: no personal data",
  ),
  display_name: displayName
    .describe("A name for people, at most 80 characters, sealed and erasable; default: the agent_id")
    .optional(),
  issue_api_key: z
    .boolean("is true or false")
    .default(false)
    .describe("true: issue an API key for the agent; it replaces the current one"),
  challenge: challengeField
    .describe("With `signature`: a soul_challenge with the purpose `prove`, signed by the agent's key")
    .optional(),
  signature: signatureField.optional(),
});

type Registration = z.output<typeof registration>;

const register = operation({
  name: "soul_register",
  route: "POST /soul/register",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  summary: "Register an agent: a passport with a number and a hash",
  description: `An existing agent_id returns its passport, with \`is_new\` false. The API key is shown once, in this answer; a repeat with the
same Idempotency-Key, of 32 characters or more, shows it again. For an existing agent a new key replaces the older one, if
you send the older key or prove a key of the agent. If you send a proof, its key becomes the agent's first.`,
  access: [open({ calls: 20, per: "hour" })],
  stores_answer: false,
  secrets: ["display_name"],
  input: registration,
  output: json(
    z.object({
      passport: passportShown,
      api_key: z.string().optional().describe("Begins with sk_soul_; save it, for we store no copy"),
      is_new: z.boolean(),
      campaign: z.string(),
    }),
  ),
  refuses: [403, 409],
  example: { agent_id: "weather-scout", display_name: "Weather Scout", issue_api_key: true },
  handle: async (context) => {
    const { input, app, unit } = context;
    const { agent_id, issue_api_key } = input;
    const target = agents.targetOf(agent_id);
    const existing = await unit.watch(agents, target);
    const proof = await proofOf(context, existing);
    const sealed = existing ? null : nameOf(context);
    const { origin } = await app.store.identity();
    const now = app.clock.now().toISOString();
    // Numbers have no gaps, because all registrations queue for the counter's stream.
    const counted = await unit.decide(passports, passports.target, (issued) =>
      existing ? [] : passports.issue(agent_id)(issued),
    );
    const is_new = counted.events.length > 0;
    const { state } = await unit.decide(agents, target, (state) => {
      if (state) return [];
      const record = { agent_id, origin, sx_number: counted.state, issued_at: now };
      return agents.register({
        agent_id,
        sx_number: counted.state,
        display_name: sealed,
        passport_hash: agents.passportHash(record),
        registered_at: now,
      })(state);
    });
    const agent = agents.registered(state);
    if (proof && is_new) await bindFirst(context, agent, proof, now);
    const api_key = issue_api_key ? await issueKey(context, agent, { is_new, proof }, now) : undefined;
    return { passport: passportOf(agent), ...(api_key && { api_key }), is_new, campaign: CAMPAIGN };
  },
});

type RegisterContext = Context<Registration>;

type GivenProof = Omit<Proof, "issued_at" | "act"> & Partial<Pick<Proof, "act">>;

/** The proof of a registration, required if the id is a key. A repeat of a recorded registration needs none. */
async function proofOf(
  { input, app }: RegisterContext,
  existing: agents.AgentState,
): Promise<GivenProof | undefined> {
  const { agent_id, challenge, signature } = input;
  const ownKey = keyOfId(agent_id);
  if (ownKey === "unreadable") refuseField("agent_id", "looks like a DID but is not a did:key of Ed25519");
  if ((challenge === undefined) !== (signature === undefined)) {
    const path = challenge === undefined ? "challenge" : "signature";
    refuseField(path, "is required: challenge and signature go together");
  }
  if (challenge === undefined || signature === undefined) {
    if (ownKey && !existing)
      refuse(
        identityProblems["not-yours"],
        "this id is a key: register it with a challenge signed by that key",
      );
    return undefined;
  }
  // If this challenge was used for the recorded registration, it is not checked again, so that a repeat succeeds after
  // it has expired.
  const counted = existing?.keys.find((key) => key.challenge_sha256 === challengeDigest(challenge));
  if (counted) return { key: counted, method: counted.method, challenge_sha256: counted.challenge_sha256 };
  const proof = await provenBy(app, { challenge, signature }, { agent_id, purpose: "prove", about: null });
  if (ownKey && ownKey.kid !== proof.key.kid)
    refuseProof("", {
      path: "challenge",
      message: "is signed by another key than agent_id",
    });
  return proof;
}

const nameOf = ({ input: { agent_id, display_name }, unit }: RegisterContext) =>
  display_name === undefined
    ? null
    : unit.personal({
        subject: nameSubject(agent_id),
        place: placeOfName(agent_id),
        value: { display_name },
      });

async function bindFirst(
  { unit }: RegisterContext,
  agent: agents.Agent,
  proof: GivenProof,
  proven_at: string,
) {
  const { key, method, challenge_sha256, act } = proof;
  const { sx_number, agent_id } = agent.facts;
  await unit.decide(
    agentKey,
    agentKey.targetOf(key.kid),
    agentKey.bind({ kid: key.kid, sx_number, bound_at: proven_at }, null),
  );
  const { kid, kind } = key;
  const facts = {
    ...{ kid, kind, public: key.public, method, challenge_sha256, endorsed_by: null, proven_at },
    ...(act && { act }),
  };
  await unit.decide(
    agents,
    agents.targetOf(agent_id),
    agents.prove(facts, { by_api_key: true, rotating: null }),
  );
}

/**
 * Issues an agent's first API key. Its secret derives from the command's name: a repeat returns it, and it is never
 * stored.
 */
async function issueKey(
  { app, caller, unit }: RegisterContext,
  agent: agents.Agent,
  { is_new, proof }: { is_new: boolean; proof: GivenProof | undefined },
  issued_at: string,
): Promise<string> {
  const { sx_number, agent_id } = agent.facts;
  const tenant = soulTenant(sx_number);
  const key_id = unit.fresh_id;
  const mac = createHmac("sha256", app.link_secret).update(`soul-key:${key_id}`).digest("base64url");
  const secret = `sk_soul_${mac}`;
  const before = agent.api_key_id;
  await unit.decide(agents, agents.targetOf(agent_id), (state) => {
    const shown =
      is_new ||
      (caller.kind === "subject" && caller.tenant === tenant) ||
      agent.keys.some(({ kid }) => kid === proof?.key.kid);
    if (!shown)
      refuse(
        identityProblems["not-yours"],
        `${agent_id} exists: for a new API key send its current one, or prove one of its live keys`,
      );
    // A new agent's proof is already recorded with its first key.
    const challenge_sha256 = is_new ? null : (proof?.challenge_sha256 ?? null);
    const act = is_new ? undefined : (proof?.act ?? byKey);
    return agents.issueApiKey({ key_id, challenge_sha256, issued_at, ...(act && { act }) })(state);
  });
  if (before !== null && before !== key_id)
    await unit.decide(keys, { tenant, id: before }, keys.revoke(issued_at));
  await unit.decide(
    keys,
    { tenant, id: key_id },
    keys.issue({
      key_id,
      tenant,
      space: "soul",
      label: null,
      scopes: AGENT_SCOPES,
      daily: null,
      monthly: null,
      secret_sha256: digestOf(secret).toString("hex"),
      issued_at,
    }),
  );
  return secret;
}

const challenge = operation({
  name: "soul_challenge",
  route: "POST /soul/challenge",
  effect: { changes: "nothing", repeatable: true, reaches_out: false },
  summary: "Get a challenge: a key signs it to prove that the key is the agent's",
  description: `A challenge is valid for ${CHALLENGE_SECONDS / 60} minutes, for one key, agent and purpose, and for one use; it is not stored. An EVM key signs it by personal_sign (EIP-4361; ERC-1271 for a contract wallet). An Ed25519 key signs it, byte for byte, as the payload of an EdDSA JWT.`,
  access: [open()],
  input: z.object({
    agent_id: newAgentId.describe("The agent, registered or new"),
    key: publicKey,
    purpose: z.enum(purposes, `is one of ${purposes.join(", ")}`).describe("The signature's purpose"),
    about: about.optional(),
  }),
  output: json(
    z.object({
      challenge: z.string().describe("The text to sign"),
      form: z.enum(["eip4361", "jwt"]).describe("A message for personal_sign, or the claims of a JWT"),
      kid: z.string().describe("The kid of the key"),
      expires_at: time,
    }),
  ),
  example: { agent_id: "weather-scout", key: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", purpose: "prove" },
  handle: async ({ input: { agent_id, key, purpose, about = null }, app }) => {
    const issued_at = Math.floor(app.clock.now().getTime() / 1_000);
    const salt = Buffer.from(app.random.bytes(8)).toString("hex");
    const saying = { agent_id, key, purpose, about, issued_at, salt };
    const issuer = { public_url: app.settings.public_url, secret: app.link_secret };
    return {
      challenge: challengeText(issuer, saying),
      form: key.kind === "evm" ? "eip4361" : "jwt",
      kid: key.kid,
      expires_at: endOf(saying),
    };
  },
});

export const registerOperations = [register, challenge];
