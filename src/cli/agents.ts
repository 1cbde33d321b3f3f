import { Command } from "commander";
import type { App } from "../core/app.ts";
import { refuse } from "../core/model/refusal.ts";
import * as agents from "../domain/identity/agent.ts";
import { sxId } from "../domain/identity/fields.ts";
import { eraseName, revokePassport, setSuspended } from "../operator/agents.ts";
import { about } from "./about.ts";
import { REASON, textUpTo } from "./option-values.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

const NAME = "the agent's agent_id, or passport number as SX#42 or 42";

export function agentsCommand(terminal: Terminal): Command {
  const group = new Command("agents").description(about.agents);
  const changing = (
    name: string,
    text: string,
    change: (app: App, agent: string, reason: string) => Promise<agents.Agent>,
  ) =>
    group
      .command(name)
      .description(text)
      .argument("<agent>", NAME, textUpTo(64))
      .requiredOption(...REASON)
      .action(async (agent: string, { reason }: { reason: string }) => {
        const changed = await withRuntime(terminal, ({ app }) => change(app, agent, reason));
        print(`${sxId(changed.facts.sx_number)} ${changed.facts.agent_id} is ${agents.statusOf(changed)}.`);
      });

  changing("suspend", "suspends an agent: it can read but not act", (app, agent, reason) =>
    setSuspended(app, agent, { suspended: true, reason }),
  );
  changing("reinstate", "reinstates a suspended agent", (app, agent, reason) =>
    setSuspended(app, agent, { suspended: false, reason }),
  );
  changing("revoke", "revokes a passport and all its keys for good", revokePassport);

  group
    .command("erase")
    .description("destroy the key of an agent's sealed name: the name reads as erased for good")
    .argument("<agent>", NAME, textUpTo(64))
    .action(async (agent: string) => {
      const erased = await withRuntime(terminal, ({ app }) => eraseName(app, agent));
      if (!erased) return refuse("not_found", `${agent} has no sealed name; an erased name is unknown too`);
      print(
        erased.status === "erased"
          ? `Erased. Backups of the vault may still have the key; the last expires by ${erased.erasure.final_after}.`
          : "The key is destroyed. The service has not recorded the completion yet.",
      );
    });

  return group;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
