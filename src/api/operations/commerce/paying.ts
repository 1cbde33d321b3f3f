import { z } from "zod";
import type { App } from "../../../core/app.ts";
import * as orders from "../../../domain/commerce/order.ts";
import * as product from "../../../domain/commerce/product.ts";
import * as stock from "../../../domain/commerce/stock.ts";
import * as payments from "../../../domain/payments/payment.ts";
import { examples } from "../../../domain/sandbox/examples.ts";
import { cancelOrder } from "../../../reactors/commerce/steps.ts";
import { json, operation, owner, pay, type Usdc } from "../../declare/index.ts";
import { microUsdc } from "../../serve/x402/required.ts";
import { developmentChain, inputOrderId, nowOf, orderShown, shopMeta, shownOrder } from "./fields.ts";
import { PAY_PATH } from "./orders.ts";

const answer = json(
  z.object({ data: orderShown, meta: z.object({ ...shopMeta, development_chain: developmentChain }) }),
);

const payOrder = operation({
  name: "orders_pay",
  route: `POST ${PAY_PATH}`,
  effect: { changes: "takes", repeatable: true, reaches_out: true },
  summary: "Pay for an order",
  description: `The payment is the order's \`total_usdc\`: call once without a payment and pay the 402. A
key sent with the payment names the tenant that placed the order. A wrong total is refused before settlement, and so is an order
that is paid or has ended. A payment that begins before the order expires gets the goods; a later one is refunded.`,
  access: [
    pay(
      ({ total_usdc }: { total_usdc: string }) => total_usdc as Usdc,
      "1",
      "the order's total_usdc, in USDC",
    ),
  ],
  input: z.object({
    order_id: inputOrderId,
    total_usdc: z
      .string("is a decimal string of USDC")
      .regex(
        /^(?=.*[1-9])\d{1,7}(\.\d{1,6})?$/,
        "is the order's total_usdc: a decimal string with at most six places",
      )
      .describe("The order's total_usdc from orders_create"),
  }),
  output: answer,
  refuses: [404, 409],
  example: examples.order.paid,
  handle: async ({ input: { order_id, total_usdc }, caller, app, unit, request }) => {
    if (request.payment_id === undefined) throw new Error("pay an order by a payment alone");
    const { tenant } = caller;
    const at = nowOf(app);
    const target = orders.targetOf(tenant, order_id);
    const { facts } = orders.existing(await unit.watch(orders, target));
    const paid = {
      payment_id: request.payment_id,
      usdc_micro: Number(microUsdc(total_usdc as Usdc)),
      begun_at: await begunAt(app, request.payment_id, at),
    };
    // Decides on the stock first, because all changes of a product's stock queue there.
    await unit.decide(stock, product.targetOf(tenant, facts.product_id), stock.confirm(order_id, at));
    const { state } = await unit.decide(orders, target, orders.pay(paid, at));
    const data = shownOrder(orders.existing(state));
    return { data, meta: { tenant, development_chain: app.embedded_chain } };
  },
});

/** The time at which the payment was claimed; now if it is not claimed yet. */
async function begunAt(app: App, payment_id: string, now: string): Promise<string> {
  const state = await app.load(payments, payments.targetOf(payment_id));
  return payments.isFree(state) ? now : state.claim.claimed_at;
}

const cancel = operation({
  name: "orders_cancel",
  route: "POST /v1/agent/orders/cancel",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Cancel an order that is not shipped",
  description:
    "Its goods can be sold again at once. A USDC payment is refunded in full to the wallet that paid; see payment_status of `paid.payment_id`. The fee for placing the order is not refunded. A repeat returns the same.",
  access: [owner("order"), pay("0.001")],
  input: z.object({
    order_id: inputOrderId,
    reason: z
      .enum(orders.cancelReasons, `is one of ${orders.cancelReasons.join(", ")}`)
      .default("other")
      .describe("Why"),
  }),
  output: answer,
  refuses: [404, 409],
  example: { order_id: examples.order.ended, reason: "changed_mind" },
  handle: async ({ input: { order_id, reason }, caller, app, unit }) => {
    const { tenant } = caller;
    const facts = { by: "buyer" as const, reason, cancelled_at: nowOf(app) };
    const { order } = await cancelOrder(unit, { tenant, order_id }, facts);
    return { data: shownOrder(order), meta: { tenant, development_chain: app.embedded_chain } };
  },
});

export const payingOperations = [payOrder, cancel];
