/** Documents, clients and error texts derive from it. */
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

/** `target`: path and query as sent. */
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
  /** Unparsed: the header's text, or the object of an MCP call. */
  payment: string | object | undefined;
  wallet_proof: string | undefined;
  on_behalf_of: string | undefined;
  internal_token: string | undefined;
  /** Sent from this machine, without a proxy. */
  is_local: boolean;
  ip: string;
  method: string;
  path: string;
  /** A request with a signature of Web Bot Auth. */
  signed?: SignedRequest;
};

/** `signer`: the agent's key that signed the request. */
export type Identity = { caller: Caller; key?: KeyRow; signer?: string };

export type GuardedOperation = { name: string; access: readonly Way[] };

export type Attempt = { operation: GuardedOperation; presented: Credentials; identity: Identity };

export type Admission = {
  /** A payer without a key is known only once the payment was parsed. */
  caller: Caller;
  pays: boolean;
  headers: Record<string, string>;
  /** The text that the caller signed for this call. */
  act?: SignedAct;
  /** Refuses a body that the caller's proof does not cover. */
  covers?: (body: JsonObject) => void;
  /** Runs when the call is refused or fails; returns the headers that change by it. */
  failed?: () => Record<string, string> | undefined;
  /** The account pays; with too little in it, the answer is a 402. */
  from_account?: true;
  /** From the caller's proof, so that the command runs once. */
  idempotency_key?: string;
  /** Refuses a caller that lost its authority. Runs in the command, whose commit depends on the result. */
  confirm?: (watch: Watch) => Promise<void>;
  /** Repeated during a long call; refuses once the caller lost access. */
  still?: () => Promise<void>;
};

/** `owns`: whether the operation concerns the agent's things or its wallet's. */
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
  /** Counts no failed attempt: the secret was identified before. */
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
  /** The agent with this live key, by the key's thumbprint. */
  findSigner?: (kid: string) => Promise<RequestSigner | undefined>;
  admitDelegate?: (request: DelegateRequest) => Promise<Pick<Admission, "caller" | "confirm">>;
  /** Includes delegates of such agents. Absent where no area has agents. */
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
    description: `A CAIP-122 text about this call, signed by the wallet that paid: JSON in base64, good for ${PROOF_SECONDS} seconds (docs/payments.md)`,
  },
};

/** An operation lists its ways by preference; the first that fits wins. */
export type Way = {
  kind: string;
  /** `undefined`: not for this caller. A returned Refusal applies unless a later way fits. */
  admit(attempt: Attempt, parts: Parts): Promise<Admission | Refusal | undefined>;
  security: readonly Record<string, []>[];
  schemes: SecuritySchemes;
  statuses: readonly number[];
  /** For price lists; absent where only a credential counts. */
  price?: string;
  invitation?: string;
  challenge?: string;
  scope?: Scope;
  delegated?: { scope: Scope; owns: "agent" | "wallet" };
  is_open?: true;
  payment?: Payment;
};

export type PricedCall = { app: App; data: Data; caller: Caller };

/** A computed price depends on the input, the data and the caller; `unit_price` is for the lists. */
export type Payment = {
  price: Usdc | ((input: never, call: PricedCall) => Usdc | Promise<Usdc>);
  unit_price: Usdc;
  /** The terms of a computed price, such as "1.00 USDC a country-month". */
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

/** True if a wallet's signature of the call is a way in. */
export const takesWallet = ({ access }: Pick<GuardedOperation, "access">): boolean =>
  access.some(({ security }) => security.some((one) => "wallet" in one));

/** "0.05 USDC", "10 a day free, else 0.01 USDC", "by key". */
export function priceText({ access }: Pick<GuardedOperation, "access">): string {
  const prices = access.flatMap(({ price }) => price ?? []);
  return prices.length > 0 ? prices.join(", else ") : access.map(({ kind }) => `by ${kind}`).join(" or ");
}

export const invitationOf = ({ access }: Pick<GuardedOperation, "access">): string =>
  access.flatMap(({ invitation }) => invitation ?? []).join(", or ");

export const challengeOf = ({ access }: Pick<GuardedOperation, "access">): string =>
  [...new Set(access.flatMap(({ challenge }) => challenge ?? []))].join(", ") || BEARER;

export const BEARER = 'Bearer realm="tallystick"';
