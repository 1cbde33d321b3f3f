import { Command } from "commander";
import { deployAnchor } from "../anchoring/deploy.ts";
import { type AnchorStatus, anchorStatus } from "../anchoring/status.ts";
import { withHouse } from "../compose.ts";
import { ChainUnavailable, TransactionPending } from "../domain/ports.ts";
import { refuse } from "../domain/refusal.ts";
import type { Terminal } from "./terminal.ts";

export function anchorCommand({ settings, logger }: Terminal): Command {
  const anchor = new Command("anchor").description("anchor the log on the chain");

  anchor
    .command("status")
    .description("say how far the log is signed and anchored, and what is unproven beyond")
    .option("--json", "print JSON", false)
    .addHelpText("after", "\nTells what the log says; the chain is not asked.")
    .action(async ({ json }: { json: boolean }) => {
      const status = await withHouse(settings(), logger("warn"), ({ app }) => anchorStatus(app));
      process.stdout.write(json ? `${JSON.stringify(status, null, 2)}\n` : page(status));
    });

  anchor
    .command("deploy")
    .description("put the anchoring contract on the chain, which costs gas once")
    .option("--json", "print JSON", false)
    .action(async ({ json }: { json: boolean }) => {
      const deployed = await withHouse(
        settings(),
        logger("warn"),
        ({ app }) => deployAnchor(app.chain).catch(asRefusal),
        { chain: true },
      );
      const { address, transaction } = deployed;
      const said = transaction
        ? `The contract is at ${address} now, by ${transaction}.`
        : `The contract is at ${address} already.`;
      process.stdout.write(json ? `${JSON.stringify(deployed, null, 2)}\n` : `${said}\n`);
    });

  return anchor;
}

function asRefusal(error: unknown): never {
  if (error instanceof TransactionPending)
    return refuse("unavailable", `${error.message}; run the command again to see`);
  if (error instanceof ChainUnavailable)
    return refuse("unavailable", `nothing was sent: ${error.message}; see BASE_RPC_URL and GAS_KEY`);
  throw error;
}

const page = ({ origin, events, checkpoint, anchor, unproven_events }: AnchorStatus) =>
  [
    `log       ${origin}, ${events} events`,
    checkpoint
      ? `signed    ${checkpoint.size} events at ${checkpoint.signed_at}, root ${checkpoint.root}`
      : "signed    nothing yet",
    ...(anchor
      ? [
          `anchored  ${anchor.size} events at ${anchor.anchored_at}, ${anchor.firmness === "final" ? "for good" : "not final yet"}`,
          `          transaction ${anchor.transaction}, block ${anchor.block_number}`,
        ]
      : ["anchored  nothing yet"]),
    `unproven  ${unproven_events} events beyond the newest final anchor`,
    "",
  ].join("\n");
