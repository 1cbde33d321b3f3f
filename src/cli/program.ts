/** The command line: `tallystick …`. Every command works with the service running or not. */
import { Command } from "commander";
import { catalogue } from "../api/catalogue.ts";
import { operationsPage } from "../api/reference.ts";
import { anchorCommand } from "./anchor.ts";
import { dataCommands } from "./data.ts";
import { demoCommand } from "./demo.ts";
import { keysCommand } from "./keys.ts";
import { logCommands } from "./log.ts";
import { paymentsCommand } from "./payments.ts";
import { serve } from "./serve.ts";
import type { Terminal } from "./terminal.ts";
import { witnessCommand } from "./witness.ts";

export function program(terminal: Terminal): Command {
  const root = new Command("tallystick")
    .description("Data, computation and trust for autonomous agents, over one verifiable log.")
    .version("0.1.0")
    .showHelpAfterError("(see --help)")
    // Options behind a command are that command's: `verify` and `verify receipt` both have --json.
    .enablePositionalOptions()
    .configureHelp({ showGlobalOptions: true });
  root
    .command("serve")
    .description("run the service (what `npm start` does)")
    .addHelpText("after", "\nSettings come from the environment; .env.example lists them.")
    .action(() => serve(terminal));
  root.addCommand(demoCommand(terminal));
  root.addCommand(keysCommand(terminal));
  root.addCommand(paymentsCommand(terminal));
  root.addCommand(anchorCommand(terminal));
  root.addCommand(witnessCommand(terminal));
  for (const command of dataCommands(terminal)) root.addCommand(command);
  for (const command of logCommands(terminal)) root.addCommand(command);
  root
    .command("docs", { hidden: true })
    .description("print docs/operations.md")
    .action(() => void process.stdout.write(operationsPage(catalogue)));
  return root;
}
