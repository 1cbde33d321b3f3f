import { Command } from "commander";
import { operatorMeta } from "../core/app.ts";
import { about } from "./about.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

export function rngCommand(terminal: Terminal): Command {
  const rng = new Command("rng").description(about.rng);

  rng
    .command("abandon")
    .description("abandon every chain of seeds that SEED_SECRET cannot make, and refund void bets")
    .option("--json", "print JSON", false)
    .addHelpText(
      "after",
      "\nRolls, bets and audit draws from the seed in use are void. The log and /rng say so for good.",
    )
    .action(async ({ json }: { json: boolean }) => {
      const { abandonLost } = await import("../operator/seeds.ts");
      const { agreeOnKeys } = await import("../runtime/shared-keys.ts");
      const given = await withRuntime(terminal, async ({ app }) => {
        // Otherwise a process with the secret would continue to draw.
        await agreeOnKeys(app);
        return abandonLost(app, operatorMeta("rng.abandon"));
      });
      const { chains, refunded_accounts } = given;
      const lines = chains.map(
        ({ space, chain, void: used }) =>
          `${space} chain ${chain} is abandoned; ${used ? `everything drawn from seed ${used.index} is void` : "no secret seed of it was used"}.`,
      );
      const messages = [...lines, `${refunded_accounts} lounge accounts got their stakes back.`];
      process.stdout.write(json ? `${JSON.stringify(given, null, 2)}\n` : `${messages.join("\n")}\n`);
    });

  return rng;
}
