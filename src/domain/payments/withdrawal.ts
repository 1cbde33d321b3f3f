/**
 * What leaves an account: an authorization of our own (EIP-3009) whose nonce follows from the withdrawal's id, so that the chain takes it
 * once however often it is sent. Once its time is over and no block has it, it never moves, and the money is in the account again.
 */
import { createHash } from "node:crypto";
import type { Hex } from "../../core/model/chain.ts";
import type { TransferAuthorization } from "../../core/model/ports/settlement.ts";
import { refuse } from "../../core/model/refusal.ts";
import { type AccountEvent, type AccountState, maturingAt, type Withdrawal } from "./account.ts";
import type { Mined } from "./payment-events.ts";
import { paymentProblems } from "./problems.ts";
import { decimalUsdc } from "./usdc.ts";

/** The least that leaves an account at once: 0.10 USDC. */
export const LEAST_MICRO = 100_000;

/** Seconds in which a withdrawal is carried, or comes back. */
export const CARRIED_S = 86_400;

/** `payer`: whose USDC it is paid from. `seen_block`: the newest when it was asked for. */
export type Wanted = Pick<Withdrawal, "withdrawal_id" | "to" | "amount_micro" | "payer" | "seen_block">;

/** SHA-256 of "tallystick withdrawal", the tenant and the id, a line each. */
const nonceOf = (tenant: string, id: string): Hex =>
  `0x${createHash("sha256").update(["tallystick withdrawal", tenant, id].join("\n")).digest("hex")}`;

/** The transfer that pays it, the same whenever it is made. */
export const withdrawalTransfer = (tenant: string, of: Withdrawal): TransferAuthorization => ({
  from: of.payer,
  to: of.to,
  value: BigInt(of.amount_micro),
  valid_after: 0n,
  valid_before: BigInt(of.valid_before),
  nonce: nonceOf(tenant, of.withdrawal_id),
});

/** What could leave the account now: what came in longer than a day ago and is not held. Micro-USDC. */
export const withdrawable = (state: AccountState, now: string): number =>
  state.available - maturingAt(state, now);

/** Takes it out of the account, to be paid. Asked for before, it is the same. */
export const ask =
  (wanted: Wanted, asked_at: string) =>
  (state: AccountState): AccountEvent[] => {
    if (state.withdrawals.has(wanted.withdrawal_id)) return [];
    const most = withdrawable(state, asked_at);
    if (wanted.amount_micro > most)
      refuse(
        paymentProblems["funds-missing"],
        `${decimalUsdc(most)} USDC of this account can leave it now, and ${decimalUsdc(wanted.amount_micro)} were asked for: what came in within the last day, and what is held, stays`,
      );
    const valid_before = Math.floor(Date.parse(asked_at) / 1_000) + CARRIED_S;
    return [{ type: "WithdrawalAsked", data: { ...wanted, valid_before, asked_at } }];
  };

/** The chain has it, in this transaction as it stands now. */
export const pay =
  (withdrawal_id: string, mined: Mined, paid_at: string) =>
  ({ withdrawals }: AccountState): AccountEvent[] => {
    const known =
      withdrawals.get(withdrawal_id) ?? refuse("conflict", "there is no such withdrawal under way");
    if (known.paid?.block_hash === mined.block_hash) return [];
    return [{ type: "WithdrawalPaid", data: { withdrawal_id, ...mined, paid_at } }];
  };

/** The chain took the block of its transaction back, and has it nowhere else: it is sent again. */
export const reorg =
  (withdrawal_id: string, transaction: Hex, found_at: string) =>
  ({ withdrawals }: AccountState): AccountEvent[] =>
    withdrawals.get(withdrawal_id)?.paid?.transaction === transaction
      ? [{ type: "WithdrawalReorged", data: { withdrawal_id, transaction, found_at } }]
      : [];

/** The last block that could have taken it is final, and none has. */
export const fail =
  (withdrawal_id: string, reason: string, failed_at: string) =>
  ({ withdrawals }: AccountState): AccountEvent[] => {
    const known = withdrawals.get(withdrawal_id);
    if (!known || known.paid) return [];
    const { amount_micro } = known;
    return [{ type: "WithdrawalFailed", data: { withdrawal_id, amount_micro, reason, failed_at } }];
  };
