/** `tallystick completion`: a script for a shell, made from the commands themselves. */
import { Argument, Command } from "commander";
import { about } from "./about.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

const INSTALL = `
Install:
  bash   tallystick completion bash > ~/.local/share/bash-completion/completions/tallystick
  zsh    tallystick completion zsh > "\${fpath[1]}/_tallystick"
  fish   tallystick completion fish > ~/.config/fish/completions/tallystick.fish`;

export const completionCommand = (commands: () => Promise<readonly Command[]>): Command =>
  new Command("completion")
    .description(about.completion)
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText("after", INSTALL)
    .action(async (shell: Shell) => {
      process.stdout.write(scripts[shell](placesOf(await commands())));
    });

type Word = { text: string; says: string };
/** The words that can follow a path such as `keys issue`; `values` are those of an option, such as `--story`. */
type CommandPath = {
  path: string;
  words: readonly Word[];
  values: readonly { option: string; words: readonly string[] }[];
};

/** Every place of the command line, from the commands to their options. */
export function placesOf(commands: readonly Command[], parents: readonly string[] = []): CommandPath[] {
  const own: CommandPath = { path: parents.join(" "), words: commands.map(wordOf), values: [] };
  return [own, ...commands.flatMap((command) => placesBelow(command, [...parents, command.name()]))];
}

function placesBelow(command: Command, names: readonly string[]): CommandPath[] {
  const options = command.options.filter(({ hidden }) => !hidden);
  const place: CommandPath = {
    path: names.join(" "),
    words: [
      ...command.commands.map(wordOf),
      ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
        argChoices.map((text) => ({ text, says: description })),
      ),
      ...options.map(({ long, description }) => ({ text: long!, says: description })),
    ],
    values: options.flatMap(({ long, argChoices }) =>
      argChoices ? [{ option: long!, words: argChoices }] : [],
    ),
  };
  return [place, ...command.commands.flatMap((one) => placesBelow(one, [...names, one.name()]))];
}

const wordOf = (command: Command): Word => ({ text: command.name(), says: command.description() });

/** In single quotes of bash and zsh. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const inFish = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** A pattern of `case` for all paths but the first, which is empty. */
const patternOf = (places: readonly CommandPath[]) =>
  places
    .slice(1)
    .map(({ path }) => `"${path}"`)
    .join("|");

const bash = (places: readonly CommandPath[]): string => `# bash completion of tallystick
_tallystick() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD - 1]}" path="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${patternOf(places)}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${places.map(({ path, words }) => `    "${path}") words=${quoted(words.map(({ text }) => text).join(" "))} ;;`).join("\n")}
  esac
  case "$path $prev" in
${valuesOf(places, (words) => `words=${quoted(words.join(" "))}`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _tallystick tallystick
`;

const valuesOf = (places: readonly CommandPath[], act: (words: readonly string[]) => string) =>
  places
    .flatMap(({ path, values }) =>
      values.map(({ option, words }) => `    "${path} ${option}") ${act(words)} ;;`),
    )
    .join("\n");

const zsh = (places: readonly CommandPath[]): string => `#compdef tallystick
_tallystick() {
  local place="" word
  local -a choices
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${place:+$place }$word" in
      ${patternOf(places)}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place" in
${places.map(({ path, words }) => `    "${path}") choices=(${words.map(zshWord).join(" ")}) ;;`).join("\n")}
  esac
  case "$place \${words[CURRENT-1]}" in
${valuesOf(places, (words) => `choices=(${words.map(quoted).join(" ")})`)}
  esac
  _describe 'tallystick' choices || _files
}
if [ "$funcstack[1]" = "_tallystick" ]; then _tallystick "$@"; else compdef _tallystick tallystick; fi
`;

const zshWord = ({ text, says }: Word) => quoted(`${text}:${says.replaceAll(/\s+/g, " ")}`);

const fish = (places: readonly CommandPath[]): string => `# fish completion of tallystick
function __tallystick_path
  set -l place ""
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$place $word")
    if contains -- "$next" ${places
      .slice(1)
      .map(({ path }) => inFish(path))
      .join(" ")}
      set place "$next"
    end
  end
  test "$place" = "$argv[1]"
end
${places.flatMap(fishLines).join("\n")}
`;

const fishLines = ({ path, words, values }: CommandPath): string[] =>
  words.map(({ text, says }) => {
    const at = `complete -c tallystick -n ${inFish(`__tallystick_path "${path}"`)}`;
    const description = `-d ${inFish(says.replaceAll(/\s+/g, " "))}`;
    if (!text.startsWith("--")) return `${at} -f -a ${inFish(text)} ${description}`;
    const choices = values.find(({ option }) => option === text)?.words;
    return `${at} -l ${text.slice(2)} ${choices ? `-x -a ${inFish(choices.join(" "))} ` : ""}${description}`;
  });

const scripts: Readonly<Record<Shell, (places: readonly CommandPath[]) => string>> = { bash, zsh, fish };
