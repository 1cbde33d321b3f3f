/** One form of help and of errors for all commands: the name, what its value is, and where to read more. */
import type { Command, Option } from "commander";

const MOST_SHOWN = 40;

/** Every command's exit codes, each with its meaning. */
export const exitCodes: readonly (readonly [code: number, means: string])[] = [
  [0, "done, and every check passed"],
  [1, "refused or failed, or a check failed"],
  [2, "`verify`: nothing could be checked; `fetch --import`: months are missing"],
  [130, "Ctrl-C ended the command before it had anything to finish"],
];

/** Applies the form to a command and all commands below it; `path` is how it is called. */
export function plainUsage(command: Command, path: readonly string[] = [command.name()]): void {
  command
    .allowExcessArguments(false)
    .showHelpAfterError(`(see ${path.join(" ")} --help)`)
    .configureOutput({ outputError: (text, write) => write(plainError(text)) });
  command.options.forEach(plainOption);
  for (const one of command.commands) plainUsage(one, [...path, one.name()]);
}

/** Help shows a list as it is typed, nothing about a flag that is off, and which options must be there. */
function plainOption(option: Option): void {
  if (option.mandatory) option.description = `${option.description} (required)`;
  if (option.defaultValue === false) option.defaultValue = undefined;
  const { defaultValue } = option;
  if (typeof defaultValue === "object" && defaultValue !== null)
    option.defaultValueDescription = Object.values(defaultValue).join(",") || "none";
}

/** Commander's sentence about a wrong value with the name first; other texts stay as they are. */
export function plainError(text: string): string {
  const [, option, ofOption, why] =
    /^error: option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\. (.*)$/s.exec(text) ?? [];
  if (option !== undefined) return sentence(option, ofOption!, why!);
  const [, value, name, reason] =
    /^error: command-argument value '(.*)' is invalid for argument '([^']*)'\. (.*)$/s.exec(text) ?? [];
  return name === undefined ? text : sentence(`<${name}>`, value!, reason!);
}

function sentence(name: string, value: string, reason: string): string {
  const [first = "", ...rest] = reason.split("\n");
  const means = first.replace(/^Allowed choices are (.*)\.$/, "is one of $1");
  const given = value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}…` : value;
  const says = /^(is|has) /.test(means) ? `${name} ${means}, not '${given}'` : `${name}: ${means}`;
  return [`error: ${says}`, ...rest].join("\n");
}
