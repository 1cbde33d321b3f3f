/** Ways in to operations. Documents, clients and error texts are derived from these declarations. */
import type { JsonObject } from "../../../../eventstore/types.ts";
import type { App } from "../../../core/app.ts";
import type { Watch } from "../../../core/commands/unit.ts";
import type { Hex } from "../../../core/model/chain.ts";
import type { AddressLimits } from "../../../core/model/ports/address-limits.ts";
import type { Clock } from "../../../core/model/ports/clock.ts";
import type { Quotas } from "../../../core/model/ports/quotas.ts";
import type { Refusal } from "../../../core/model/refusal.ts";
import type { Data } from "../../../datasets/reading.ts";
import type { Scope } from "../../../domain/access/key.ts";
import { PROOF_SECONDS } from "../../../domain/access/wallet-proof.ts";
import type { SignedAct } from "../../../domain/identity/act.ts";
import type { KeyRow, KeyWithDigest } from "../../../projections/access/keys.ts";
import type { Caller } from "../caller.ts";

export type Usdc = `${number}`;

/** `target`: the path and query as they were sent. */
export type SignedRequest = {
  method: string;
  target: string;
  fields: readonly { name: string; value: string }[];
  has_body: boolean;
};

/** A live key of an agent; `public`: 32 bytes in base64url. */
export type RequestSigner = { sx_number: number; public: string };

export type Credentials = {
  secret: string | undefined;
  /** Not parsed yet: the header's text, or the object of an MCP call. */
  payment: string | object | undefined;
  wallet_proof: string | undefined;
  on_behalf_of: string | undefined;
  internal_token: string | undefined;
  /** The request came from this machine, and not through a proxy. */
  is_local: boolean;
  ip: string;
  method: string;
  path: string;
  /** The signature of the request by Web Bot Auth, if it has one. */
  signed?: SignedRequest;
};

/** `signer`: the agent's key that signed the request. */
export type Identity = { caller: Caller; key?: KeyRow; signer?: string };

export type GuardedOperation = { name: string; access: readonly Way[] };

export type Attempt = { operation: GuardedOperation; presented: Credentials; identity: Identity };

export type Admission = {
  /** For a payer without a key, this is replaced once the payment is parsed. */
  caller: Caller;
  pays: boolean;
  headers: Record<string, string>;
  /** The text that the caller signed for this call. */
  act?: SignedAct;
  /** Refuses a body that the caller's proof does not cover. */
  covers?: (body: JsonObject) => void;
  /** Called when the call is refused or fails. Returns the headers that change because of it. */
  failed?: () => Record<string, string> | undefined;
  /** The caller's account pays. If its balance is too low, the answer is a 402. */
  from_account?: true;
  /** The nonce of the caller's proof, so that one proof runs the command once. */
  idempotency_key?: string;
  /**
   * Refuses a caller that has lost its authority. It runs inside the command, so that the commit depends on the
   * result.
   */
  confirm?: (watch: Watch) => Promise<void>;
  /** Called repeatedly during a long call. Refuses once the caller has lost access. */
  still?: () => Promise<void>;
};

/** `owns`: "agent" if the operation concerns the principal agent's own things, "wallet" for those of its wallet. */
export type DelegateRequest = {
  by: Extract<Caller, { kind: "subject" | "payer" }>;
  principal: number;
  wallet: Hex | undefined;
  scope: Scope;
  owns: NonNullable<Way["delegated"]>["owns"];
};

export type Keys = {
  identify(secret: string, ip: string): Promise<Identity & { key: KeyRow }>;
  allow(key: KeyRow, scope: Scope): void;
  /** Checks an accepted secret again. A failure does not count as a failed attempt. */
  confirm(secret: string): Promise<void>;
  forget(): void;
};

export type SubjectKey = {
  key_id: string;
  subject: string;
  tenant: string;
  scopes: Scope[];
  secret_sha256: Buffer;
  revoked_at: string | null;
};

export type OpeningSetting = "SETTLE_OPEN";

export type AccessParts = {
  findKey: (digest: Buffer) => Promise<KeyWithDigest | undefined>;
  findSubjectKey?: (digest: Buffer) => Promise<SubjectKey | undefined>;
  /** Finds the agent that has this live key, by the key's thumbprint. */
  findSigner?: (kid: string) => Promise<RequestSigner | undefined>;
  admitDelegate?: (request: DelegateRequest) => Promise<Pick<Admission, "caller" | "confirm">>;
  /** Refuses suspended agents and their delegates. Absent in a service without agents. */
  refuseSuspended?: (caller: Caller, watch: Watch) => Promise<void>;
  load?: Watch;
  quotas: Quotas;
  limits: AddressLimits;
  clock: Clock;
  app: Pick<App, "chain" | "recover" | "link_secret"> & {
    settings: Pick<App["settings"], "public_url" | "custody">;
  };
  open_per_minute: number;
  opened?: Readonly<Partial<Record<OpeningSetting, boolean>>>;
  internal: { token: string | undefined; is_remote_allowed: boolean };
};

export type Parts = AccessParts & { keys: Keys };

export type SecuritySchemes = Record<string, object>;

export const walletSchemes: SecuritySchemes = {
  wallet: {
    type: "apiKey",
    in: "header",
    name: "SIGN-IN-WITH-X",
    // Directories read this member, because OpenAPI has no security scheme for it.
    "x-agentcash-auth-kind": "siwx",
    description: `A CAIP-122 text about this call, signed by the wallet that paid: JSON in base64, valid for ${PROOF_SECONDS} seconds (docs/payments.md)`,
  },
};

/** One way to be admitted to an operation. An operation lists its ways by preference; the first that fits wins. */
export type Way = {
  kind: string;
  /** Admits the caller; undefined if this way does not fit it. A returned Refusal is used unless a later way fits. */
  admit(attempt: Attempt, parts: Parts): Promise<Admission | Refusal | undefined>;
  security: readonly Record<string, []>[];
  schemes: SecuritySchemes;
  statuses: readonly number[];
  /** The text for price lists; absent if the operation only needs a credential. */
  price?: string;
  invitation?: string;
  challenge?: string;
  scope?: Scope;
  delegated?: { scope: Scope; owns: "agent" | "wallet" };
  is_open?: true;
  payment?: Payment;
  /** The credential that a payment does not replace. */
  needed_with_payment?: string;
};

export type PricedCall = { app: App; data: Data; caller: Caller };

/** A computed price depends on the input, the data and the caller; `unit_price` is for price lists. */
export type Payment = {
  price: Usdc | ((input: never, call: PricedCall) => Usdc | Promise<Usdc>);
  unit_price: Usdc;
  /** The parts of a computed price, such as "1.00 USDC a country-month". */
  terms?: string;
};

export const paymentOf = ({ access }: Pick<GuardedOperation, "access">): Payment | undefined =>
  access.find(({ payment }) => payment)?.payment;

export const scopeOf = ({ access }: Pick<GuardedOperation, "access">): Scope | undefined =>
  access.find(({ scope }) => scope)?.scope;

export const delegatedOf = ({ access }: Pick<GuardedOperation, "access">): Way["delegated"] =>
  access.find(({ delegated }) => delegated)?.delegated;

export const isOpen = ({ access }: Pick<GuardedOperation, "access">): boolean =>
  access.some((way) => way.is_open);

/** True if a wallet's signature admits to the operation. */
export const takesWallet = ({ access }: Pick<GuardedOperation, "access">): boolean =>
  access.some(({ security }) => security.some((one) => "wallet" in one));

/** The price as text: "0.05 USDC", "10 a day free, else 0.01 USDC", "by key". */
export function priceText({ access }: Pick<GuardedOperation, "access">): string {
  const prices = access.flatMap(({ price }) => price ?? []);
  return prices.length > 0 ? prices.join(", else ") : access.map(({ kind }) => `by ${kind}`).join(" or ");
}

export const invitationOf = ({ access }: Pick<GuardedOperation, "access">): string =>
  access.flatMap(({ invitation }) => invitation ?? []).join(", or ");

export const challengeOf = ({ access }: Pick<GuardedOperation, "access">): string =>
  [...new Set(access.flatMap(({ challenge }) => challenge ?? []))].join(", ") || BEARER;

export const BEARER = 'Bearer realm="tallystick"';
