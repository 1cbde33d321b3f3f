import { Command } from "commander";
import { ChainUnavailable } from "../core/model/ports/chain.ts";
import { refuse } from "../core/model/refusal.ts";
import { decimalUsdc } from "../domain/payments/usdc.ts";
import { type Account, type Books, books } from "../operator/books.ts";
import { about } from "./about.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

export function paymentsCommand(terminal: Terminal): Command {
  const payments = new Command("payments").description(about.payments);

  payments
    .command("books")
    .description("compare payments, channels and refunds on chain with the log, to the micro-unit")
    .option("--json", "print JSON", false)
    .addHelpText(
      "after",
      "\nExits with 1 when log and chain disagree. Payments in settlement may differ. After a crash, the service needs some 90 seconds to settle them.",
    )
    .action(async ({ json }: { json: boolean }) => {
      const result = await withRuntime(terminal, ({ app }) => books(app), {
        chain: true,
      }).catch((error) => {
        if (!(error instanceof ChainUnavailable)) throw error;
        return refuse("unavailable", `cannot read the chain: ${error.message}; check BASE_RPC_URL`);
      });
      process.stdout.write(json ? `${printed(result)}\n` : page(result));
      if (!result.agree) process.exitCode = 1;
    });

  return payments;
}

/** Sums as decimal strings of micro-USDC. */
const printed = (result: Books) =>
  JSON.stringify(result, (_, value) => (typeof value === "bigint" ? String(value) : value), 2);

const page = ({ payments, channels, refunds, withdrawals, incoming, custody, agree }: Books) =>
  [
    side("payments", payments, "settled - reorged"),
    side("refunds", refunds, "paid - reorged"),
    side("withdrawals", withdrawals, "paid - reorged"),
    `channels    chain ${decimalUsdc(channels.chain_micro)} USDC, log ${decimalUsdc(channels.log_micro)} USDC (claimed); ${decimalUsdc(channels.charged_micro)} charged, ${decimalUsdc(channels.owed_micro)} not claimed, of which ${decimalUsdc(channels.lost_micro)} lost; ${decimalUsdc(channels.moved_micro)} moved to the payment address`,
    `incoming    ${decimalUsdc(incoming.chain_micro)} USDC = ${decimalUsdc(incoming.payments_micro)} payments + ${decimalUsdc(incoming.channels_micro)} from channels + ${decimalUsdc(incoming.other_micro)} other transfers + ${decimalUsdc(incoming.unasked_micro)} without a call yet; not refunded, as the refund would cost more: ${decimalUsdc(incoming.kept_micro)}`,
    `accounts    ${decimalUsdc(custody.owed_micro)} USDC owed to their owners`,
    `PAY_TO      ${custody.pay_to.address} has ${decimalUsdc(custody.pay_to.balance_micro)} USDC`,
    `REFUND_KEY  ${custody.refunds.address} has ${decimalUsdc(custody.refunds.balance_micro)} USDC; it pays refunds and withdrawals`,
    agree ? "The books agree." : "THE BOOKS DISAGREE.",
    ...[payments, channels, refunds, withdrawals, custody]
      .flatMap(({ differences }) => differences)
      .map((id) => `  differs: ${id}`),
    ...incoming.unasked.map((id) => `  not in the log: ${id}`),
    "",
  ].join("\n");

const side = (name: string, { chain_micro, log_micro }: Account, meaning: string) =>
  `${name.padEnd(11)} chain ${decimalUsdc(chain_micro)} USDC, log ${decimalUsdc(log_micro)} USDC (${meaning})`;
