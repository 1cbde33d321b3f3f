import { Command, Option } from "commander";
import { refuse } from "../core/model/refusal.ts";
import { decideDispute } from "../operator/disputes.ts";
import { about } from "./about.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

export function disputesCommand(terminal: Terminal): Command {
  const disputes = new Command("disputes").description(about.disputes);
  disputes
    .command("decide")
    .description("says who is right in a dispute about a task; the other's bond goes there too")
    .argument("<task_id>", "the task, 32 hex digits")
    .addOption(
      new Option("--for <side>", "who is right").choices(["worker", "requester"]).makeOptionMandatory(),
    )
    .requiredOption("--reason <text>", "why, in public and for ever: at most 200 characters")
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
