/** Why the shop refuses. */
import { problemTypes } from "../../core/model/problem.ts";

export const commerceProblems = problemTypes({
  "out-of-stock": {
    code: "conflict",
    title: "Out of stock",
    meaning: "Less is left than was asked for; the sentence tells how much. Nothing was charged.",
  },
  "stock-reserved": {
    code: "conflict",
    title: "Stock reserved",
    meaning: "Orders hold what the adjustment would take away.",
  },
  "unpaid-orders": {
    code: "conflict",
    title: "Unpaid orders",
    meaning: "You hold this product by as many unpaid orders as you may: pay or cancel one first.",
  },
  "newcomers-share": {
    code: "conflict",
    title: "Newcomers' share is held",
    meaning:
      "Wallets without a paid order hold half of the unsold goods together: order fewer, or ask again when unpaid orders have expired.",
  },
  "quote-expired": {
    code: "conflict",
    title: "Quote expired",
    meaning: "Its prices hold no more; draft another.",
  },
  "order-total-differs": {
    code: "conflict",
    title: "Order total differs",
    meaning:
      "`total_usdc` is not the order's: take it from the order as it was answered. Nothing was charged.",
  },
  "order-not-payable": {
    code: "conflict",
    title: "Order not payable",
    meaning: "It is paid, cancelled or over, or it is paid by invoice. What was paid for it is refunded.",
  },
  "order-state": {
    code: "conflict",
    title: "Order not in the state for it",
    meaning: "Where the order stands does not allow this; orders_list tells where it stands.",
  },
  "payment-not-final": {
    code: "conflict",
    title: "Payment not final",
    meaning: "The chain may still take the payment back: goods leave once it cannot.",
  },
  "rate-missing": {
    code: "unavailable",
    title: "Exchange rate missing",
    meaning: "Orders are priced by the ECB's euro reference rate, and there is none of the last five days.",
  },
});
