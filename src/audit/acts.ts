/** Judges the acts of agents in a log: whether a key of the agent signed the text, and whether the text is of this very act. */
import type { RecoverKey } from "../core/model/chain.ts";
import { act as actSchema, isSealed, type SignedAct, type SignedText } from "../domain/identity/act.ts";
import {
  type ActClaim,
  type ActEvent,
  type ActObjects,
  actEvent,
  claimsOf,
  type Members,
  objectIn,
} from "./act-claims.ts";
import { sha256, signatureFault } from "./act-signature.ts";
import { type ActText, readActText } from "./act-text.ts";
import type { Fault } from "./fault.ts";

/**
 * Numbers of acts. `by_key`, `by_payment`: nobody signed, and the log has the service's word. `unrecorded`: the event
 * says neither, as older ones do. `not_judged`: a contract wallet's or a sealed signature, or one by a key whose own
 * proof is not signed here.
 */
export type ActCounts = {
  judged: number;
  by_key: number;
  by_payment: number;
  unrecorded: number;
  not_judged: number;
  faults: number;
};

type Judgement = Exclude<keyof ActCounts, "faults"> | { fault: string };

/** `shown`: the key's own proof is signed in this log, and so is the word of the key that vouched for it. */
type Agent = { sx: unknown; keys: Map<string, { shown: boolean }>; hadKey: boolean };

/** Beyond so many remembered facts nothing is judged; docs/identity.md states the limit. */
const MOST_FACTS = 4_000_000;
const MOST_HOSTS = 20;

/** Later acts are about what these say. */
const KEPT = new Set(["AgentRegistered", "AgentDelegated", "AttestationMade", "BountyFunded"]);

const UNSIGNED = { key: "by_key", payment: "by_payment" } as const;
const fault = (reason: string): Judgement => ({ fault: reason });

export class Acts implements ActObjects {
  readonly counts: ActCounts = {
    ...{ judged: 0, by_key: 0, by_payment: 0, unrecorded: 0, not_judged: 0, faults: 0 },
  };
  readonly #recover: RecoverKey;
  /** False for a part of a log: then an agent, a bounty or an attestation may be from before it. */
  readonly #is_whole: boolean;
  readonly #agents = new Map<string, Agent>();
  readonly #names = new Map<unknown, string>();
  readonly #delegations = new Map<string, { from: string; to: unknown }>();
  readonly #attestors = new Map<string, number>();
  readonly #creators = new Map<string, string>();
  readonly #used = new Set<string>();
  readonly #hosts = new Set<string>();
  #facts = 0;

  constructor(recover: RecoverKey, { is_whole }: { is_whole: boolean }) {
    this.#recover = recover;
    this.#is_whole = is_whole;
  }

  /** In the order of the log. */
  readonly faults: Fault[] = [];

  /** An event as an export has it. */
  take(line: Members): void {
    const event = actEvent(line);
    if (!event) return;
    const place = Number(line.position || line.version);
    const judged = claimsOf(event, this).map((claim) => {
      const judgement = this.#judge(claim, event.meta);
      if (typeof judgement === "string") this.counts[judgement]++;
      else {
        this.counts.faults++;
        this.faults.push({ place, reason: `${event.type}: ${judgement.fault}` });
      }
      return judgement;
    });
    this.#remember(event, judged);
  }

  reach(): string {
    const { judged, by_key, by_payment, unrecorded, not_judged } = this.counts;
    const words = [
      [`${judged} signed by a key of the agent`, true],
      [`${by_key} by an API key alone`, by_key > 0],
      [`${by_payment} by a payment alone`, by_payment > 0],
      [`${unrecorded} without a word of how`, unrecorded > 0],
      [
        `${not_judged} not judged: of a contract wallet, sealed, or by a key that is not shown here`,
        not_judged > 0,
      ],
    ] as const;
    const counted = words.flatMap(([text, isCounted]) => (isCounted ? text : []));
    const hosts = this.#hosts.size > 0 ? `; the texts are made out to ${[...this.#hosts].join(", ")}` : "";
    return `${counted.join("; ")}${hosts}`;
  }

  attestorOf(attestation_id: string): number | undefined {
    return this.#attestors.get(attestation_id);
  }

  creatorOf(bounty_id: string): string | undefined {
    return this.#creators.get(bounty_id);
  }

  isLive(agent: string, kid: string): boolean {
    return this.#agents.get(agent)?.keys.has(kid) ?? false;
  }

  #judge(claim: ActClaim, meta: Members): Judgement {
    if (claim.act === undefined) return "unrecorded";
    const read = actSchema.safeParse(claim.act);
    if (!read.success) return fault("its act has another form");
    const { data } = read;
    if (data.by !== "signature") {
      if (!claim.else.includes(data.by)) return fault("it needs a signature, and has none");
      const isSigned = typeof claim.signer === "string" || typeof claim.digest === "string";
      return isSigned ? fault("it names a signer, and has no signature") : UNSIGNED[data.by];
    }
    if (claim.signer !== undefined && claim.signer !== data.kid)
      return fault(`it is signed by ${data.kid}, not by ${claim.signer ?? "nobody"}`);
    return isSealed(data.signed) ? "not_judged" : this.#judgeText(claim, data, data.signed, meta);
  }

  #judgeText(claim: ActClaim, act: SignedAct, signed: SignedText, meta: Members): Judgement {
    const text = readActText(signed.text);
    const digest = sha256(signed.text);
    if (!text) return fault("the signed text is none that the service takes");
    if (text.kid !== act.kid) return fault(`the signed text names another key than ${act.kid}`);
    if (typeof claim.digest === "string" && claim.digest !== digest)
      return fault("challenge_sha256 is not that of the signed text");
    const at = Date.parse(String(claim.at)) / 1_000;
    if (!(at >= text.from && at <= text.until)) return fault("the signed text is of another time");
    const words = text.form === "call" ? callFault(claim, text, signed) : challengeFault(claim, text, signed);
    if (words) return fault(words);
    if (!this.#isFirst(`${claim.slot} ${digest.slice(0, 32)}`))
      return fault("the signed text counted before");
    const wrong = signatureFault(act, signed, this.#recover);
    if (wrong && wrong !== "unknown") return fault(wrong);
    const standing = this.#standing(claim, text, act.kid, meta);
    if (wrong && typeof standing === "string") return "not_judged";
    if (standing === "judged" && this.#hosts.size < MOST_HOSTS) this.#hosts.add(text.host);
    return standing;
  }

  /** True if the signer may act for the agent. */
  #standing(claim: ActClaim, text: ActText, kid: string, meta: Members): Judgement {
    if (text.form === "call") return this.#tenantStanding(claim, text, kid, meta);
    const { agent: named = "" } = text;
    const agent = this.#agents.get(named);
    if ("tenant" in claim.of) {
      const { tenant } = claim.of;
      if (!agent || tenant === undefined) return this.#missing(`the log has no agent ${named}, or no tenant`);
      if (!this.#isOf(tenant, agent)) return fault(`${named} is not ${tenant}`);
    } else {
      const wanted = "agent" in claim.of ? claim.of.agent : this.#names.get(claim.of.sx);
      if (wanted === undefined) return this.#missing("the log has no agent whose act it is");
      if (wanted !== named) return fault(`the signed text is of the agent ${named}, not of ${wanted}`);
    }
    if (claim.is_own_proof) return "judged";
    return agent ? keyStanding(agent, kid) : this.#missing(`the log has no agent ${named}`);
  }

  /** A wallet is its own tenant; a delegate's wallet acts for its principal's. */
  #tenantStanding(claim: ActClaim, text: ActText & { form: "call" }, kid: string, meta: Members): Judgement {
    const tenant = "tenant" in claim.of ? claim.of.tenant : undefined;
    if (tenant === undefined) return this.#missing("the log does not say whose it is");
    const onBehalf = text.resources[1];
    if (onBehalf === undefined)
      return tenant === `wallet:${kid}` ? "judged" : fault(`${kid} is not ${tenant}`);
    const [principal = ""] = decoded(onBehalf.slice("urn:on-behalf-of:".length)).split(";");
    if (meta.on_behalf_of !== principal) return fault("the signed text is for another principal");
    const from = this.#names.get(Number(principal.slice("SX#".length)));
    const of = from === undefined ? undefined : this.#agents.get(from);
    const delegation = this.#delegations.get(String(meta.delegation_id));
    const to = delegation && this.#names.get(delegation.to);
    const delegate = to === undefined ? undefined : this.#agents.get(to);
    if (!of || !delegate) return this.#missing("the log does not have its delegation");
    if (delegation!.from !== from || !this.#isOf(tenant, of)) return fault(`${principal} is not ${tenant}`);
    return keyStanding(delegate, kid);
  }

  #isOf(tenant: string, { sx, keys }: Agent): boolean {
    if (tenant === `soul:${sx}`) return true;
    return tenant.startsWith("wallet:") && keys.has(tenant.slice("wallet:".length));
  }

  #missing(reason: string): Judgement {
    return this.#is_whole ? fault(reason) : "not_judged";
  }

  #isFirst(name: string): boolean {
    if (this.#used.has(name)) return false;
    if (this.#room()) this.#used.add(name);
    return true;
  }

  #room(): boolean {
    return ++this.#facts <= MOST_FACTS;
  }

  #remember({ type, id, data }: ActEvent, judged: readonly Judgement[]): void {
    const agent = this.#agents.get(id);
    if (type === "AgentKeyRevoked") agent?.keys.delete(String(data.kid));
    else if (type === "PassportRevoked") agent?.keys.clear();
    else if (type === "AgentDelegationRevoked") this.#delegations.delete(String(data.delegation_id));
    else if (type === "AgentKeyProven" && agent) {
      const isRoot = !agent.hadKey && data.endorsed_by === null;
      const shown = judged[0] === "judged" && (isRoot || judged[1] === "judged");
      agent.hadKey = true;
      if (this.#room()) agent.keys.set(String(data.kid), { shown });
    } else if (KEPT.has(type) && this.#room()) this.#keep(type, id, data);
  }

  #keep(type: string, id: string, data: Members): void {
    if (type === "AgentDelegated")
      this.#delegations.set(String(data.delegation_id), { from: id, to: data.to });
    else if (type === "AttestationMade") this.#attestors.set(id, Number(data.from));
    else if (type === "BountyFunded") this.#creators.set(id, String(data.creator));
    else {
      this.#agents.set(id, { sx: data.sx_number, keys: new Map(), hadKey: false });
      this.#names.set(data.sx_number, id);
    }
  }
}

function keyStanding({ keys }: Agent, kid: string): Judgement {
  const key = keys.get(kid);
  if (!key) return fault(`${kid} is not a live key of the agent`);
  return key.shown ? "judged" : "not_judged";
}

function challengeFault(
  { wordings }: ActClaim,
  { purpose, about }: ActText & { form: "challenge" },
  { body }: SignedText,
): string | undefined {
  const wording = wordings.find((one) => one.purpose === purpose);
  if (!wording) return `the signed text is for ${purpose}, not for ${wordings[0]?.purpose}`;
  if (!wording.body) {
    const { about: wanted } = wording;
    const isAbout =
      typeof wanted === "function" ? about !== null && wanted(about) : about === (wanted ?? null);
    return isAbout ? undefined : `the signed text is about ${about}, not about this`;
  }
  const read = body === null ? undefined : objectIn(body);
  if (!read || about !== sha256(body!)) return "the signed text is about another body";
  return wording.body(read);
}

function callFault(
  { call }: ActClaim,
  { path, resources }: ActText & { form: "call" },
  { body }: SignedText,
): string | undefined {
  if (!call || !path.endsWith(call.path)) return `the signed text is of the call ${path}`;
  const read = body === null ? undefined : objectIn(body);
  if (!read || resources[0] !== `ni:///sha-256;${sha256(body!, "base64url")}`)
    return "the signed text is of another body";
  return call.body(read);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
