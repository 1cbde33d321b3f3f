/** The command by which the operator erases somebody: one, wherever it is called. */
import { Command } from "commander";
import { operatorMeta } from "../core/app.ts";
import { refuse } from "../core/model/refusal.ts";
import { mailSubject } from "../core/model/sealed.ts";
import { eraseSubject } from "../reactors/subjects/erasure.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

type Options = { tenant: string; kind?: string; json: boolean };

/** Erases whom its one argument names: a mail address, where no option `kind` says otherwise. `operation`: what its events are told to come from. */
export function eraseCommand(terminal: Terminal, operation: string): Command {
  return new Command("erase")
    .requiredOption(
      "--tenant <name>",
      "whose subject it is (test keys: test:<name>; wallets: wallet:<address>, as orders and exports have them)",
    )
    .option("--json", "print JSON", false)
    .action(async (name: string, { tenant, kind = "mail", json }: Options) => {
      const subject = kind === "mail" ? mailSubject(tenant, name) : { tenant, kind, name };
      const erased = await withRuntime(terminal, ({ app }) =>
        eraseSubject(app, subject, { by: "operator", meta: operatorMeta(operation) }),
      );
      if (!erased)
        return refuse(
          "not_found",
          `nothing is sealed for a ${kind} of this name and tenant: look for typing errors; one that was erased is not known any more`,
        );
      if (json) return print(JSON.stringify({ ...erased, event: erased.event?.event_id ?? null }));
      if (erased.status === "requested")
        return print("The key is destroyed. The service has still to record the end.");
      const { sealed_events, final_after } = erased.erasure;
      print(`Erased: ${sealed_events} events hold what nobody opens any more.`);
      print(`Backups of the vault that may have the key end by ${final_after}.`);
    });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
