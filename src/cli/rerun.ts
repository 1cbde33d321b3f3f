/** `tallystick rerun`: an execution of a skill run again from what was recorded of it, and held against its result. */
import { Command } from "commander";
import { printable } from "../../eventstore/verify/report.ts";
import { type Again, rerun } from "../api/operations/skills/rerun.ts";
import { refuse } from "../core/model/refusal.ts";
import { openCurrent } from "../operator/keep-open.ts";
import { executionsProjection, tenantOf } from "../projections/skills/executions.ts";
import { about } from "./about.ts";
import { marked, type Terminal, withRuntime } from "./terminal.ts";

export function rerunCommand(terminal: Terminal): Command {
  return new Command("rerun")
    .description(about.rerun)
    .argument("<execution_id>", "as skills_run named it: 32 hex digits")
    .option("--now", "on the data of now, to see which steps they change", false)
    .option("--json", "print what came of it as JSON", false)
    .addHelpText(
      "after",
      "\nVintages and kept answers last 180 days. What was read of the log is not asked again: its kept answer is taken, and named.\nExits with 1 when anything differs.",
    )
    .action(async (execution_id: string, { now, json }: { now: boolean; json: boolean }) => {
      if (!/^[0-9a-f]{32}$/.test(execution_id))
        refuse("invalid", "<execution_id> is 32 hex digits in lower case");
      const again = await withRuntime(terminal, async ({ app }) => {
        await app.caughtUp(executionsProjection, 30_000);
        const tenant = await tenantOf(app.pool, execution_id);
        if (tenant === undefined)
          return refuse("not_found", `there is no execution ${execution_id} in this log`);
        if (now)
          await openCurrent(app, (dataset, { message }) =>
            refuse("unavailable", `${dataset} cannot be opened: ${message}`),
          );
        return rerun(app, { tenant, execution_id }, { now, signal: AbortSignal.timeout(300_000) });
      });
      process.stdout.write(json ? `${JSON.stringify(again, null, 2)}\n` : spoken(again));
      if (!again.same) process.exitCode = 1;
    });
}

/** What came of it, a line a step. */
export const spoken = ({ steps, same, agent, model, result_sha256, again_sha256 }: Again): string =>
  [
    ...steps.map(({ step, operation, how, same }) => {
      const what = how === "kept" ? "taken from its kept answer" : "asked again";
      return `${marked(same, same ? "same" : "DIFFERS")}  ${printable(`${step} (${operation}), ${what}`)}`;
    }),
    ...(model === null
      ? []
      : [`      ${printable(model)} is not asked again: what it said is taken as it was`]),
    same
      ? `${marked(true, "the same")}: ${agent} comes to ${result_sha256} again, byte for byte`
      : `${marked(false, "NOT the same")}: ${agent} came to ${result_sha256}, and now to ${again_sha256}`,
    "",
  ].join("\n");
