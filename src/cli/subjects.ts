import { Command } from "commander";
import { operatorMeta } from "../app.ts";
import { refuse } from "../domain/refusal.ts";
import { mailSubject } from "../domain/sealed.ts";
import { eraseSubject } from "../erasure.ts";
import { about } from "./about.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

export function subjectsCommand(terminal: Terminal): Command {
  const subjects = new Command("subjects").description(about.subjects);

  subjects
    .command("erase")
    .description("destroy the key of a subject: nothing that is sealed for it opens any more, for good")
    .argument("<name>", "a mail address, or the name that its kind has")
    .requiredOption(
      "--tenant <name>",
      "whose subject it is (test keys: test:<name>; wallets: as exports have them)",
    )
    .option("--kind <kind>", "what the name is of", "mail")
    .option("--json", "print JSON", false)
    .action(async (name: string, { tenant, kind, json }: { tenant: string; kind: string; json: boolean }) => {
      const subject = kind === "mail" ? mailSubject(tenant, name) : { tenant, kind, name };
      const meta = operatorMeta("subjects.erase");
      const erased = await withRuntime(terminal, ({ app }) =>
        eraseSubject(app, subject, { by: "operator", meta }),
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

  subjects
    .command("rewrap")
    .description(
      "wrap all keys of the vault by SUBJECT_MASTER_KEY; SUBJECT_MASTER_KEY_OLD is needed no more then",
    )
    .action(async () => {
      const count = await withRuntime(terminal, ({ app }) => app.subjects.rewrap());
      print(`${count} keys are wrapped anew; the vault knows this master key alone.`);
    });

  return subjects;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
