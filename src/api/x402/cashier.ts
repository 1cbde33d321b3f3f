/** Takes the payments that callers present: reads them, judges them, and slows down who presents bad ones. */
import { RateLimiterMemory } from "rate-limiter-flexible";
import { readSignature, writeSignature } from "../../domain/payments/authorization.ts";
import { idOf } from "../../domain/payments/payment.ts";
import { USDC } from "../../domain/payments/usdc.ts";
import type { Clock, Hex, RecoverKey } from "../../domain/ports.ts";
import { refuse } from "../../domain/refusal.ts";
import type { Presented } from "../gate.ts";
import type { Usdc } from "../operation.ts";
import type { Payment } from "./charge.ts";
import { type Asked, examine } from "./checks.ts";
import { type PaymentPayload, readPayment } from "./payload.ts";
import { PaymentRefused } from "./refused.ts";
import { microUsdc, NETWORK_V2, type PaymentTerms } from "./required.ts";

/** Payments of an address that may be refused in a minute: judging one can cost a question to the chain. */
const REFUSED_PER_MINUTE = 100;
/** Payments of contract wallets an address may present in a minute: only the chain can judge their signatures. */
const CONTRACTS_PER_MINUTE = 20;

/** What is asked for one call. */
export type Quote = { price: Usdc; path: string };

export type Accepted = Payment & { x402_version: 1 | 2; identifier: string | undefined };

export type Cashier = {
  /** Reads and judges a payment; one that is not good carries its `refusal`. Throws PaymentRefused when it cannot be read. */
  accept(presented: Presented, quote: Quote): Promise<Accepted>;
  /** Counts a payment that was refused. */
  refused(presented: Presented): Promise<void>;
};

export function createCashier(parts: { terms: PaymentTerms; recover: RecoverKey; clock: Clock }): Cashier {
  const refusals = new RateLimiterMemory({ points: REFUSED_PER_MINUTE, duration: 60 });
  const contracts = new RateLimiterMemory({ points: CONTRACTS_PER_MINUTE, duration: 60 });

  const asked = ({ price, path }: Quote): Asked => ({
    pay_to: parts.terms.pay_to,
    amount_micro: BigInt(microUsdc(price)),
    resource: parts.terms.public_url + path,
  });

  return {
    async accept({ payment, ip }, quote) {
      if (((await refusals.get(ip))?.consumedPoints ?? 0) >= REFUSED_PER_MINUTE)
        refuseTooMany("refused payments");
      const payload = readPayment(payment!);
      const { x402_version, identifier } = payload;
      const taken = judged(payload, asked(quote), parts.clock.now(), parts.recover);
      if (taken.contract)
        await contracts.consume(ip).catch(() => refuseTooMany("payments by contract wallets"));
      return { ...taken, x402_version, identifier };
    },
    async refused({ ip }) {
      await refusals.penalty(ip);
    },
  };
}

/**
 * A payment by its name, and why it is not good for what is asked. A plain key's signature stands in it as the token's
 * contract takes it.
 */
export function judged(payload: PaymentPayload, asked: Asked, now: Date, recover: RecoverKey): Payment {
  const { transfer, signature } = payload.signed;
  const plain = readSignature(signature);
  const signed = { transfer, signature: plain ? writeSignature(plain) : signature };
  const { from: payer, nonce } = transfer;
  const id = idOf({ network: NETWORK_V2, asset: USDC.address.toLowerCase() as Hex, payer, nonce });
  try {
    const { contract } = examine(payload, asked, now, recover);
    return { id, signed, contract, refusal: undefined };
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    return { id, signed, contract: false, refusal: error };
  }
}

const refuseTooMany = (what: string): never =>
  refuse("quota_exceeded", `too many ${what} from this address; try again in a minute`, {
    type: "rate-limited",
    retry_after_s: 60,
  });
