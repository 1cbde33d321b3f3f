/** Holds money for a call, from the caller's account and from the payment sent with the call. */
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { refuse } from "../../../core/model/refusal.ts";
import * as account from "../../../domain/payments/account.ts";
import { paymentProblems } from "../../../domain/payments/problems.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import { sumOfAccounts } from "../../../projections/payments/accounts.ts";
import { refuseSuspended } from "../../agents/agents.ts";
import { refuseClosed } from "../../declare/access/account.ts";
import type { Caller } from "../../declare/caller.ts";
import type { Context } from "../../declare/index.ts";

type PaymentContext = Pick<Context<never>, "app" | "caller" | "unit" | "request">;

/** Credits the caller's account with the call's payment, if there is one. */
export async function creditPayment(
  { app, caller, unit, request }: PaymentContext,
  amount_micro: number,
): Promise<void> {
  if (request.payment_id === undefined) return;
  refuseClosed(app);
  const at = app.clock.now().toISOString();
  const source = account.paymentSource(request.payment_id);
  const { account_micro } = app.settings.custody;
  await refuseFull(app, amount_micro);
  const decision = account.credit({ source, amount_micro, at }, account_micro);
  await unit.decide(account, account.targetOf(caller.tenant), decision);
}

/** Holds the sum of one or several amounts. A payment of that sum is credited first. */
export async function holdFunds(
  context: PaymentContext,
  ...requests: [account.Hold, ...account.Hold[]]
): Promise<account.AccountState> {
  const { app, caller, unit } = context;
  const at = app.clock.now().toISOString();
  const target = account.targetOf(caller.tenant);
  refuseClosed(app);
  await refuseSuspended(context);
  const amount_micro = requests.reduce((sum, one) => sum + one.amount_micro, 0);
  await creditPayment(context, amount_micro);
  let current: account.AccountState | undefined;
  for (const one of requests)
    current = (await unit.decide(account, target, account.hold(one, at, allowanceOf(caller)))).state;
  return current!;
}

/** A delegate may decide only about holds that its own delegation made. */
export async function refuseOthersHold(
  { caller, unit }: Pick<Context<never>, "caller" | "unit">,
  hold_id: string,
) {
  if (caller.kind !== "delegate") return;
  const { holds } = await unit.watch(account, account.targetOf(caller.tenant));
  const current = holds.get(hold_id);
  if (current && current.delegation_id !== caller.mandate.delegation_id)
    refuse("forbidden", "your principal holds this money: only its own key decides about it");
}

function allowanceOf(caller: Caller): account.Allowance | undefined {
  if (caller.kind !== "delegate") return undefined;
  const { delegation_id, max_spend_micro } = caller.mandate;
  return { delegation_id, max_micro: max_spend_micro };
}

async function refuseFull(app: App, amount_micro: number): Promise<void> {
  const { total_micro } = app.settings.custody;
  if ((await sumOfAccounts(app.pool)) + amount_micro > total_micro)
    refuse(
      paymentProblems["account-full"],
      `all accounts together hold at most ${decimalUsdc(total_micro)} USDC, the operator's limit; try again later`,
    );
}

export const fundsShown = z.object({
  available_usdc: z.string().describe("Available in your account"),
  maturing_usdc: z
    .string()
    .describe("The part of available_usdc that was credited within 24 hours and cannot be withdrawn yet"),
  held_usdc: z.string().describe("Reserved, such as for open tasks and bounties"),
  debt_usdc: z
    .string()
    .describe("Credits that the chain reverted after they were spent; the next credit pays this debt"),
});

export const shownFunds = (state: account.AccountState, now: string): z.infer<typeof fundsShown> => ({
  available_usdc: decimalUsdc(state.available),
  maturing_usdc: decimalUsdc(account.maturingAt(state, now)),
  held_usdc: decimalUsdc(state.held),
  debt_usdc: decimalUsdc(state.debt),
});
