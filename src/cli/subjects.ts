import { Command } from "commander";
import { about } from "./about.ts";
import { eraseCommand } from "./erase.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

export function subjectsCommand(terminal: Terminal): Command {
  const subjects = new Command("subjects").description(about.subjects);

  subjects.addCommand(
    eraseCommand(terminal, "subjects.erase")
      .description("destroy the key of a subject: nothing that is sealed for it opens any more, for good")
      .argument("<name>", "a mail address, or the name that its kind has")
      .option("--kind <kind>", "what the name is of", "mail"),
  );

  subjects
    .command("rewrap")
    .description(
      "wrap all keys of the vault by SUBJECT_MASTER_KEY; SUBJECT_MASTER_KEY_OLD is needed no more then",
    )
    .action(async () => {
      const count = await withRuntime(terminal, ({ app }) => app.subjects.rewrap());
      process.stdout.write(`${count} keys are wrapped anew; the vault knows this master key alone.\n`);
    });

  return subjects;
}
