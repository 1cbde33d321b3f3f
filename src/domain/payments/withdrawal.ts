/**
 * A withdrawal is our own authorization (EIP-3009). Its nonce is derived from the withdrawal's id, so the chain takes
 * it once, however often it is sent. If it expires without a block, it can never move, and the money is back in the
 * account.
 */
import { createHash } from "node:crypto";
import type { Hex } from "../../core/model/chain.ts";
import type { TransferAuthorization } from "../../core/model/ports/settlement.ts";
import { refuse } from "../../core/model/refusal.ts";
import { type AccountEvent, type AccountState, maturingAt, type Withdrawal } from "./account.ts";
import type { MinedTransaction } from "./payment-events.ts";
import { paymentProblems } from "./problems.ts";
import { decimalUsdc } from "./usdc.ts";

/** The least withdrawal: 0.10 USDC. */
export const LEAST_MICRO = 100_000;

/** Seconds until a withdrawal is paid or comes back. */
export const PAID_WITHIN_S = 86_400;

/** `payer`: the paying account. `seen_block`: the newest block at the request. */
export type WithdrawalRequest = Pick<
  Withdrawal,
  "withdrawal_id" | "to" | "amount_micro" | "payer" | "seen_block"
>;

/** SHA-256 of "tallystick withdrawal", the tenant and the id, a line each. */
const nonceOf = (tenant: string, id: string): Hex =>
  `0x${createHash("sha256").update(["tallystick withdrawal", tenant, id].join("\n")).digest("hex")}`;

/** The transfer of a withdrawal; deterministic. */
export const withdrawalTransfer = (tenant: string, of: Withdrawal): TransferAuthorization => ({
  from: of.payer,
  to: of.to,
  value: BigInt(of.amount_micro),
  valid_after: 0n,
  valid_before: BigInt(of.valid_before),
  nonce: nonceOf(tenant, of.withdrawal_id),
});

/** Micro-USDC that can be withdrawn now: older than a day and not held. */
export const withdrawable = (state: AccountState, now: string): number =>
  state.available - maturingAt(state, now);

function nextFrom({ maturing }: AccountState, now: string): string {
  const [next] = [...maturing.keys()].filter((at) => at > now).sort();
  return next === undefined ? "" : ` (the next from ${next})`;
}

/** Repeatable. */
export const requestWithdrawal =
  (request: WithdrawalRequest, asked_at: string) =>
  (state: AccountState): AccountEvent[] => {
    if (state.withdrawals.has(request.withdrawal_id)) return [];
    const most = withdrawable(state, asked_at);
    if (request.amount_micro > most)
      refuse(
        paymentProblems["funds-missing"],
        `${decimalUsdc(most)} USDC of this account can be withdrawn now, not ${decimalUsdc(request.amount_micro)}: money can be withdrawn from the first midnight (UTC) at least 24 hours after it came in${nextFrom(state, asked_at)}, and held money once it is free`,
      );
    const valid_before = Math.floor(Date.parse(asked_at) / 1_000) + PAID_WITHIN_S;
    return [{ type: "WithdrawalAsked", data: { ...request, valid_before, asked_at } }];
  };

/** The canonical chain has it in this transaction. */
export const pay =
  (withdrawal_id: string, mined: MinedTransaction, paid_at: string) =>
  ({ withdrawals }: AccountState): AccountEvent[] => {
    const withdrawal =
      withdrawals.get(withdrawal_id) ?? refuse("conflict", "there is no such open withdrawal");
    if (withdrawal.paid?.block_hash === mined.block_hash) return [];
    return [{ type: "WithdrawalPaid", data: { withdrawal_id, ...mined, paid_at } }];
  };

/** The chain reverted its block, and no other block has it: it is sent again. */
export const reorg =
  (withdrawal_id: string, transaction: Hex, found_at: string) =>
  ({ withdrawals }: AccountState): AccountEvent[] =>
    withdrawals.get(withdrawal_id)?.paid?.transaction === transaction
      ? [{ type: "WithdrawalReorged", data: { withdrawal_id, transaction, found_at } }]
      : [];

/** The last possible block is final, and none has it. */
export const fail =
  (withdrawal_id: string, reason: string, failed_at: string) =>
  ({ withdrawals }: AccountState): AccountEvent[] => {
    const withdrawal = withdrawals.get(withdrawal_id);
    if (!withdrawal || withdrawal.paid) return [];
    const { amount_micro } = withdrawal;
    return [{ type: "WithdrawalFailed", data: { withdrawal_id, amount_micro, reason, failed_at } }];
  };
