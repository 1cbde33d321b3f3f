/** Money that a call sets aside: from its caller's account, and from the payment that came along. */
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { refuse } from "../../../core/model/refusal.ts";
import * as account from "../../../domain/payments/account.ts";
import { paymentProblems } from "../../../domain/payments/problems.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import { keptForAll } from "../../../projections/payments/accounts.ts";
import { refuseSuspended } from "../../agents/agents.ts";
import { refuseClosed } from "../../declare/access/account.ts";
import type { Caller } from "../../declare/caller.ts";
import type { Context } from "../../declare/index.ts";

type Paying = Pick<Context<never>, "app" | "caller" | "decide" | "payment_id">;
type Holding = Paying & Pick<Context<never>, "watch">;

/** Credits the caller's account with the payment that the call is charged to, where it is to one: so much is paid. */
export async function creditPayment(
  { app, caller, decide, payment_id }: Paying,
  amount_micro: number,
): Promise<void> {
  if (payment_id === undefined) return;
  refuseClosed(app);
  const at = app.clock.now().toISOString();
  const source = account.paymentSource(payment_id);
  const { account_micro } = app.settings.custody;
  await refuseFull(app, amount_micro);
  const decision = account.credit({ source, amount_micro, at }, account_micro);
  await decide(account, account.targetOf(caller.tenant), decision);
}

/** Sets so much of the caller's account aside, for one thing or several; a payment of the same sum that the call is charged to is credited first. */
export async function holdFunds(
  context: Holding,
  ...wanted: [account.Hold, ...account.Hold[]]
): Promise<account.AccountState> {
  const { app, caller, decide } = context;
  const at = app.clock.now().toISOString();
  const target = account.targetOf(caller.tenant);
  refuseClosed(app);
  await refuseSuspended(context);
  const amount_micro = wanted.reduce((sum, one) => sum + one.amount_micro, 0);
  await creditPayment(context, amount_micro);
  let held: account.AccountState | undefined;
  for (const one of wanted)
    held = (await decide(account, target, account.hold(one, at, allowanceOf(caller)))).state;
  return held!;
}

/** Refuses a delegate's word on what its principal has set aside: it gives away what it has set aside itself, by its delegation, alone. */
export async function refuseOthersHold(
  { caller, watch }: Pick<Holding, "caller" | "watch">,
  hold_id: string,
) {
  if (caller.kind !== "delegate") return;
  const { holds } = await watch(account, account.targetOf(caller.tenant));
  const held = holds.get(hold_id);
  if (held && held.delegation_id !== caller.mandate.delegation_id)
    refuse(
      "forbidden",
      "your principal set this money aside: who has earned it, it says with a key of its own",
    );
}

function allowanceOf(caller: Caller): account.Allowance | undefined {
  if (caller.kind !== "delegate") return undefined;
  const { delegation_id, max_spend_micro } = caller.mandate;
  return { delegation_id, max_micro: max_spend_micro };
}

async function refuseFull(app: App, amount_micro: number): Promise<void> {
  const { total_micro } = app.settings.custody;
  if ((await keptForAll(app.pool)) + amount_micro > total_micro)
    refuse(
      paymentProblems["account-full"],
      `all accounts together hold ${decimalUsdc(total_micro)} USDC at most, which the operator has set; try again later`,
    );
}

export const fundsShown = z.object({
  available_usdc: z.string().describe("Of your account, to be held or to leave it"),
  maturing_usdc: z.string().describe("What of it came in within the last day, and cannot leave yet"),
  held_usdc: z.string().describe("Set aside for what is under way"),
  debt_usdc: z.string().describe("What the chain took back after it was spent; what comes in next pays it"),
});

export const shownFunds = (state: account.AccountState, now: string): z.infer<typeof fundsShown> => ({
  available_usdc: decimalUsdc(state.available),
  maturing_usdc: decimalUsdc(account.maturingAt(state, now)),
  held_usdc: decimalUsdc(state.held),
  debt_usdc: decimalUsdc(state.debt),
});
