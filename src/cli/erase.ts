/** The operator's command to erase a subject, shared by all its places. */
import { Command } from "commander";
import { operatorMeta } from "../core/app.ts";
import { refuse } from "../core/model/refusal.ts";
import { mailSubjects } from "../core/model/sealed.ts";
import { eraseSubjects } from "../reactors/subjects/erasure.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

type Options = { tenant: string; kind?: string; json: boolean };

/**
 * Erases the subject named by its argument: a mail address, unless the option `kind` differs. `operation`: recorded
 * in its events.
 */
export function eraseCommand(terminal: Terminal, operation: string): Command {
  return new Command("erase")
    .requiredOption(
      "--tenant <name>",
      "the owner's tenant (test keys: test:<name>; wallets: wallet:<address>, as in orders and exports)",
    )
    .option("--json", "print JSON", false)
    .action(async (name: string, { tenant, kind = "mail", json }: Options) => {
      const subjects = kind === "mail" ? mailSubjects(tenant, name) : [{ tenant, kind, name }];
      const erased = await withRuntime(terminal, ({ app }) =>
        eraseSubjects(app, subjects, { by: "operator", meta: operatorMeta(operation) }),
      );
      if (!erased)
        return refuse(
          "not_found",
          `this tenant has no sealed data for a ${kind} of this name: check the spelling; an erased one is unknown too`,
        );
      if (json) return print(JSON.stringify({ ...erased, event: erased.event?.event_id ?? null }));
      if (erased.status === "requested")
        return print("The key is destroyed. The service has not recorded the completion yet.");
      const { sealed_events, final_after } = erased.erasure;
      print(`Erased: nobody can open ${sealed_events} events any more.`);
      print(`Backups of the vault may still have the key; the last expires by ${final_after}.`);
    });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
