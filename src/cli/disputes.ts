import { Command, Option } from "commander";
import { refuse } from "../core/model/refusal.ts";
import { decideDispute } from "../operator/disputes.ts";
import { about } from "./about.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

export function disputesCommand(terminal: Terminal): Command {
  const disputes = new Command("disputes").description(about.disputes);
  disputes
    .command("decide")
    .description("decides a dispute about a task; the winner also gets the other's bond")
    .argument("<task_id>", "the task, 32 hex digits")
    .addOption(
      new Option("--for <side>", "the winner").choices(["worker", "requester"]).makeOptionMandatory(),
    )
    .requiredOption("--reason <text>", "the permanent public reason: at most 200 characters")
    .action(async (task_id: string, given: { for: "worker" | "requester"; reason: string }) => {
      const { reason } = given;
      if (reason.length === 0 || reason.length > 200) refuse("invalid", "--reason is 1 to 200 characters");
      const decided = await withRuntime(terminal, ({ app }) =>
        decideDispute(app, task_id, { verdict: given.for, reason }),
      );
      process.stdout.write(`The task ${task_id} is ${decided.status}.\n`);
    });
  return disputes;
}
