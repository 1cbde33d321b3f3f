/** docs/command-line.md: every command with its options. Generated from the commands themselves. */
import type { Command } from "commander";

const INTRO = `# The command line

\`bin/tallystick\` works with the service running or not: a command joins its database, or starts the embedded one for
a moment. \`--help\` after any command prints the same as this page. Settings come from the environment and from
\`.env\` ([settings](settings.md)).
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
    ...(terms.length > 0 ? ["| | |", "|---|---|"] : []),
    ...terms.map(([term, text]) => `| \`${cell(term)}\` | ${cell(text)} |`),
    ...(terms.length > 0 ? [""] : []),
    ...subcommands.flatMap((one) => sectionOf(one, names, "###")),
  ];
}

const cell = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");

const sentence = (text: string): string => {
  const plain = text.replaceAll(/\s+/g, " ");
  return `${plain[0]?.toUpperCase() ?? ""}${plain.slice(1)}${/[.!?]$/.test(plain) ? "" : "."}`;
};
