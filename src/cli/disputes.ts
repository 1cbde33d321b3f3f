import { Command, Option } from "commander";
import { decideDispute } from "../operator/disputes.ts";
import { about } from "./about.ts";
import { asHexId, REASON } from "./option-values.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

export function disputesCommand(terminal: Terminal): Command {
  const disputes = new Command("disputes").description(about.disputes);
  disputes
    .command("decide")
    .description("decides a dispute about a task; the winner also gets the other's bond")
    .argument("<task_id>", "the task, 32 hex digits", asHexId)
    .addOption(
      new Option("--for <side>", "the winner").choices(["worker", "requester"]).makeOptionMandatory(),
    )
    .requiredOption(...REASON)
    .action(async (task_id: string, given: { for: "worker" | "requester"; reason: string }) => {
      const { reason } = given;
      const decided = await withRuntime(terminal, ({ app }) =>
        decideDispute(app, task_id, { verdict: given.for, reason }),
      );
      process.stdout.write(`The task ${task_id} is ${decided.status}.\n`);
    });
  return disputes;
}
