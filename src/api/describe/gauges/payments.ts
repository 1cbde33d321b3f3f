import { keptPayments, owedRefunds } from "../../../projections/payments/watched.ts";
import type { Gauge } from "../../declare/gauge.ts";

const ether = (wei: bigint) => Number(wei) / 1e18;

export const paymentGauges: Gauge[] = [
  {
    name: "tallystick_refunds_open",
    help: "Refunds that are owed and not paid",
    read: async ({ pool }) => [{ value: (await owedRefunds(pool)).count }],
  },
  {
    name: "tallystick_refunds_open_usdc",
    help: "Sum of the refunds that are owed and not paid, in USDC",
    read: async ({ pool }) => [{ value: (await owedRefunds(pool)).micro / 1e6 }],
  },
  {
    name: "tallystick_payments_kept_usdc",
    help: "Money received without a call and not refunded, since its refund would cost more, in USDC",
    read: async ({ pool }) => [{ value: (await keptPayments(pool)).micro / 1e6 }],
  },
  {
    name: "tallystick_gas_spent_eth",
    help: "Cost of transactions since midnight UTC, in ether, of all processes, without purposes that have a budget of their own",
    read: async ({ gas }) => [{ value: ether(await gas.spent_today()) }],
  },
  {
    name: "tallystick_gas_budget_eth",
    help: "Budget a day of these transactions, in ether; absent where gas is worthless",
    read: async ({ gas: { budget_wei } }) => (budget_wei === undefined ? [] : [{ value: ether(budget_wei) }]),
  },
  {
    name: "tallystick_gas_purpose_spent_eth",
    help: "Cost of transactions since midnight UTC for each purpose with a budget of its own, in ether",
    labels: ["purpose"],
    read: async ({ gas }) =>
      (await gas.purposes_today()).map(({ purpose, spent_wei }) => ({
        labels: { purpose },
        value: ether(spent_wei),
      })),
  },
  {
    name: "tallystick_gas_purpose_budget_eth",
    help: "Budget a day of each purpose with a budget of its own, in ether",
    labels: ["purpose"],
    read: async ({ gas }) =>
      (await gas.purposes_today()).map(({ purpose, budget_wei }) => ({
        labels: { purpose },
        value: ether(budget_wei),
      })),
  },
  {
    name: "tallystick_gas_left_eth",
    help: "The gas key's balance, in ether",
    read: async ({ chain }) => [{ value: ether(await chain.balance(chain.sender)) }],
  },
  {
    name: "tallystick_send_queue",
    help: "Calls of this process that wait to be sent to the chain",
    read: async ({ chain }) => [{ value: chain.queued() }],
  },
];
