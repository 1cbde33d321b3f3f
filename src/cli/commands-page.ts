/** docs/command-line.md: every command with its options. Generated from the commands themselves. */
import type { Command } from "commander";
import { exitCodes } from "./usage.ts";

const INTRO = `# The command line

\`bin/tallystick\` works with the service running or not: a command joins its database, or starts the embedded one for
a moment. \`--help\` after any command prints the same as this page. Settings come from the environment and from
\`.env\` ([settings](settings.md)). \`tallystick doctor\` checks them, and \`tallystick completion\` completes
commands in a shell.

| exit code | means |
|---|---|
${exitCodes.map(([code, means]) => `| ${code} | ${means} |`).join("\n")}
`;

/** The page of the given commands, each loaded whole. */
export const commandsPage = (commands: readonly Command[]): string =>
  [INTRO, indexOf(commands), ...commands.flatMap((command) => sectionOf(command, [], "##"))].join("\n");

const indexOf = (commands: readonly Command[]): string =>
  [
    "| command | does |",
    "|---|---|",
    ...commands.map((one) => `| [\`${one.name()}\`](#${one.name()}) | ${cell(one.description())} |`),
    "",
  ].join("\n");

function sectionOf(command: Command, parents: readonly string[], heading: string): string[] {
  const names = [...parents, command.name()];
  const help = command.createHelp();
  const terms = [
    ...help.visibleArguments(command).map((one) => [one.name(), help.argumentDescription(one)] as const),
    ...help
      .visibleOptions(command)
      .filter(({ long }) => long !== "--help")
      .map((one) => [help.optionTerm(one), help.optionDescription(one)] as const),
  ];
  const subcommands = help.visibleCommands(command).filter((one) => one.name() !== "help");
  return [
    `${heading} ${names.join(" ")}`,
    "",
    `${sentence(command.description())}`,
    "",
    `    tallystick ${[...names, command.usage()].join(" ")}`,
    "",
    ...(terms.length > 0 ? ["| option | meaning |", "|---|---|"] : []),
    ...terms.map(([term, text]) => `| \`${cell(term)}\` | ${cell(text)} |`),
    ...(terms.length > 0 ? [""] : []),
    ...notesOf(command),
    ...subcommands.flatMap((one) => sectionOf(one, names, "###")),
  ];
}

/** The text below the options in `--help`: prose, and indented lines as they stand. */
function notesOf(command: Command): string[] {
  let help = "";
  command.configureOutput({
    writeOut: (more) => {
      help += more;
    },
  });
  command.outputHelp();
  const text = help.slice(command.helpInformation().length);
  const blocks: string[] = [];
  for (const line of text.split("\n")) {
    const isCode = line.startsWith("  ");
    const last = blocks.at(-1);
    if (line === "") blocks.push("");
    else if (last && last.startsWith("    ") === isCode)
      blocks[blocks.length - 1] = isCode ? `${last}\n  ${line}` : `${last} ${line}`;
    else blocks.push(isCode ? `  ${line}` : line);
  }
  return blocks.filter((block) => block !== "").flatMap((block) => [wrapped(block), ""]);
}

const LINE = 110;

/** Prose in lines of at most 110 characters; code stays as it is. */
function wrapped(block: string): string {
  if (block.startsWith("    ")) return block;
  const lines = [""];
  for (const word of block.split(" ")) {
    const last = lines.at(-1)!;
    if (last === "") lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= LINE) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}

const cell = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");

const sentence = (text: string): string => {
  const plain = text.replaceAll(/\s+/g, " ");
  return `${plain[0]?.toUpperCase() ?? ""}${plain.slice(1)}${/[.!?]$/.test(plain) ? "" : "."}`;
};
