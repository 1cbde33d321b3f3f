/** Reads and checks presented payments, and rate-limits callers with bad ones. */
import type { Hex, RecoverKey } from "../../../core/model/chain.ts";
import type { AddressLimits, CallLimit } from "../../../core/model/ports/address-limits.ts";
import type { Clock } from "../../../core/model/ports/clock.ts";
import { coreProblems } from "../../../core/model/problem.ts";
import { Refusal } from "../../../core/model/refusal.ts";
import { readSignature, writeSignature } from "../../../domain/payments/authorization.ts";
import { idOf } from "../../../domain/payments/payment.ts";
import { USDC } from "../../../domain/payments/usdc.ts";
import type { Credentials, Usdc } from "../../declare/access/way.ts";
import { addressBlock } from "../../declare/address.ts";
import type { PresentedPayment } from "./charge.ts";
import { examine, type RequiredPayment, SETTLING_SECONDS } from "./checks.ts";
import { type PaymentPayload, readPayment } from "./payload.ts";
import { PaymentRefused } from "./payment-refusal.ts";
import { microUsdc, NETWORK_V2, type PaymentTerms, resourceUrl } from "./required.ts";

/**
 * How many payments an address may present in a minute without a purchase. Each can cost a query to the chain and the
 * work of a call.
 */
const UNBOUGHT: CallLimit = { name: "unbought-payments", calls: 100, per: "minute" };
/**
 * A payment whose transaction failed counts as ten, because it cost gas. A contract may accept a signature off-chain
 * and refuse it on-chain.
 */
const SENT_POINTS = 10;
/**
 * How many payments of contract wallets an address may present in a minute, because only the chain can check their
 * signatures.
 */
const CONTRACTS: CallLimit = { name: "contract-payments", calls: 20, per: "minute" };

/** The price and path of one call. */
export type Quote = { price: Usdc; path: string };

export type AcceptedPayment = PresentedPayment & {
  x402_version: 1 | 2;
  identifier: string | undefined;
  /** The id of the answered challenge, for a receipt of the `Payment` scheme. */
  challenge_id: string | undefined;
};

export type Acceptance = {
  /**
   * Reads and checks a payment. A bad one is returned with its `refusal`. Throws PaymentRefused if it cannot be read.
   */
  accept(presented: Credentials, quote: Quote): Promise<AcceptedPayment>;
  /** Refuses an address that presented too many payments this minute without buying anything. */
  refuseTooMany(presented: Credentials): void;
  /** Counts a payment that bought nothing: it or its call was refused, or it repeated an earlier purchase. */
  boughtNothing(presented: Credentials, error?: unknown): void;
};

export function createAcceptance(parts: {
  terms: PaymentTerms;
  recover: RecoverKey;
  clock: Clock;
  limits: AddressLimits;
}): Acceptance {
  const { limits } = parts;
  const request = ({ price, path }: Quote): RequiredPayment => ({
    pay_to: parts.terms.pay_to,
    amount_micro: BigInt(microUsdc(price)),
    resource: resourceUrl(parts.terms, path),
    ...(parts.terms.issuer && { challengeFault: parts.terms.issuer.challengeFault(path) }),
  });

  return {
    async accept({ payment, ip }, quote) {
      const block = addressBlock(ip);
      const payload = readPayment(payment!);
      const { x402_version, identifier, challenge } = payload;
      const judged = {
        ...judge(payload, request(quote), parts.clock.now(), parts.recover),
        x402_version,
        identifier,
        challenge_id: challenge?.id,
      };
      if (limits.isSpent(UNBOUGHT, block))
        return { ...judged, refusal: tooMany("payments that bought nothing"), expired: false };
      if (!judged.contract || (await limits.take(CONTRACTS, block)).granted) return judged;
      return { ...judged, refusal: tooMany("payments by contract wallets") };
    },
    refuseTooMany({ ip }) {
      if (limits.isSpent(UNBOUGHT, addressBlock(ip))) throw tooMany("payments that bought nothing");
    },
    boughtNothing({ ip }, error) {
      const isSent = error instanceof PaymentRefused && error.sent;
      limits.add(UNBOUGHT, addressBlock(ip), isSent ? SENT_POINTS : 1);
    },
  };
}

/**
 * A payment with its id and the reason to refuse it, if any. The signature of a plain key is normalized to the token
 * contract's form.
 */
export function judge(
  payload: PaymentPayload,
  request: RequiredPayment,
  now: Date,
  recover: RecoverKey,
): PresentedPayment {
  const { transfer, signature } = payload.signed;
  const plain = readSignature(signature);
  const signed = { transfer, signature: plain ? writeSignature(plain) : signature };
  const { from: payer, nonce } = transfer;
  const id = idOf({ network: NETWORK_V2, asset: USDC.address.toLowerCase() as Hex, payer, nonce });
  try {
    const { contract } = examine(payload, request, now, recover);
    return { id, signed, contract, refusal: undefined, expired: false };
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    const expired = isExpired(error, transfer.valid_before, now);
    return { id, signed, contract: false, refusal: error, expired };
  }
}

/** After this time no reactor searches for the payment any more. If it reached the chain, it was refunded. */
const LATE_MS = 3_600_000;

function isExpired({ code }: PaymentRefused, valid_before: bigint, now: Date): boolean {
  const late_ms = now.getTime() - 1_000 * Number(valid_before);
  return (
    code === "invalid_exact_evm_payload_authorization_valid_before" &&
    late_ms > -1_000 * Number(SETTLING_SECONDS) &&
    late_ms < LATE_MS
  );
}

/** Applies only to a new payment. A known payment gets its answer even beyond the limit. */
const tooMany = (what: string) =>
  new Refusal(
    coreProblems["rate-limited"],
    `too many ${what} came from this address; try again in a minute`,
    {
      retry_after_s: 60,
    },
  );
