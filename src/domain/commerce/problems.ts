import { problemTypes } from "../../core/model/problem.ts";

export const commerceProblems = problemTypes({
  "out-of-stock": {
    code: "conflict",
    title: "Out of stock",
    meaning: "Too little is left; the detail says how much. Nothing was charged.",
  },
  "stock-reserved": {
    code: "conflict",
    title: "Stock reserved",
    meaning: "The adjustment would remove goods that orders have reserved.",
  },
  "unpaid-orders": {
    code: "conflict",
    title: "Unpaid orders",
    meaning: "You have the maximum of unpaid orders of this product: pay or cancel one first.",
  },
  "newcomers-share": {
    code: "conflict",
    title: "Newcomers' share is reserved",
    meaning:
      "Wallets without a paid order may reserve half of the unsold goods together: order fewer, or retry when unpaid orders have expired.",
  },
  "quote-expired": {
    code: "conflict",
    title: "Quote expired",
    meaning: "The quote's prices have expired; draft another quote.",
  },
  "order-total-differs": {
    code: "conflict",
    title: "Order total differs",
    meaning:
      "`total_usdc` differs from the order's: take it from the answer to your order. Nothing was charged.",
  },
  "order-not-payable": {
    code: "conflict",
    title: "Order not payable",
    meaning:
      "The order is already paid or closed, or its buyer pays by invoice. An x402 payment for it is refunded.",
  },
  "order-state": {
    code: "conflict",
    title: "Not in this order status",
    meaning: "The order's status does not allow this; orders_list shows it.",
  },
  "payment-not-final": {
    code: "conflict",
    title: "Payment not final",
    meaning: "The chain may still revert the payment: goods are sent when it is final.",
  },
  "rate-missing": {
    code: "unavailable",
    title: "Exchange rate missing",
    meaning: "Orders need an ECB euro reference rate of the last five days, which is missing.",
  },
});
