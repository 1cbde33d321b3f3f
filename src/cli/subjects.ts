import { Command } from "commander";
import { about } from "./about.ts";
import { eraseCommand } from "./erase.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

export function subjectsCommand(terminal: Terminal): Command {
  const subjects = new Command("subjects").description(about.subjects);

  subjects.addCommand(
    eraseCommand(terminal, "subjects.erase")
      .description("destroy a subject's key: nobody can open its sealed data any more")
      .argument("<name>", "a mail address; with --kind, a name of that kind")
      .option("--kind <kind>", "the name's kind", "mail"),
  );

  subjects
    .command("rewrap")
    .description("re-wrap all vault keys by SUBJECT_MASTER_KEY; SUBJECT_MASTER_KEY_OLD is then unnecessary")
    .action(async () => {
      const count = await withRuntime(terminal, ({ app }) => app.subjects.rewrap());
      process.stdout.write(`${count} keys are re-wrapped; the vault uses only this master key.\n`);
    });

  return subjects;
}
