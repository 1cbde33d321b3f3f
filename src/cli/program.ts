/** The command line: `tallystick …`. Every command works with and without a running service. */
import { Command } from "commander";
import { about } from "./about.ts";
import type { Terminal } from "./terminal.ts";
import { exitCodes, plainUsage } from "./usage.ts";

/** Commands by file; only the requested one is loaded, because loading all takes seconds. */
const GROUPS: readonly {
  names: readonly (keyof typeof about)[];
  load(terminal: Terminal): Promise<Command[]>;
}[] = [
  { names: ["serve"], load: async (terminal) => [(await import("./serve.ts")).serveCommand(terminal)] },
  { names: ["status"], load: async (terminal) => [(await import("./status.ts")).statusCommand(terminal)] },
  { names: ["doctor"], load: async (terminal) => [(await import("./doctor.ts")).doctorCommand(terminal)] },
  { names: ["demo"], load: async (terminal) => [(await import("./demo.ts")).demoCommand(terminal)] },
  { names: ["keys"], load: async (terminal) => [(await import("./keys.ts")).keysCommand(terminal)] },
  { names: ["agents"], load: async (terminal) => [(await import("./agents.ts")).agentsCommand(terminal)] },
  { names: ["trust"], load: async (terminal) => [(await import("./trust.ts")).trustCommand(terminal)] },
  {
    names: ["subjects"],
    load: async (terminal) => [(await import("./subjects.ts")).subjectsCommand(terminal)],
  },
  {
    names: ["payments"],
    load: async (terminal) => [(await import("./payments.ts")).paymentsCommand(terminal)],
  },
  { names: ["shop"], load: async (terminal) => [(await import("./shop.ts")).shopCommand(terminal)] },
  {
    names: ["disputes"],
    load: async (terminal) => [(await import("./disputes.ts")).disputesCommand(terminal)],
  },
  { names: ["market"], load: async (terminal) => [(await import("./market.ts")).marketCommand(terminal)] },
  { names: ["ideas"], load: async (terminal) => [(await import("./ideas.ts")).ideasCommand(terminal)] },
  { names: ["anchor"], load: async (terminal) => [(await import("./anchor.ts")).anchorCommand(terminal)] },
  { names: ["rng"], load: async (terminal) => [(await import("./rng.ts")).rngCommand(terminal)] },
  { names: ["work"], load: async (terminal) => [(await import("./work.ts")).workCommand(terminal)] },
  { names: ["witness"], load: async (terminal) => [(await import("./witness.ts")).witnessCommand(terminal)] },
  {
    names: ["import", "sandbox"],
    load: async (terminal) => (await import("./data.ts")).dataCommands(terminal),
  },
  { names: ["fetch"], load: async (terminal) => [(await import("./fetch.ts")).fetchCommand(terminal)] },
  { names: ["export"], load: async (terminal) => [(await import("./export.ts")).exportCommand(terminal)] },
  {
    names: ["backup", "restore"],
    load: async (terminal) => (await import("./backup.ts")).backupCommands(terminal),
  },
  { names: ["kurrent"], load: async (terminal) => [(await import("./kurrent.ts")).kurrentCommand(terminal)] },
  { names: ["verify"], load: async (terminal) => [(await import("./verify.ts")).verifyCommand(terminal)] },
  { names: ["report"], load: async (terminal) => [(await import("./report.ts")).reportCommand(terminal)] },
  { names: ["rerun"], load: async (terminal) => [(await import("./rerun.ts")).rerunCommand(terminal)] },
  {
    names: ["completion"],
    load: async (terminal) => [
      (await import("./completion.ts")).completionCommand(() => allCommands(terminal)),
    ],
  },
  {
    names: ["docs"],
    load: async (terminal) => [(await import("./docs.ts")).docsCommand(() => allCommands(terminal))],
  },
];

/** The commands in the first page of help. */
const announced = ({ names }: (typeof GROUPS)[number]) =>
  names.map((name) => new Command(name).description(about[name]));

/** The command line with the named command, or with all of them by name alone. */
export async function program(terminal: Terminal, wanted?: string): Promise<Command> {
  const root = new Command("tallystick")
    .description("Data, computation and trust for autonomous agents, over one verifiable log.")
    .version("0.1.0")
    // Options after a command belong to it: `verify` and `verify receipt` both have --json.
    .enablePositionalOptions()
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      "after",
      `\nExit codes:\n${exitCodes.map(([code, means]) => `  ${code}`.padEnd(16) + means).join("\n")}`,
    );
  const group = GROUPS.find(({ names }) => wanted !== undefined && names.some((name) => name === wanted));
  for (const command of group ? await group.load(terminal) : GROUPS.flatMap(announced))
    root.addCommand(command, { hidden: command.name() === "docs" });
  plainUsage(root);
  return root;
}

/** Every command, each loaded whole. */
export async function allCommands(terminal: Terminal): Promise<Command[]> {
  const commands = (await Promise.all(GROUPS.map(({ load }) => load(terminal)))).flat();
  for (const command of commands) plainUsage(command, ["tallystick", command.name()]);
  return commands.filter((one) => one.name() !== "docs");
}
