/**
 * `tallystick work`: a worker of the compute market, for any service. It needs no database and no chain; the settings
 * give only the default of `--url`.
 */
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { styleText } from "node:util";
import { Command, InvalidArgumentError } from "commander";
import { printable } from "../../eventstore/verify/report.ts";
import { refuse } from "../core/model/refusal.ts";
import { type BuiltIn, builtIns, isBuiltIn } from "../domain/compute/kinds.ts";
import { MOST_CONCURRENT } from "../domain/compute/node.ts";
import { CallRefused } from "../worker/calls.ts";
import { openWorker } from "../worker/open.ts";
import type { WorkerReport } from "../worker/worker.ts";
import { about } from "./about.ts";
import { asUrl } from "./option-values.ts";
import { addressOf, OWN_ADDRESS } from "./own-address.ts";
import { endLineOfInterrupt, INTERRUPTED, type Terminal } from "./terminal.ts";

type Options = {
  url?: string;
  agent?: string;
  key?: string;
  dir: string;
  kinds: BuiltIn[];
  rate: number;
  concurrency: number;
};

const EXAMPLE = `
The first start registers the agent and proves its own key, both stored in --dir: that agent earns the pay. Example:

  tallystick work --url https://api.example.com --agent my-worker --kinds js,sql --rate 0.06 --concurrency 2

On a terminal it prints a line per task, elsewhere JSON. After SIGTERM or Ctrl-C it finishes the running tasks, takes
no more and leaves. After a second one it leaves at once, and other workers get its tasks. You can write a worker in
any language: docs/compute.md.`;

export const workCommand = (terminal: Pick<Terminal, "settings">): Command =>
  new Command("work")
    .description(about.work)
    .option("--url <url>", `the service; ${OWN_ADDRESS}`, asUrl)
    .option("--agent <agent_id>", "the worker's agent; stored in --dir after the first start")
    .option("--key <key>", "the API key (sk_soul_…) of an existing agent; - for standard input", asKey)
    .option("--dir <folder>", "folder for the agent's keys, made at the first start", ".tallystick-worker")
    .option("--kinds <names>", `task types, separated by commas: ${builtIns.join(", ")}`, asKinds, [
      ...builtIns,
    ])
    .option(
      "--rate <usd>",
      "the worker's hourly price; a task costs that price for its whole time limit",
      asRate,
      0.06,
    )
    .option("--concurrency <number>", "tasks at once, each a separate process", asConcurrency, 1)
    .addHelpText("after", EXAMPLE)
    .action(async ({ key, dir, agent, ...options }: Options) => {
      const url = addressOf(terminal, options.url);
      const stopping = new AbortController();
      let isOnline = false;
      const stop = (signal: NodeJS.Signals) => {
        endLineOfInterrupt(signal);
        // Before it is online there is nothing to end.
        if (stopping.signal.aborted || !isOnline) process.exit(signal === "SIGINT" ? INTERRUPTED : 1);
        stopping.abort();
      };
      process.on("SIGINT", stop).on("SIGTERM", stop);
      const tell = (report: WorkerReport) => {
        isOnline ||= report.event === "online";
        (process.stdout.isTTY ? tellPerson : tellMachine)(report);
      };
      const worker = {
        url,
        dir: resolve(dir),
        agent_id: agent,
        api_key: key === "-" ? asKey((await text(process.stdin)).trim()) : key,
        offer: {
          hourly_rate_usd: options.rate,
          max_concurrent: options.concurrency,
          kinds: options.kinds,
        },
        tell,
      };
      await openWorker(worker, stopping.signal).catch((error: unknown) => {
        if (error instanceof CallRefused)
          refuse("forbidden", `${url} says ${error.status}: ${printable(error.message)}`);
        throw error;
      });
    });

const tellMachine = (report: WorkerReport): void =>
  void process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), ...report })}\n`);

const STYLES = { ok: "green", limit: "yellow", failed: "red", lost: "red" } as const;

function tellPerson(report: WorkerReport): void {
  const at = styleText("dim", new Date().toISOString().slice(11, 19));
  process.stdout.write(`${at}  ${lineOf(report)}\n`);
}

function lineOf(report: WorkerReport): string {
  switch (report.event) {
    case "online": {
      const { kinds, hourly_rate_usd, max_concurrent } = report.offer;
      return printable(
        `${report.sx_id} ${report.agent_id} is online: ${kinds.join(", ")} for ${hourly_rate_usd} USDC an hour, ${max_concurrent} at once`,
      );
    }
    case "away":
      return styleText("yellow", printable(`the service is unavailable: ${report.reason}; retrying`));
    case "task": {
      const { task_id, task_type, exit, used_ms, price_usd, status } = report;
      const used = `${used_ms} ms`.padStart(9);
      return `${printable(task_id)}  ${printable(task_type).padEnd(12)} ${styleText(STYLES[exit], exit.padEnd(6))} ${used}  ${printable(`${price_usd} USDC, ${status}`)}`;
    }
    case "paid":
      return `${printable(report.task_id)}  ${styleText("green", printable(`paid ${report.provider_usd} USDC`))}`;
    case "draining":
      return `stopping: no more tasks, and ${report.running} running ${report.running === 1 ? "is" : "are"} finished`;
  }
}

function asKey(given: string): string {
  if (given !== "-" && !/^sk_soul_[A-Za-z0-9_-]{43}$/.test(given))
    throw new InvalidArgumentError("is an agent's own key, sk_soul_ and 43 characters, or -");
  return given;
}

function asKinds(given: string): BuiltIn[] {
  const kinds = given.split(",").map((one) => one.trim());
  const unknown = kinds.find((kind) => !isBuiltIn(kind));
  if (unknown !== undefined) throw new InvalidArgumentError(`${unknown} is none of ${builtIns.join(", ")}`);
  return [...new Set(kinds.filter(isBuiltIn))];
}

function asRate(given: string): number {
  if (!/^\d{1,4}(?:\.\d{1,6})?$/.test(given) || Number(given) > 1_000)
    throw new InvalidArgumentError("is dollars from 0 to 1000, with six decimals at most");
  return Number(given);
}

function asConcurrency(given: string): number {
  const number = Number(given);
  if (!/^\d{1,3}$/.test(given) || number < 1 || number > MOST_CONCURRENT)
    throw new InvalidArgumentError(`is a whole number from 1 to ${MOST_CONCURRENT}`);
  return number;
}
