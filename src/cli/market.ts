import { Argument, Command } from "commander";
import { refuse } from "../core/model/refusal.ts";
import { hideBounty, hideItem } from "../operator/market.ts";
import { about } from "./about.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

const hidden = { bounty: hideBounty, item: hideItem } as const;

export function marketCommand(terminal: Terminal): Command {
  const market = new Command("market").description(about.market);
  market
    .command("hide")
    .description(
      "takes down the text of an item or a bounty; the bounty is cancelled while its reward is reserved",
    )
    .addArgument(new Argument("<kind>", "its kind").choices(Object.keys(hidden)))
    .argument("<id>", "its bounty_id or item_id, 32 hex digits")
    .requiredOption("--reason <text>", "the permanent public reason: at most 200 characters")
    .addHelpText("after", '\nExample:\n  tallystick market hide item 5f…c1 --reason "against the law"')
    .action(async (kind: keyof typeof hidden, id: string, { reason }: { reason: string }) => {
      if (reason.length === 0 || reason.length > 200) refuse("invalid", "--reason is 1 to 200 characters");
      if (!/^[0-9a-f]{32}$/.test(id)) refuse("invalid", "<id> is 32 hex digits in lower case");
      await withRuntime<unknown>(terminal, ({ app }) => hidden[kind](app, id, reason));
      process.stdout.write(`The text of the ${kind} ${id} is taken down; its events stay in the log.\n`);
    });
  return market;
}
