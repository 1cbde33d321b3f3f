/** A call's payment and its result, for all payment schemes. */
import type { JsonObject } from "../../../../eventstore/types.ts";
import type { EventName } from "../../../core/model/refusal.ts";
import type { Claim, MinedTransaction, PaidAnswer } from "../../../domain/payments/payment.ts";
import type { Credentials } from "../../declare/access/way.ts";
import type { PreparedAnswer } from "../answer.ts";
import type { PaymentReceipt } from "../mpp/challenge.ts";
import type { Transport } from "./bazaar.ts";
import type { PaymentRefused } from "./payment-refusal.ts";
import type { SettleResponse } from "./response.ts";

/** A call's payment. `path`: the path and query of the request, which its 402 named. `sent`: the body. */
export type Offer = { presented: Credentials; path: string; sent: JsonObject; transport: Transport };

/** The result of a paid call: its answer and the event that records it, or a new 402. */
export type Outcome = PaidCallAnswer | { due: true; refused: PaymentRefused };

export type PaidCallAnswer = {
  made: PreparedAnswer;
  event: EventName | undefined;
  /** The settlement that bought the answer. Absent if the answer was given earlier without one. */
  settlement?: SettleResponse;
  /** Set for a payment by the `Payment` scheme. */
  receipt?: PaymentReceipt;
  /** SHA-256 of the body in hex. Null without a body, or if a repeat lacks members that only the first answer shows. */
  sha256?: string | null;
};

/** The log's record of an answered payment, and the event of its answer. A receipt is made of these. */
export type AnsweredPayment = {
  payment_id: string;
  claim: Claim;
  settlement: MinedTransaction;
  answer: PaidAnswer;
  event: { position: number; event_id: string; event_hash: Uint8Array; recorded_at_us: number };
};

/** An answer and the payment that bought it, if any. */
export type DeliveredAnswer = {
  made: PreparedAnswer;
  bought_by?: AnsweredPayment;
  /** The answer is a repeat, for the same caller or for the payment's owner at that time. */
  again?: true;
  /** The answer lacks the members that are shown only once. */
  is_part?: true;
};
