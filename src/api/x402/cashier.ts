/** Takes the payments that callers present: reads them, judges them, and slows down who presents bad ones. */
import { RateLimiterMemory } from "rate-limiter-flexible";
import { readSignature, writeSignature } from "../../domain/payments/authorization.ts";
import { idOf } from "../../domain/payments/payment.ts";
import { type SignedTransfer, USDC } from "../../domain/payments/usdc.ts";
import type { Clock, Hex, RecoverKey } from "../../domain/ports.ts";
import { refuse } from "../../domain/refusal.ts";
import type { Presented } from "../gate.ts";
import type { Usdc } from "../operation.ts";
import type { Payment } from "./charge.ts";
import { type Asked, examine } from "./checks.ts";
import { readPayment } from "./payload.ts";
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
      const signed = normalised(payload.signed);
      const { from, nonce } = signed.transfer;
      const id = idOf({ network: NETWORK_V2, asset: USDC.address.toLowerCase() as Hex, payer: from, nonce });
      try {
        const { contract } = examine(payload, asked(quote), parts.clock.now(), parts.recover);
        if (contract) await contracts.consume(ip).catch(() => refuseTooMany("payments by contract wallets"));
        return { id, signed, x402_version, identifier, refusal: undefined };
      } catch (error) {
        if (!(error instanceof PaymentRefused)) throw error;
        return { id, signed, x402_version, identifier, refusal: error };
      }
    },
    async refused({ ip }) {
      await refusals.penalty(ip);
    },
  };
}

/** A plain key's signature as the token's contract takes it; any other form is left to a contract wallet to judge. */
function normalised({ transfer, signature }: SignedTransfer): SignedTransfer {
  const plain = readSignature(signature);
  return { transfer, signature: plain ? writeSignature(plain) : signature };
}

const refuseTooMany = (what: string): never =>
  refuse("quota_exceeded", `too many ${what} from this address; try again in a minute`, {
    type: "rate-limited",
    retry_after_s: 60,
  });
