/** The shape of every way into an operation. One file a kind; what documents, clients and callers are told derives from it. */
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
import type { KeyRow, KeyWithDigest } from "../../../projections/access/keys.ts";
import type { Caller } from "../caller.ts";

/** A decimal string of USDC, such as "0.05". */
export type Usdc = `${number}`;

/** What a caller shows of itself, from headers alone. */
export type Presented = {
  secret: string | undefined;
  /** An x402 payment as it came: encoded in a header, or the object of an MCP call. */
  payment: string | object | undefined;
  /** A wallet's signed text, as it came in SIGN-IN-WITH-X. */
  wallet_proof: string | undefined;
  /** For whom the caller says to act, as it came in On-Behalf-Of. */
  on_behalf_of: string | undefined;
  /** The token that servers of the same operator show each other. */
  internal_token: string | undefined;
  /** It was sent from this machine, and by no proxy. */
  is_local: boolean;
  ip: string;
  method: string;
  /** The path that was asked, without its query. */
  path: string;
};

/** Who the presented key is, before any way was looked at; `key` where it is an API key. */
export type Identity = { caller: Caller; key?: KeyRow };

/** What admission needs to know of an operation. */
export type Guarded = { name: string; access: readonly Way[] };

export type Attempt = { operation: Guarded; presented: Presented; identity: Identity };

export type Admission = {
  /** Whoever pays without a key is known once the payment has been read. */
  caller: Caller;
  /** The call is to be charged to the payment it brought. */
  pays: boolean;
  /** RateLimit and RateLimit-Policy, where calls were counted. */
  headers: Record<string, string>;
  /** Refuses a body that the caller's proof does not cover; asked once the body was read. */
  covers?: (body: JsonObject) => void;
  /** What it holds comes from the caller's account; where that has less, the answer is its 402. */
  from_account?: true;
  /** What the caller's proof names the command by, so that it is carried out once. */
  idempotency_key?: string;
  /** Refuses where the caller may not act any more; asked within the command, whose commit then rests on what was seen. */
  confirm?: (watch: Watch) => Promise<void>;
  /** Refuses once the caller may not be served any more: asked again and again of a call that lasts. */
  still?: () => Promise<void>;
};

/** An agent that wants to act for another: `owns` says whose things the operation is about, the agent's own or its wallet's. */
export type Delegated = {
  by: Extract<Caller, { kind: "subject" | "payer" }>;
  /** The principal's passport. */
  principal: number;
  /** The one of its wallets that is meant; undefined where it is not said. */
  wallet: Hex | undefined;
  scope: Scope;
  owns: NonNullable<Way["delegated"]>["owns"];
};

/** The API keys that this process knows. */
export type Keys = {
  identify(secret: string, ip: string): Promise<Identity & { key: KeyRow }>;
  /** Refuses a key that lacks the scope. */
  allow(key: KeyRow, scope: Scope): void;
  /** Refuses a secret that was identified before, once its key is revoked; it counts no guess. */
  confirm(secret: string): Promise<void>;
  forget(): void;
};

/** A subject's key as its area knows it. */
export type SubjectKey = {
  key_id: string;
  /** What the key acts for: the area's own name of the subject. */
  subject: string;
  /** Who owns what the key causes. */
  tenant: string;
  scopes: Scope[];
  secret_sha256: Buffer;
  revoked_at: string | null;
};

/** A setting that opens an operation to anybody. */
export type OpeningSetting = "SETTLE_OPEN";

/** What the ways in ask to decide. */
export type AccessParts = {
  findKey: (digest: Buffer) => Promise<KeyWithDigest | undefined>;
  /** Where no area issues keys to its subjects there is none. */
  findSubjectKey?: (digest: Buffer) => Promise<SubjectKey | undefined>;
  /** Admits a delegate of its principal, or refuses it. Where no area has delegations there is none. */
  admitDelegate?: (asked: Delegated) => Promise<Pick<Admission, "caller" | "confirm">>;
  /** Refuses an agent that is suspended or revoked, and whoever acts for one. Where no area has agents there is none. */
  refuseSuspended?: (caller: Caller, watch: Watch) => Promise<void>;
  /** Entities as they are, for what a call that lasts rests on. */
  load?: Watch;
  quotas: Quotas;
  limits: AddressLimits;
  clock: Clock;
  /** Where wallets are asked for their signatures, and the service's own address. */
  app: Pick<App, "chain" | "recover"> & {
    settings: Pick<App["settings"], "public_url" | "custody">;
  };
  /** Calls a minute to open operations, per address. */
  open_per_minute: number;
  /** The settings by which the operator lets anybody in. */
  opened?: Readonly<Partial<Record<OpeningSetting, boolean>>>;
  internal: { token: string | undefined; is_remote_allowed: boolean };
};

/** As the ways in see them: with the keys that are known. */
export type Parts = AccessParts & { keys: Keys };

/** A scheme of OpenAPI's `components.securitySchemes`, by its name. */
export type SecuritySchemes = Record<string, object>;

/** How OpenAPI describes a wallet's signed text. */
export const walletSchemes: SecuritySchemes = {
  wallet: {
    type: "apiKey",
    in: "header",
    name: "SIGN-IN-WITH-X",
    description: `A CAIP-122 text about this call, signed by the wallet that paid: JSON in base64, good for ${PROOF_SECONDS} seconds (docs/payments.md)`,
  },
};

/** A way in. An operation lists them in order of preference; the first that fits the caller wins. */
export type Way = {
  kind: string;
  /**
   * Admits the caller, or throws a refusal of what it showed. `undefined`: this way is not for it; a Refusal: it is
   * refused so, unless a later way fits.
   */
  admit(attempt: Attempt, parts: Parts): Promise<Admission | Refusal | undefined>;
  /** OpenAPI's alternatives: each names schemes of `schemes`; `{}` asks for nothing. */
  security: readonly Record<string, []>[];
  schemes: SecuritySchemes;
  /** Statuses it adds to those that every operation answers. */
  statuses: readonly number[];
  /** What it costs, as price lists say it; a way that opens what it does by a credential alone has none. */
  price?: string;
  /** What to send, for a 401 or beside a payment: "an API key: Authorization: Bearer sk_…". */
  invitation?: string;
  /** Its scheme in WWW-Authenticate (RFC 9110, 11.6.1). */
  challenge?: string;
  /** The scope that a key needs to come in this way. */
  scope?: Scope;
  /** It admits who acts for another within this scope, too: about what the principal itself owns, or its wallet. */
  delegated?: { scope: Scope; owns: "agent" | "wallet" };
  /** Nobody is asked for anything. */
  is_open?: true;
  payment?: Payment;
};

/** The caller and the data that a price may depend on. */
export type PricedCall = { app: App; data: Data; caller: Caller };

/**
 * A price a call, or a function of the input, of what the data covers and of what is known to the caller, which then names its unit price
 * for the lists.
 */
export type Payment = {
  price: Usdc | ((input: never, call: PricedCall) => Usdc | Promise<Usdc>);
  unit_price: Usdc;
};

export const paymentOf = ({ access }: Pick<Guarded, "access">): Payment | undefined =>
  access.find(({ payment }) => payment)?.payment;

/** The scope that a key needs, where keys are a way in. */
export const scopeOf = ({ access }: Pick<Guarded, "access">): Scope | undefined =>
  access.find(({ scope }) => scope)?.scope;

/** How delegates come in, where they do. */
export const delegatedOf = ({ access }: Pick<Guarded, "access">): Way["delegated"] =>
  access.find(({ delegated }) => delegated)?.delegated;

export const isOpen = ({ access }: Pick<Guarded, "access">): boolean => access.some((way) => way.is_open);

/** What a call costs, in words: "0.05 USDC", "10 a day free, else 0.01 USDC", "by key". */
export function priceText({ access }: Pick<Guarded, "access">): string {
  const prices = access.flatMap(({ price }) => price ?? []);
  return prices.length > 0 ? prices.join(", else ") : access.map(({ kind }) => `by ${kind}`).join(" or ");
}

/** What may be sent to come in, beside or instead of a payment. */
export const invitationOf = ({ access }: Pick<Guarded, "access">): string =>
  access.flatMap(({ invitation }) => invitation ?? []).join(", or ");

/** WWW-Authenticate of a 401. */
export const challengeOf = ({ access }: Pick<Guarded, "access">): string =>
  [...new Set(access.flatMap(({ challenge }) => challenge ?? []))].join(", ") || BEARER;

export const BEARER = 'Bearer realm="tallystick"';
