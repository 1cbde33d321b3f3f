/** The acts that an event claims: who wanted it, and the facts that a signed text of it has to name. */
export type Members = Readonly<Record<string, unknown>>;
export type ActEvent = { type: string; tenant: string; id: string; data: Members; meta: Members };

/** The text's purpose and object; without one it is about nothing. `body`: compares the JSON whose SHA-256 the text is about; a sentence is the fault. */
export type Wording = {
  purpose: string;
  about?: string | ((about: string) => boolean);
  body?: (body: Members) => string | undefined;
};

/** A call by SIGN-IN-WITH-X that does the same: the end of its path, and the members of its body. */
export type CallWording = { path: string; body: (body: Members) => string | undefined };

export type ActClaim = {
  /** A text counts once for each of these names. */
  slot: string;
  act: unknown;
  at: unknown;
  digest: unknown;
  /** The agent: its id, or its passport; or the tenant that it acts for. */
  of: { agent: string } | { sx: unknown } | { tenant: string | undefined };
  /** The kid in the event; null: nobody signed; undefined: the event has none. */
  signer: string | null | undefined;
  /** The substitute for a signature, if there is one. */
  else: readonly ("key" | "payment")[];
  wordings: readonly Wording[];
  call?: CallWording;
  /** Its own proof makes the key one of the agent. */
  is_own_proof?: true;
};

/** Facts of earlier events about the objects of acts. */
export type ActObjects = {
  attestorOf(attestation_id: string): number | undefined;
  creatorOf(bounty_id: string): string | undefined;
  isLive(agent: string, kid: string): boolean;
};

const TYPES = [
  "AgentRegistered",
  "AgentApiKeyIssued",
  "AgentKeyProven",
  "AgentKeyRevoked",
  "AgentDelegated",
  "AgentDelegationRevoked",
  "AgentDescribed",
  "AgentLinked",
  "AgentUnlinked",
  "PassportRevoked",
  "AttestationMade",
  "AttestationRevoked",
  "BountyFunded",
  "BountyAwarded",
  "TaskAccepted",
  "TaskRejected",
];
export const actTypes: ReadonlySet<string> = new Set(TYPES);

/** Undefined for events that no act is about. */
export function actEvent({ type, stream_id, tenant, payload, meta }: Members): ActEvent | undefined {
  const name = String(type);
  const data = actTypes.has(name) ? objectIn(String(payload)) : undefined;
  const stream = String(stream_id);
  const id = stream.slice(stream.indexOf("-") + 1);
  return data && { type: name, tenant: String(tenant), id, data, meta: objectIn(String(meta)) ?? {} };
}

export function objectIn(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Members)
      : undefined;
  } catch {
    return undefined;
  }
}

const KEY = ["key"] as const;
const kidOf = (value: unknown) => (typeof value === "string" ? value : null);

/** The claims of an event; none where no agent caused it. */
export function claimsOf(event: ActEvent, objects: ActObjects): ActClaim[] {
  const { type, id, data, tenant } = event;
  const ofAgent = (at: unknown, signer: string | null | undefined, ...wordings: Wording[]): ActClaim => ({
    ...{ slot: type, act: data.act, at, digest: data.challenge_sha256, of: { agent: id } },
    ...{ signer, else: KEY, wordings },
  });
  const by = kidOf(data.by);
  switch (type) {
    case "AgentApiKeyIssued":
      return data.act === undefined && kidOf(data.challenge_sha256) === null
        ? []
        : [ofAgent(data.issued_at, undefined, { purpose: "prove" })];
    case "AgentKeyProven":
      return keyClaims(ofAgent(data.proven_at, kidOf(data.kid), { purpose: "prove" }), data);
    case "AgentKeyRevoked": {
      const kid = String(data.kid);
      const isNewKey = (about: string) => about !== kid && objects.isLive(id, about);
      const replaced = by === kid ? [{ purpose: "rotate", about: isNewKey }] : [];
      return [ofAgent(data.revoked_at, by, { purpose: "revoke", about: kid }, ...replaced)];
    }
    case "AgentDelegated": {
      const wording = { purpose: "delegate", body: (body: Members) => delegationFault(id, data, body) };
      return [{ ...ofAgent(data.delegated_at, kidOf(data.kid), wording), else: [] }];
    }
    case "AgentDelegationRevoked":
      return [ofAgent(data.revoked_at, by, { purpose: "revoke", about: String(data.delegation_id) })];
    case "AgentDescribed": {
      const body = (said: Members) =>
        differing({ services: said.services, version: said.version ?? null }, data);
      return [ofAgent(data.described_at, by, { purpose: "describe", body })];
    }
    case "AgentLinked":
    case "AgentUnlinked": {
      const isAsked = type === "AgentLinked" ? data.cause === "asked" : data.reason === "asked";
      const purpose = type === "AgentLinked" ? "link" : "revoke";
      const at = data.linked_at ?? data.unlinked_at;
      return isAsked ? [ofAgent(at, by, { purpose, about: `${data.kind}-${data.ref}` })] : [];
    }
    case "PassportRevoked":
      return by === null
        ? []
        : [{ ...ofAgent(data.revoked_at, by, { purpose: "revoke", about: "passport" }), else: [] }];
    case "AttestationMade": {
      const wording = { purpose: "attest", body: (body: Members) => attestationFault(data, body) };
      const claim = ofAgent(data.made_at, undefined, wording);
      return [{ ...claim, of: { sx: data.from }, else: ["payment"] }];
    }
    case "AttestationRevoked": {
      const claim = ofAgent(data.revoked_at, undefined, { purpose: "revoke", about: id });
      return [{ ...claim, of: { sx: objects.attestorOf(id) } }];
    }
    case "BountyAwarded": {
      if (data.by !== "creator") return [];
      const { claim_id } = data;
      const claim = ofAgent(data.awarded_at, undefined, { purpose: "award", about: `${id}.${claim_id}` });
      const call = {
        path: `/soul/bounties/${id}/award`,
        body: (body: Members) => differing({ claim_id: body.claim_id }, data),
      };
      return [{ ...claim, of: { tenant: objects.creatorOf(id) }, call }];
    }
    case "TaskAccepted":
    case "TaskRejected":
      return type === "TaskAccepted" && data.by !== "requester" ? [] : [verdictClaim(event, ofAgent, tenant)];
    default:
      return [];
  }
}

function keyClaims(claim: ActClaim, data: Members): ActClaim[] {
  const own: ActClaim = { ...claim, else: [], is_own_proof: true };
  if (data.endorsement === undefined && data.endorsed_by === null) return [own];
  const kid = String(data.kid);
  const wordings = [
    { purpose: "prove", about: kid },
    { purpose: "rotate", about: kid },
  ];
  const slot = `${claim.slot}.endorsement`;
  return [
    own,
    { ...claim, slot, act: data.endorsement, digest: undefined, signer: kidOf(data.endorsed_by), wordings },
  ];
}

function verdictClaim(
  { type, id, data }: ActEvent,
  claimed: (at: unknown, signer: undefined, wording: Wording) => ActClaim,
  tenant: string,
): ActClaim {
  const accepts = type === "TaskAccepted";
  const reason = typeof data.reason_sha256 === "string" ? `.${data.reason_sha256}` : "";
  const about = `${id}.${accepts ? "accept" : `reject${reason}`}`;
  const body = (said: Members) =>
    differing({ task_id: said.task_id, accept: said.accept ?? true }, { task_id: id, accept: accepts });
  return {
    ...claimed(data.accepted_at ?? data.rejected_at, undefined, { purpose: "judge", about }),
    of: { tenant },
    call: { path: "/compute/settle", body },
  };
}

const USDC = /^\d{1,9}(?:\.\d{1,6})?$/;

function delegationFault(agent_id: string, data: Members, body: Members): string | undefined {
  const { max_spend_usdc: most = "0" } = body;
  if (typeof most !== "string" || !USDC.test(most)) return "the signed delegation has no sum";
  const [whole = "0", part = ""] = most.split(".");
  const claimed = {
    agent_id: body.agent_id,
    to: body.to,
    scopes: body.scopes,
    expires_in_s: body.expires_in_s,
    max_spend_micro: Number(whole + part.padEnd(6, "0")),
  };
  const expires_in_s = (Date.parse(String(data.expires_at)) - Date.parse(String(data.delegated_at))) / 1_000;
  const { scopes, max_spend_micro = 0 } = data;
  return differing(claimed, { agent_id, to: `SX#${data.to}`, scopes, expires_in_s, max_spend_micro });
}

const attestationFault = (data: Members, body: Members): string | undefined =>
  differing(
    { to: body.to, skill: body.skill, weight_micro: body.weight_micro, evidence: body.evidence ?? null },
    { ...data, to: `SX#${data.to}` },
  );

/** The first member in which the signed body differs from the event. */
function differing(signed: Members, event: Members): string | undefined {
  const name = Object.keys(signed).find((one) => JSON.stringify(signed[one]) !== JSON.stringify(event[one]));
  return name && `the signed ${name} is another than the event's`;
}
