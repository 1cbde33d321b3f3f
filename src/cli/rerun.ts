/** `tallystick rerun`: reruns a skill's recorded execution and compares the result. */
import { Command } from "commander";
import { printable } from "../../eventstore/verify/report.ts";
import { type RerunResult, rerun } from "../api/operations/skills/rerun.ts";
import { refuse } from "../core/model/refusal.ts";
import { openCurrent } from "../operator/keep-open.ts";
import { executionsProjection, tenantOf } from "../projections/skills/executions.ts";
import { about } from "./about.ts";
import { asHexId } from "./option-values.ts";
import { marked, type Terminal, withRuntime } from "./terminal.ts";

export function rerunCommand(terminal: Terminal): Command {
  return new Command("rerun")
    .description(about.rerun)
    .argument("<execution_id>", "from skills_run: 32 hex digits", asHexId)
    .option("--now", "on current data, to see which steps change", false)
    .option("--json", "print the result as JSON", false)
    .addHelpText(
      "after",
      "\nVintages and stored answers last 180 days. Reads of the log are not repeated: their stored answers are used, and named.\nExits with 1 on any difference.",
    )
    .action(async (execution_id: string, { now, json }: { now: boolean; json: boolean }) => {
      const again = await withRuntime(terminal, async ({ app }) => {
        await app.caughtUp(executionsProjection, { wait_ms: 30_000 });
        const tenant = await tenantOf(app.pool, execution_id);
        if (tenant === undefined) return refuse("not_found", `this log has no execution ${execution_id}`);
        if (now)
          await openCurrent(app, (dataset, { message }) =>
            refuse("unavailable", `cannot open ${dataset}: ${message}`),
          );
        return rerun(app, { tenant, execution_id }, { now, signal: AbortSignal.timeout(300_000) });
      });
      process.stdout.write(json ? `${JSON.stringify(again, null, 2)}\n` : formatSteps(again));
      if (!again.same) process.exitCode = 1;
    });
}

/** The result, a line per step. */
export const formatSteps = ({
  steps,
  same,
  agent,
  model,
  result_sha256,
  again_sha256,
}: RerunResult): string =>
  [
    ...steps.map(({ step, operation, how, same }) => {
      const what = how === "kept" ? "from its stored answer" : "asked again";
      return `${marked(same, same ? "same" : "DIFFERS")}  ${printable(`${step} (${operation}), ${what}`)}`;
    }),
    ...(model === null
      ? []
      : [`      ${printable(model)} is not called again: its earlier output is reused`]),
    same
      ? `${marked(true, "the same")}: ${agent} gives ${result_sha256} again, byte for byte`
      : `${marked(false, "NOT the same")}: ${agent} gave ${result_sha256}, and now ${again_sha256}`,
    "",
  ].join("\n");
