import { Command, InvalidArgumentError } from "commander";
import { printable } from "../../eventstore/verify/report.ts";
import { statuses } from "../domain/evolution/idea.ts";
import { acceptIdea, allIdeas, declineIdea, landIdea, readIdea } from "../operator/ideas.ts";
import { about } from "./about.ts";
import { type Columns, JSON_LINES, printList, shortTime } from "./listing.ts";
import { asCount, oneOf, textUpTo } from "./option-values.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

function asCommit(text: string): string {
  if (!/^[0-9a-f]{7,64}$/.test(text)) throw new InvalidArgumentError("is 7 to 64 hex digits");
  return text;
}

/** A stranger's text, line by line. */
const printableLines = (text: string) => text.split("\n").map(printable).join("\n");

const COLUMNS: Columns<Awaited<ReturnType<typeof allIdeas>>[number]> = [
  ["IDEA", ({ idea_id }) => String(idea_id)],
  ["STATUS", ({ status }) => status],
  ["FILE", ({ target_file }) => target_file ?? "none"],
  ["PROPOSED", ({ proposed_at }) => shortTime(proposed_at)],
  ["TENANT", ({ tenant }) => tenant],
];

export function ideasCommand(terminal: Terminal): Command {
  const ideas = new Command("ideas").description(about.ideas);
  ideas
    .command("list")
    .description("lists ideas, newest first")
    .option("--status <status>", `only ideas of one status: ${statuses.join(", ")}`, oneOf(statuses))
    .option(...JSON_LINES)
    .action((options) =>
      withRuntime(terminal, async ({ app }) =>
        printList(await allIdeas(app, options.status), COLUMNS, options),
      ),
    );
  ideas
    .command("show")
    .description("shows an idea, its checks and its draft; runs none of it")
    .argument("<idea_id>", "the idea", asCount)
    .action(async (id: number) => {
      const { idea, text, draft } = await withRuntime(terminal, ({ app }) => readIdea(app, id));
      const { title, description } = JSON.parse(text || "{}") as Record<string, string>;
      process.stdout.write(`Idea ${id} is ${idea.status}, for ${idea.facts.target_file ?? "no file"}.\n`);
      process.stdout.write(`${printableLines(title ?? "")}\n\n${printableLines(description ?? "")}\n\n`);
      if (idea.checked)
        process.stdout.write(
          `${idea.checked.verdict} version ${idea.checked.checks_version} of the checks:\n`,
        );
      for (const { name, passed, detail } of idea.checked?.checks ?? [])
        process.stdout.write(`${passed ? "ok  " : "FAIL"}  ${name}: ${detail}\n`);
      process.stdout.write(
        idea.facts.draft_sha256 === null ? "\nThere is no draft.\n" : `\n${printableLines(draft)}\n`,
      );
    });
  for (const [name, does, decide] of [
    [
      "accept",
      "accepts an idea that has passed its checks, or has no draft; a person then implements it",
      acceptIdea,
    ],
    ["decline", "declines an idea", declineIdea],
  ] as const)
    ideas
      .command(name)
      .description(does)
      .argument("<idea_id>", "the idea", asCount)
      .requiredOption("--reason <text>", "why, at most 500 characters", textUpTo(500))
      .action(async (id: number, { reason }: { reason: string }) => {
        const { status } = await withRuntime(terminal, ({ app }) => decide(app, id, reason));
        process.stdout.write(`The idea ${id} is ${status}.\n`);
      });
  ideas
    .command("landed")
    .description("records the commit of an accepted idea")
    .argument("<idea_id>", "the idea", asCount)
    .argument("<commit>", "the commit, 7 to 64 hex digits", asCommit)
    .action(async (id: number, commit: string) => {
      await withRuntime(terminal, ({ app }) => landIdea(app, id, commit));
      process.stdout.write(`The idea ${id} has landed.\n`);
    });
  return ideas;
}
