import { z } from "zod";
import { lowerCase, time, walletAddress } from "../../../core/model/fields.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import { identityProblems } from "../../../domain/identity/problems.ts";
import * as account from "../../../domain/payments/account.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import * as withdrawal from "../../../domain/payments/withdrawal.ts";
import { hasPaidIn } from "../../../projections/payments/accounts.ts";
import { refuseSuspended } from "../../agents/agents.ts";
import { type Context, json, operation, owner, subject } from "../../declare/index.ts";
import { fundsShown, shownFunds } from "../payments/funds.ts";
import { actingAgent, microOf, nowOf, sxOf, usd } from "./fields.ts";

const LEAST_USDC = withdrawal.LEAST_MICRO / 1e6;

const input = z.object({
  amount_usdc: usd(LEAST_USDC, 1_000_000).describe("How much, in USDC"),
  to: walletAddress
    .transform(lowerCase)
    .optional()
    .describe(
      "Your wallet: an agent's live key, or for an API key a wallet that has paid in; omit it if a wallet signs the call",
    ),
});

const withdraw = operation({
  name: "compute_withdraw",
  route: "POST /soul/compute/withdraw",
  effect: { changes: "takes", repeatable: false, reaches_out: false },
  summary: "Withdraw money of your account to your wallet",
  description: `You can withdraw unreserved money that was credited more than a day ago. It is paid within a day, or returns to the account.`,
  access: [subject("order"), owner("order")],
  moves_money: true,
  input,
  output: json(
    z.object({
      withdrawal_id: z.string(),
      to: z.string().describe("The paid wallet"),
      amount_usdc: z.string(),
      valid_before: time.describe("By then the money is paid, or back in the account"),
      account: fundsShown,
    }),
  ),
  status: 202,
  refuses: [403, 409],
  example: { amount_usdc: 0.5, to: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed" },
  handle: async (context) => {
    const { app, caller, unit } = context;
    await refuseSuspended(context);
    const to = await walletOf(context);
    const target = account.targetOf(caller.tenant);
    const { latest } = await app.chain.heads();
    const at = nowOf(app);
    const request = {
      withdrawal_id: unit.fresh_id,
      to,
      amount_micro: microOf(context.input.amount_usdc),
      payer: lowerCase(app.refunds.address),
      seen_block: Number(latest.number),
    };
    const { state } = await unit.decide(account, target, withdrawal.requestWithdrawal(request, at));
    const requested = state.withdrawals.get(unit.fresh_id)!;
    return {
      withdrawal_id: unit.fresh_id,
      to,
      amount_usdc: decimalUsdc(requested.amount_micro),
      valid_before: new Date(requested.valid_before * 1_000).toISOString(),
      account: shownFunds(state, at),
    };
  },
});

const WALLET = "wallet:";

/** The wallet to pay, which must be the caller's according to the log. */
async function walletOf(context: Context<z.output<typeof input>>) {
  const { input, app, caller } = context;
  const { to } = input;
  if (caller.tenant.startsWith(WALLET)) {
    const own = lowerCase(caller.tenant.slice(WALLET.length));
    if (to !== undefined && to !== own) refuseStranger("a wallet withdraws to itself: omit `to`");
    return own;
  }
  if (caller.kind === "delegate")
    return refuse("forbidden", "a delegate cannot withdraw: its principal does, with its own key");
  if (to === undefined) return refuseField("to", "is required: a wallet of yours");
  if (sxOf(caller) === undefined)
    return (await hasPaidIn(app.pool, caller.tenant, to))
      ? to
      : refuseStranger(`${to} has not paid into this account`);
  const { keys } = await actingAgent(context);
  return keys.some(({ kid }) => kid === to)
    ? to
    : refuseStranger(`${to} is not a live key of this agent: first prove it by POST /soul/{id}/keys`);
}

const refuseStranger = (sentence: string): never => refuse(identityProblems["not-yours"], sentence);

export const withdrawOperations = [withdraw];
