/**
 * The Settlement port over a remote x402 facilitator, which pays the gas. Its answer alone settles nothing: only
 * our own endpoint's view of the chain counts. Requests and answers: x402 version 2, section 7.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { inTime } from "../core/coordination/concurrency.ts";
import type { Hex, Receipt } from "../core/model/chain.ts";
import { type Chain, ChainUnavailable, TransactionPending } from "../core/model/ports/chain.ts";
import type { SignedTransfer } from "../core/model/ports/settlement.ts";
import { NotSettled, type Settlement } from "../core/model/ports/settlement.ts";
import { outgoing } from "../core/tracing.ts";
import { settledBy, USDC } from "../domain/payments/usdc.ts";
import { type FacilitatorKey, tokenSigner } from "./facilitator-token.ts";
import { chainSettlement, endingOf, outcomeOf } from "./settlement.ts";

export type FacilitatorOptions = {
  /** The base address of /verify and /settle. */
  url: string;
  /** Sent as `Authorization: Bearer …`. */
  token?: string | undefined;
  /** Signs a token for each request instead. */
  key?: FacilitatorKey | undefined;
  /** Called with the reason if the facilitator does not list a purchase. */
  onUnlisted?: (reason: string) => void;
  /** The timeout of one request to the facilitator. */
  request_ms?: number;
  /** How long the chain is polled for a submitted payment. */
  wait_ms?: number;
  poll_ms?: number;
};

/** The caller waits for this before anything is charged. */
const VERIFY_MS = 5_000;

/** Seconds that a requirement grants; a facilitator checks the authorization against it. */
const MAX_TIMEOUT_SECONDS = 300;

export function hostedSettlement(chain: Chain, options: FacilitatorOptions): Settlement {
  const { wait_ms = 40_000, poll_ms = 500 } = options;
  const ask = facilitator(chain.chain_id, options);
  const own = chainSettlement(chain, { is_carrier: false });

  /** Polls until the chain shows the payment; errors meanwhile prove nothing about it. */
  async function awaited(payment: SignedTransfer, seen_block: bigint, transaction?: Hex): Promise<Receipt> {
    for (const deadline = performance.now() + wait_ms; ; await sleep(poll_ms)) {
      const receipt = transaction && (await chain.receipt(transaction).catch(unlessAway));
      if (receipt && settledBy(receipt, payment.transfer)) return receipt;
      const end = await endingOf(chain, payment, seen_block).catch(unlessAway);
      if (end?.kind === "settled") return end.receipt;
      if (end?.kind === "void" && end.final) throw new NotSettled(end.reason);
      if (performance.now() > deadline) throw new TransactionPending(transaction ? [transaction] : []);
    }
  }

  return {
    facts: async (payment, errand) => {
      const facts = await own.facts(payment, errand);
      if (!facts.would_settle) return facts;
      const verdict = await ask("verify", payment);
      if (verdict.kind === "yes") return facts;
      if (verdict.kind === "no") return { ...facts, would_settle: false, reason: verdict.reason };
      throw new ChainUnavailable("the facilitator does not verify payments now", { cause: verdict.cause });
    },
    ended: own.ended,
    settle: async (payment, seen_block) => {
      const outcome = await ask("settle", payment);
      if (outcome.kind === "unsent")
        throw new ChainUnavailable("the facilitator was not reached: nothing was sent", {
          cause: outcome.cause,
        });
      if (outcome.kind !== "no") {
        return awaited(payment, seen_block, outcome.kind === "yes" ? outcome.transaction : undefined);
      }
      const fate = await outcomeOf(chain, own.facts, payment, seen_block).catch(unlessAway);
      if (fate?.kind === "settled") return fate.receipt;
      if (fate?.kind === "refused") throw new NotSettled(fate.reason);
      // The facilitator refused a payment that the chain would accept. A payment fault is final; otherwise it may still
      // be sending.
      if (fate?.kind === "open" && outcome.final)
        throw new NotSettled(`the facilitator refuses the payment: ${outcome.reason}`);
      return awaited(payment, seen_block, outcome.transaction);
    },
  };
}

function unlessAway(error: unknown): undefined {
  if (!(error instanceof ChainUnavailable)) throw error;
}

/**
 * `unsent`: the request never arrived, or was not admitted. `unknown`: it may have had any effect. A `no` is
 * `final` if it concerns the payment itself and names no transaction.
 */
type Verdict =
  | { kind: "yes"; transaction?: Hex | undefined }
  | { kind: "no"; reason: string; final: boolean; transaction?: Hex | undefined }
  | { kind: "unsent" | "unknown"; cause: unknown };

/** Failures before a connection was established. */
const UNREACHED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** Statuses of a request that was not admitted: no authorization, no such path, too many requests. */
const NOT_ADMITTED = new Set([401, 403, 404, 405, 429]);

/** x402 version 2, section 9, without the codes that leave open whether anything was sent. */
const FINAL = /^(insufficient_|unsupported_|invalid_(?!transaction_state|.*nonce))/;

function facilitator(
  chain_id: number,
  { url, token, key, onUnlisted, request_ms = 30_000 }: FacilitatorOptions,
) {
  const base = url.replace(/\/+$/, "");
  const sign = key && tokenSigner(key);
  let reported: string | undefined;
  const reportUnlisted = (reason: string | undefined) => {
    if (reason !== undefined && reason !== reported) onUnlisted?.(reason);
    reported = reason;
  };
  const authorized = async (address: string): Promise<{ authorization?: string }> => {
    const bearer = sign ? await sign("POST", address) : token;
    return bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  };
  return async (what: "verify" | "settle", payment: SignedTransfer): Promise<Verdict> => {
    const address = `${base}/${what}`;
    const asking = async (signal: AbortSignal) => {
      const headers = { "content-type": "application/json", ...(await authorized(address)) };
      const response = await outgoing(`facilitator ${what}`, {}, (traced) =>
        fetch(address, {
          method: "POST",
          headers: { ...headers, ...traced },
          body: JSON.stringify(requestOf(payment, chain_id)),
          // The token must reach only this address.
          redirect: "error",
          signal,
        }),
      );
      reportUnlisted(unlistedFor(response.headers.get("extension-responses")));
      return { status: response.status, text: await response.text() };
    };
    const ms = what === "verify" ? Math.min(request_ms, VERIFY_MS) : request_ms;
    try {
      // A signal alone is not enough: fetch references it weakly. Once it is collected, a body that never ends is
      // awaited forever.
      const answer = asking(AbortSignal.timeout(ms));
      const { status, text } = await inTime(
        ms,
        answer,
        () => new Error("it does not end its answer in time"),
      );
      if (NOT_ADMITTED.has(status)) return { kind: "unsent", cause: new Error(`it answers ${status}`) };
      return verdictOf(text) ?? { kind: "unknown", cause: new Error(`it answers ${status}, no verdict`) };
    } catch (error) {
      const { code = "" } = ((error as Error).cause ?? {}) as { code?: string };
      return { kind: UNREACHED.has(code) ? "unsent" : "unknown", cause: error };
    }
  };
}

/** Either facilitator answer: {isValid, invalidReason} or {success, errorReason, transaction}. */
function verdictOf(text: string): Verdict | undefined {
  let answer: { [member: string]: unknown };
  try {
    answer = JSON.parse(text) ?? {};
  } catch {
    return undefined;
  }
  const { isValid, success = isValid, transaction: named } = answer;
  const transaction = isHash(named) ? (named.toLowerCase() as Hex) : undefined;
  if (success === true) return { kind: "yes", transaction };
  const reason = String(answer.invalidReason ?? answer.errorReason ?? "it gives no reason").slice(0, 120);
  if (success !== false) return undefined;
  return { kind: "no", reason, final: FINAL.test(reason) && transaction === undefined, transaction };
}

const isHash = (value: unknown): value is string =>
  typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value);

/** Why the facilitator's catalogue refuses the listing: the EXTENSION-RESPONSES header of x402's bazaar extension. */
function unlistedFor(header: string | null): string | undefined {
  if (header === null) return undefined;
  try {
    const { bazaar } = JSON.parse(Buffer.from(header, "base64").toString());
    return bazaar?.status === "rejected" ? String(bazaar.rejectedReason ?? "it gives no reason") : undefined;
  } catch {
    return undefined;
  }
}

/** The payment as its payer would present it, its listing, and the requirement that it meets. */
function requestOf({ transfer, signature, listing }: SignedTransfer, chain_id: number) {
  const accepted = {
    scheme: "exact",
    network: `eip155:${chain_id}`,
    amount: String(transfer.value),
    asset: USDC.address,
    payTo: transfer.to,
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
    extra: { name: USDC.name, version: USDC.version },
  };
  const authorization = {
    from: transfer.from,
    to: transfer.to,
    value: String(transfer.value),
    validAfter: String(transfer.valid_after),
    validBefore: String(transfer.valid_before),
    nonce: transfer.nonce,
  };
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, ...listing, accepted, payload: { signature, authorization } },
    paymentRequirements: accepted,
  };
}
