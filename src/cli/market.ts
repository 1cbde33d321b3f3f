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
      "takes down what somebody wrote: of a bounty, which is cancelled while its reward is held, or of an item",
    )
    .addArgument(new Argument("<kind>", "what it is").choices(Object.keys(hidden)))
    .argument("<id>", "its bounty_id or item_id, 32 hex digits")
    .requiredOption("--reason <text>", "why, in public and for ever: at most 200 characters")
    .addHelpText("after", '\nExample:\n  tallystick market hide item 5f…c1 --reason "against the law"')
    .action(async (kind: keyof typeof hidden, id: string, { reason }: { reason: string }) => {
      if (reason.length === 0 || reason.length > 200) refuse("invalid", "--reason is 1 to 200 characters");
      if (!/^[0-9a-f]{32}$/.test(id)) refuse("invalid", "<id> is 32 hex digits in lower case");
      await withRuntime<unknown>(terminal, ({ app }) => hidden[kind](app, id, reason));
      process.stdout.write(
        `What was written of the ${kind} ${id} is taken down; its events stay in the log.\n`,
      );
    });
  return market;
}
