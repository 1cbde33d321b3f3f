/** `tallystick report verify`: every figure of a report asked again, or its digests held against an export of the log. */
import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { printable } from "../../eventstore/verify/report.ts";
import { verifyFile } from "../../eventstore/verify/verify-export.ts";
import { canonical } from "../api/asking.ts";
import { catalogueOf } from "../api/catalogue.ts";
import { methodOf, type Operation, pathOf } from "../api/operation.ts";
import { areas } from "../areas/index.ts";
import { digestOf } from "../domain/objects.ts";
import { refuse } from "../domain/refusal.ts";
import { type AskAgain, type AskedAgain, askedAgain } from "../domain/reports/asked-again.ts";
import { type Fault, factFaults, reportFaults } from "../domain/reports/check.ts";
import {
  type DetachedFacts,
  detachedFacts,
  type Report,
  type ReportFacts,
  report,
  streamOf,
} from "../domain/reports/report.ts";
import { streamIn } from "./receipt.ts";
import { marked, type Terminal } from "./terminal.ts";

type Options = { url?: string; key?: string; export?: string; json: boolean };

const ASK_MS = 60_000;

export function reportCommand({ settings }: Pick<Terminal, "settings">): Command {
  const verify = new Command("verify")
    .description("ask every figure of a report again, and name each that is not what it says")
    .argument("<file>", "a report as JSON, or the facts.json that goes with its PDF")
    .option("--url <url>", "the service to ask; the one of this machine if left out")
    .option("--key <key>", "an API key that may read; without one most questions are not answered")
    .option("--export <file>", "an export of the log (.gz too): its digests are checked, and nobody is asked")
    .option("--json", "print the faults as JSON", false)
    .addHelpText(
      "after",
      "\nExits with 1 when anything is not as it says. Vintages are kept for 180 days; after that the digests in the log remain.",
    )
    .action(async (file: string, options: Options) => {
      const given = read(await textOf(file));
      const faults = [...faultsOf(given)];
      let checked: string;
      if (options.export !== undefined) {
        faults.push(...(await loggedFaults(given, options.export)));
        checked = "held against the log";
      } else {
        const url = options.url ?? `http://127.0.0.1:${settings().PORT}`;
        const again = await askedAgain(given.facts, canonical, askAt(url, options.key));
        faults.push(...again.faults);
        checked = `${again.questions} questions asked again at ${url}`;
      }
      const { facts } = given.facts;
      process.stdout.write(
        options.json
          ? `${JSON.stringify({ ok: faults.length === 0, facts: facts.length, faults }, null, 2)}\n`
          : spoken(faults, `${facts.length} facts, ${checked}`),
      );
      if (faults.length > 0) process.exitCode = 1;
    });
  return new Command("report").description("check reports").addCommand(verify);
}

type Given = { facts: DetachedFacts; whole: Report | undefined };

const faultsOf = ({ facts, whole }: Given): Fault[] =>
  whole ? reportFaults(whole, canonical) : factFaults(facts, canonical);

/** A report as it was answered, with its envelope or without, or its facts alone. */
function read(text: string): Given {
  const value = parsed(text);
  const bare = typeof value === "object" && value !== null && "data" in value ? value.data : value;
  const whole = report.safeParse(bare);
  if (whole.success) return { facts: whole.data, whole: whole.data };
  const facts = detachedFacts.safeParse(bare);
  if (facts.success) return { facts: facts.data, whole: undefined };
  const [issue] = facts.error.issues;
  return refuse(
    "invalid",
    `this is no report, nor the facts of one: ${issue?.path.join(".")} ${issue?.message}`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse("invalid", "this is no JSON: give a report as JSON, or its facts.json");
  }
}

const textOf = (path: string): Promise<string> =>
  readFile(path, "utf8").catch((error: Error) =>
    refuse("invalid", `${path} cannot be read: ${error.message}`),
  );

/** Puts a question to a service over HTTP, as anybody would. */
export function askAt(url: string, key: string | undefined): AskAgain {
  const { operations } = catalogueOf(areas);
  const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  return async ({ operation: name, input, vintage }) => {
    const operation = operations.find((one) => one.name === name);
    if (!operation) return { none: `there is no operation ${name}` };
    const address = new URL(questionOf(operation, { ...input, vintage }), url);
    const once = () => fetch(address, { headers, signal: AbortSignal.timeout(ASK_MS) });
    const answer = await once()
      // A service closes a connection that was kept for long, maybe just as a question is on its way; what reads may be asked twice.
      .catch((error: Error) => (wasClosed(error) ? once() : Promise.reject(error)))
      .catch((error: Error) => refuse("unavailable", `${url} cannot be asked: ${reasonOf(error).message}`));
    const body = (await answer.json().catch(() => ({}))) as AskedAgain & {
      detail?: string;
      data?: unknown;
      meta?: unknown;
    };
    if (answer.status === 402) return { none: `${name} has its price: give a key with --key` };
    if (!answer.ok) return { none: `${name} answers ${answer.status}: ${body.detail ?? "without a reason"}` };
    return { answer: { data: body.data, meta: body.meta } };
  };
}

/** What `fetch` has under its own "fetch failed". */
const reasonOf = (error: Error): NodeJS.ErrnoException =>
  error.cause instanceof Error ? error.cause : error;

const wasClosed = (error: Error) =>
  ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"].includes(reasonOf(error).code ?? "");

/** Reports ask by GET alone. */
function questionOf(operation: Operation, input: Record<string, unknown>): string {
  if (methodOf(operation) !== "GET") return refuse("invalid", `${operation.name} is not asked by GET`);
  return `${pathOf(operation)}?${new URLSearchParams(Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]))}`;
}

/** What the log says of the report, once the export is verified whole. */
async function loggedFaults({ facts, whole }: Given, path: string): Promise<Fault[]> {
  const verified = await verifyFile(path);
  if (!verified.ok) return [{ at: "export", says: "does not verify: run `tallystick verify` on it" }];
  const { events } = await streamIn(path, streamOf(facts.report_id));
  const [made] = events.map(({ payload }) => JSON.parse(payload) as ReportFacts);
  if (!made) return [{ at: "report_id", says: "names no report of this log" }];
  return [
    ...(made.facts_sha256 === facts.facts_sha256
      ? []
      : [{ at: "facts_sha256", says: `is ${made.facts_sha256} in the log` }]),
    ...(whole && digestOf(canonical(whole)) !== made.sha256
      ? [{ at: "report", says: `has the digest ${made.sha256} in the log` }]
      : []),
  ];
}

const spoken = (faults: readonly Fault[], checked: string): string =>
  [
    ...faults.map(({ at, says }) => `${marked(false, "FAIL")} ${printable(`${at} ${says}`)}`),
    `${faults.length === 0 ? marked(true, "verified") : marked(false, "NOT verified")}: ${checked}`,
    "",
  ].join("\n");
