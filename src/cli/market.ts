import { Argument, Command } from "commander";
import { hideBounty, hideItem } from "../operator/market.ts";
import { about } from "./about.ts";
import { asHexId, REASON } from "./option-values.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

const hidden = { bounty: hideBounty, item: hideItem } as const;

export function marketCommand(terminal: Terminal): Command {
  const market = new Command("market").description(about.market);
  market
    .command("hide")
    .description(
      "takes down the text of an item or a bounty; a bounty whose reward is still reserved is cancelled",
    )
    .addArgument(new Argument("<kind>", "the kind of text").choices(Object.keys(hidden)))
    .argument("<id>", "the bounty_id or item_id, 32 hex digits", asHexId)
    .requiredOption(...REASON)
    .addHelpText("after", '\nExample:\n  tallystick market hide item 5f…c1 --reason "against the law"')
    .action(async (kind: keyof typeof hidden, id: string, { reason }: { reason: string }) => {
      await withRuntime<unknown>(terminal, ({ app }) => hidden[kind](app, id, reason));
      process.stdout.write(`The text of the ${kind} ${id} is taken down; its events stay in the log.\n`);
    });
  return market;
}
