import { Command, InvalidArgumentError } from "commander";
import type { App } from "../core/app.ts";
import { sxId } from "../domain/identity/fields.ts";
import type { SeedRow } from "../projections/trust/seeds.ts";
import { about } from "./about.ts";
import { type Columns, JSON_LINES, printList } from "./listing.ts";
import { REASON, textUpTo } from "./option-values.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

type Trust = typeof import("../operator/trust.ts");

const AGENT = ["<agent>", "the agent's agent_id, or passport number as SX#42 or 42", textUpTo(64)] as const;

export function trustCommand(terminal: Terminal): Command {
  const group = new Command("trust").description(about.trust);
  const run = <T>(work: (app: App, operator: Trust) => Promise<T>): Promise<T> =>
    withRuntime(terminal, async ({ app }) => work(app, await import("../operator/trust.ts")));

  group
    .command("seed")
    .description("give an agent initial points, replacing earlier ones; they do not age")
    .argument(...AGENT)
    .argument("<points>", "0.000001 to 100", asPoints)
    .requiredOption(...REASON)
    .action(async (agent: string, points_micro: number, { reason }: { reason: string }) => {
      const number = await run((app, { seedTrust }) => seedTrust(app, agent, { points_micro, reason }));
      print(`${sxId(number)} gets ${pointsText(points_micro)} points. Scores follow within a minute.`);
    });

  group
    .command("unseed")
    .description("remove an agent's initial points")
    .argument(...AGENT)
    .requiredOption(...REASON)
    .action(async (agent: string, { reason }: { reason: string }) => {
      const number = await run((app, { unseedTrust }) => unseedTrust(app, agent, reason));
      print(`${sxId(number)} has no initial points now. Scores follow within a minute.`);
    });

  group
    .command("list")
    .description("list agents' initial points, with reasons")
    .option(...JSON_LINES)
    .action((options) =>
      run(async (app, { listSeeds }) => printList(await listSeeds(app), COLUMNS, options)),
    );

  return group;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

const COLUMNS: Columns<SeedRow> = [
  ["AGENT", ({ sx_number }) => sxId(sx_number)],
  ["POINTS", ({ points_micro }) => pointsText(points_micro)],
  ["REASON", ({ reason }) => reason],
];

const pointsText = (micro: number) => String(micro / 1e6);

function asPoints(text: string): number {
  const micro = /^\d{1,3}(\.\d{1,6})?$/.test(text) ? Math.round(Number(text) * 1e6) : 0;
  if (micro < 1 || micro > 100_000_000)
    throw new InvalidArgumentError("is 0.000001 to 100, with six decimals at most");
  return micro;
}
