/** The service as its operator sees it: open work, money, gas, reactors and read models. */

import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { time } from "../../../core/model/fields.ts";
import { openWork } from "../../../projections/operator/open-work.ts";
import { keptPayments, owedRefunds } from "../../../projections/payments/watched.ts";
import { json, key, operation } from "../../declare/index.ts";

const count = (about: string) => z.int().describe(about);
const ether = z.number().describe("In ether");
const usdc = (about: string) => z.number().describe(`${about}, in USDC`);

const gas = z
  .object({
    spent_today: ether.describe("Cost of today's transactions (UTC), in ether"),
    budget: ether.nullable().describe("The budget of a day, in ether; null: gas is worthless here"),
    balance: ether.nullable().describe("The gas key's balance, in ether; null: the chain cannot be reached"),
    queued: count("Calls of this process that wait to be sent"),
    purposes: z
      .array(z.object({ purpose: z.string(), spent_today: ether, budget: ether }))
      .describe("Purposes with a budget of their own"),
  })
  .describe("The gas of the service's transactions");

const reactor = z.object({
  name: z.string().describe("The reactor's name, as in logs and metrics"),
  status: z.string().describe("`done`, or the failure that blocks it"),
  since: time.nullable().describe("Start of its failure; null: it does not fail"),
  reason: z
    .string()
    .nullable()
    .describe("Reason of its failure; null: it does not fail, or the failure's name is enough"),
  last_good_s: z.int().nullable().describe("Seconds since its last good tick; null: none yet"),
});

const readModel = z.object({
  name: z.string().describe("The read model's name and version"),
  behind: count("Events that it has not folded yet"),
  trouble: z.string().nullable().describe("Why it cannot fold; null: it folds"),
});

const overview = operation({
  name: "operator_overview",
  route: "GET /operator/overview",
  summary: "The operator's overview",
  description:
    "Open orders, executions, tasks, refunds, withdrawals and webhooks as numbers; gas; and every reactor and read model " +
    "with its failure and lag. It names no tenant and shows no content. It needs an admin key.",
  access: [key("admin")],
  input: z.object({}),
  output: json(
    z.object({
      position: z.int().describe("The position of the newest event"),
      orders: z
        .object({ awaiting_payment: count("Not paid yet"), to_ship: count("Paid and not shipped") })
        .describe("Open orders of both shops"),
      executions: z
        .object({ requested: count("Not started yet"), running: count("In progress") })
        .describe("Executions of skills"),
      tasks: z
        .object({
          queued: count("Waiting for a node"),
          leased: count("In progress at a node"),
          disputed: count("Disputed"),
          settled: count("Settled so far"),
          refunded: count("Refunded so far"),
        })
        .describe("Tasks of the compute market"),
      refunds: z
        .object({
          open: count("Owed and not paid"),
          open_usdc: usdc("Their sum"),
          kept: count("Payments without a call whose refund would cost more than the payment"),
          kept_usdc: usdc("Their sum"),
        })
        .describe("Refunds of payments"),
      withdrawals: z.object({ open: count("Requested and not paid") }).describe("Withdrawals from accounts"),
      webhooks: z
        .object({
          active: count("Active subscriptions"),
          paused: count("Paused subscriptions"),
          waiting: count("Deliveries that wait"),
          late: count("Of these, due for more than five minutes"),
        })
        .describe("Webhooks of alerts"),
      gas,
      reactors: z.array(reactor).describe("The failing ones first"),
      read_models: z.array(readModel).describe("The failing ones first, then by lag"),
      disputes: z
        .array(z.string())
        .describe("Reports by witnesses and external copies that they have another log"),
    }),
  ),
  example: {},
  handle: async ({ app }) => {
    const [head, work, owed, kept, gasNow, health, disputes] = await Promise.all([
      app.store.head(),
      openWork(app.pool, app.clock.now()),
      owedRefunds(app.pool),
      keptPayments(app.pool),
      gasOf(app),
      app.health(),
      app.disputes(),
    ]);
    return {
      position: head.position,
      ...work,
      refunds: {
        open: owed.count,
        open_usdc: owed.micro / 1e6,
        kept: kept.count,
        kept_usdc: kept.micro / 1e6,
      },
      gas: gasNow,
      reactors: health.reactors
        .map(({ name, trouble, last_good_s }) => ({
          name,
          status: trouble?.status ?? "done",
          since: trouble?.since ?? null,
          reason: trouble?.reason ?? null,
          last_good_s,
        }))
        .toSorted((a, b) => Number(b.since !== null) - Number(a.since !== null)),
      read_models: health.projections.toSorted(
        (a, b) => Number(b.trouble !== null) - Number(a.trouble !== null) || b.behind - a.behind,
      ),
      disputes,
    };
  },
});

const inEther = (wei: bigint) => Number(wei) / 1e18;

async function gasOf({ gas: spending, chain }: App) {
  const [spent, purposes, balance] = await Promise.all([
    spending.spent_today(),
    spending.purposes_today(),
    chain.balance(chain.sender).catch(() => undefined),
  ]);
  return {
    spent_today: inEther(spent),
    budget: spending.budget_wei === undefined ? null : inEther(spending.budget_wei),
    balance: balance === undefined ? null : inEther(balance),
    queued: chain.queued(),
    purposes: purposes.map(({ purpose, spent_wei, budget_wei }) => ({
      purpose,
      spent_today: inEther(spent_wei),
      budget: inEther(budget_wei),
    })),
  };
}

export const operatorOperations = [overview];
