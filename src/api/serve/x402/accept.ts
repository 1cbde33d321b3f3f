/** Accepts the payments that callers present: reads them, judges them, and slows down who presents bad ones. */
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
import { PaymentRefused } from "./refused.ts";
import { microUsdc, NETWORK_V2, type PaymentTerms, resourceUrl } from "./required.ts";

/** Payments of an address that may buy nothing in a minute: each can cost a question to the chain and the work of a call. */
const UNBOUGHT: CallLimit = { name: "unbought-payments", calls: 100, per: "minute" };
/** One that a transaction was spent on counts as so many: a contract wallet may promise what it does not keep. */
const SENT_POINTS = 10;
/** Payments of contract wallets an address may present in a minute: only the chain can judge their signatures. */
const CONTRACTS: CallLimit = { name: "contract-payments", calls: 20, per: "minute" };

/** What is asked for one call. */
export type Quote = { price: Usdc; path: string };

export type AcceptedPayment = PresentedPayment & { x402_version: 1 | 2; identifier: string | undefined };

export type Acceptance = {
  /** Reads and judges a payment; one that is not good carries its `refusal`. Throws PaymentRefused when it cannot be read. */
  accept(presented: Credentials, quote: Quote): Promise<AcceptedPayment>;
  /** Counts a payment that was refused, or whose call was, or that came for what its caller had already. */
  boughtNothing(presented: Credentials, error?: unknown): void;
};

export function createAcceptance(parts: {
  terms: PaymentTerms;
  recover: RecoverKey;
  clock: Clock;
  limits: AddressLimits;
}): Acceptance {
  const { limits } = parts;
  const asked = ({ price, path }: Quote): RequiredPayment => ({
    pay_to: parts.terms.pay_to,
    amount_micro: BigInt(microUsdc(price)),
    resource: resourceUrl(parts.terms, path),
  });

  return {
    async accept({ payment, ip }, quote) {
      const block = addressBlock(ip);
      const payload = readPayment(payment!);
      const { x402_version, identifier } = payload;
      const judged = {
        ...judge(payload, asked(quote), parts.clock.now(), parts.recover),
        x402_version,
        identifier,
      };
      if (limits.isSpent(UNBOUGHT, block))
        return { ...judged, refusal: tooMany("payments that bought nothing"), expired: false };
      if (!judged.contract || (await limits.take(CONTRACTS, block)).granted) return judged;
      return { ...judged, refusal: tooMany("payments by contract wallets") };
    },
    boughtNothing({ ip }, error) {
      const isSent = error instanceof PaymentRefused && error.sent;
      limits.add(UNBOUGHT, addressBlock(ip), isSent ? SENT_POINTS : 1);
    },
  };
}

/**
 * A payment by its name, and why it is not good for what is asked. A plain key's signature stands in it as the token's
 * contract takes it.
 */
export function judge(
  payload: PaymentPayload,
  asked: RequiredPayment,
  now: Date,
  recover: RecoverKey,
): PresentedPayment {
  const { transfer, signature } = payload.signed;
  const plain = readSignature(signature);
  const signed = { transfer, signature: plain ? writeSignature(plain) : signature };
  const { from: payer, nonce } = transfer;
  const id = idOf({ network: NETWORK_V2, asset: USDC.address.toLowerCase() as Hex, payer, nonce });
  try {
    const { contract } = examine(payload, asked, now, recover);
    return { id, signed, contract, refusal: undefined, expired: false };
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    const expired = isExpired(error, transfer.valid_before, now);
    return { id, signed, contract: false, refusal: error, expired };
  }
}

/** Later than this nobody looks for it: what was carried to the chain has been refunded. */
const LATE_MS = 3_600_000;

function isExpired({ code }: PaymentRefused, valid_before: bigint, now: Date): boolean {
  const late_ms = now.getTime() - 1_000 * Number(valid_before);
  return (
    code === "invalid_exact_evm_payload_authorization_valid_before" &&
    late_ms > -1_000 * Number(SETTLING_SECONDS) &&
    late_ms < LATE_MS
  );
}

/** Told to a new payment alone: one that is known gets its answer all the same. */
const tooMany = (what: string) =>
  new Refusal(coreProblems["rate-limited"], `too many ${what} from this address; try again in a minute`, {
    retry_after_s: 60,
  });
