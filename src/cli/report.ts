/** `tallystick report verify`: compares a report's text with its digest in the log, and requests each figure again. */
import { Command, InvalidArgumentError } from "commander";
import { printable } from "../../eventstore/verify/report.ts";
import type { VerifierKey } from "../anchoring/note.ts";
import { catalogueOf } from "../api/declare/catalogue.ts";
import type { Operation } from "../api/declare/operation.ts";
import { methodOf, pathOf } from "../api/declare/operation-facts.ts";
import { aboutReport } from "../api/operations/reports/write-report.ts";
import { canonical } from "../api/serve/nested-calls.ts";
import { areas } from "../areas/index.ts";
import { digestOf } from "../core/model/objects.ts";
import { refuse } from "../core/model/refusal.ts";
import { type Fault, factFaults, reportFaults } from "../domain/reports/check.ts";
import { isAnswerFact } from "../domain/reports/fact.ts";
import {
  type RepeatedAnswer,
  type RepeatQuestion,
  repeatQuestions,
} from "../domain/reports/repeat-questions.ts";
import {
  type DetachedFacts,
  detachedFacts,
  type Report,
  type ReportFacts,
  report,
  streamOf,
} from "../domain/reports/report.ts";
import { provenEvent, untilSigned } from "./logged-event.ts";
import { asUrl } from "./option-values.ts";
import { addressOf, OWN_ADDRESS } from "./own-address.ts";
import { asKey, heldBy, orNoExport, type PackOptions, policyIn, readPack, withPackOptions } from "./pack.ts";
import { textOf } from "./read-file.ts";
import { marked, type Terminal } from "./terminal.ts";

type VerificationKeys = { api?: string; log?: VerifierKey };
type Options = Omit<PackOptions, "key"> & {
  url?: string;
  key: VerificationKeys;
  export?: string;
  json: boolean;
};

const ASK_MS = 60_000;

export function reportCommand({ settings }: Pick<Terminal, "settings">): Command {
  const command = new Command("verify")
    .description(
      "compare a report with its digest in the log, look its figures up again, and list mismatches",
    )
    .argument("<file>", "a report as JSON, or the facts.json of its PDF")
    .option("--url <url>", `the service to ask; without --export, ${OWN_ADDRESS}`, asUrl)
    .option("--export <file>", "an export of the log (.gz too), read as `tallystick verify` reads it")
    .option(
      "--key <key>",
      "an API key of the report's owner (sk_…), for --url; or the log's verifier key (name+id+base64); may be given twice",
      asKeys,
      {},
    );
  const verify = withPackOptions(command)
    .option("--json", "print results and faults as JSON", false)
    .addHelpText(
      "after",
      `
A report is verified when a signed event of the log has its text's digest: from --export, or proven by the
service at --url to the report's owner. Without that only its figures are verified, and the
report is refused. Exits with 1 on any mismatch, with 2 if --export is not an export of a log or the service has
not signed the report's event yet.
Vintages are stored 180 days; then only the log's digests remain.`,
    )
    .action((file: string, options: Options) =>
      orNoExport(async () => {
        const given = read(await textOf(file));
        const isAskedAgain = options.url !== undefined || options.export === undefined;
        const url = isAskedAgain ? addressOf({ settings }, options.url) : "";
        const again = isAskedAgain
          ? await repeatQuestions(given.facts, canonical, askAt(url, options.key.api))
          : undefined;
        const made =
          options.export === undefined ? await madeAt(url, given, options) : await madeIn(given, options);
        if ("later" in made) {
          process.stderr.write(`${printable(made.later)}\n`);
          process.exitCode = 2;
          return;
        }
        const faults = [
          ...given.faults,
          ...faultsOf(given),
          ...(again?.faults ?? []),
          ...wordFaults(given, made),
        ];
        tell({ given, made, faults, figures: again && figuresOf(given, again, url) }, options.json);
        if (faults.length > 0) process.exitCode = 1;
      }),
    );
  return new Command("report").description("check reports").addCommand(verify);
}

/** `faults`: faults outside the report, in its envelope. */
type ReportFile = { facts: DetachedFacts; whole: Report | undefined; faults: Fault[] };

/** The report's events in the log, and their location; `none`: why nothing proves its text. */
type ReportEvents = { events: readonly ReportFacts[]; where: string } | { none: string };

/** The service has yet to sign the report's event. */
type UnsignedYet = { later: string };

/** Figures that were requested again, and how many equal the service's answer. */
type FigureCheck = { asked: number; verified: number; questions: number; url: string };

const faultsOf = ({ facts, whole }: ReportFile): Fault[] =>
  whole ? reportFaults(whole, canonical) : factFaults(facts, canonical);

/** A report as answered, with or without its envelope, or its facts alone. */
function read(text: string): ReportFile {
  const value = parsed(text);
  const isAnswer = typeof value === "object" && value !== null && "data" in value;
  const bare = isAnswer ? value.data : value;
  const whole = report.safeParse(bare);
  if (whole.success)
    return {
      facts: whole.data,
      whole: whole.data,
      faults: [...unknownFaults(bare, whole.data), ...(isAnswer ? aroundFaults(value, whole.data) : [])],
    };
  const facts = detachedFacts.safeParse(bare);
  if (facts.success) return { facts: facts.data, whole: undefined, faults: unknownFaults(bare, facts.data) };
  const [issue] = facts.error.issues;
  return refuse("invalid", `this is not a report or its facts: ${issue?.path.join(".")} ${issue?.message}`);
}

/** A digest covers only a report's known members: any other could say anything. */
function unknownFaults(given: unknown, known: object): Fault[] {
  const isKnown = inOneForm(given) === inOneForm(known);
  return isKnown ? [] : [{ at: "report", says: "has unknown members" }];
}

function inOneForm(value: unknown): string {
  try {
    return canonical(value as object);
  } catch (error) {
    return refuse("invalid", `this is not a report: ${(error as Error).message}`);
  }
}

/** The answer's other members must follow from the report. */
function aroundFaults(answer: { data: unknown; meta?: unknown }, whole: Report): Fault[] {
  const around = { success: true, meta: aboutReport(whole), rests_on: whole.vintages };
  const { data: _, meta, ...others } = answer;
  const { rests_on, ...about } = typeof meta === "object" && meta !== null ? (meta as Members) : {};
  const is = (name: keyof typeof around, value: unknown) =>
    value === undefined || inOneForm({ value }) === inOneForm({ value: around[name] });
  return [
    ...Object.entries(others).flatMap(([name, value]) =>
      name === "success" && is(name, value) ? [] : [{ at: name, says: "is not part of an answer" }],
    ),
    ...(meta === undefined || (is("meta", about) && is("rests_on", rests_on))
      ? []
      : [{ at: "meta", says: "differs from the report's sources" }]),
  ];
}

type Members = { [name: string]: unknown };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse("invalid", "this is not JSON: pass a report as JSON, or its facts.json");
  }
}

/** Requests over HTTP, like any client. */
export function askAt(url: string, key: string | undefined): RepeatQuestion {
  const { operations } = catalogueOf(areas);
  const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  return async ({ operation: name, input, vintage }) => {
    const operation = operations.find((one) => one.name === name);
    if (!operation) return { none: `there is no operation ${name}` };
    const address = new URL(questionOf(operation, { ...input, vintage }), url);
    const once = () => fetch(address, { headers, signal: AbortSignal.timeout(ASK_MS) });
    const answer = await once()
      // A service may close an idle connection just as a request is sent; a read may be repeated.
      .catch((error: Error) => (wasClosed(error) ? once() : Promise.reject(error)))
      .catch((error: Error) => refuse("unavailable", `${url} is unreachable: ${reasonOf(error).message}`));
    const body = (await answer.json().catch(() => ({}))) as RepeatedAnswer & {
      detail?: string;
      data?: unknown;
      meta?: unknown;
    };
    if (answer.status === 402) return { none: `${name} costs money: pass a key with --key` };
    if (!answer.ok) return { none: `${name} answers ${answer.status}: ${body.detail ?? "without a reason"}` };
    return { answer: { data: body.data, meta: body.meta } };
  };
}

/** The cause of a "fetch failed". */
const reasonOf = (error: Error): NodeJS.ErrnoException =>
  error.cause instanceof Error ? error.cause : error;

const wasClosed = (error: Error) =>
  ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"].includes(reasonOf(error).code ?? "");

/** Reports use GET alone. */
function questionOf(operation: Operation, input: Record<string, unknown>): string {
  if (methodOf(operation) !== "GET") return refuse("invalid", `${operation.name} has no GET route`);
  return `${pathOf(operation)}?${new URLSearchParams(Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]))}`;
}

/** The report's events in a fully verified export, as far as they are proven. */
async function madeIn(
  { facts }: ReportFile,
  { export: path, key, json: _, url: __, ...options }: Options,
): Promise<ReportEvents> {
  const held = await heldBy({ ...options, key: key.log });
  const stream_id = streamOf(facts.report_id);
  const { origin, report: verified, events } = await readPack({ files: [path!], stream_id }, held);
  const failed = verified.verdicts.find(({ ok }) => !ok);
  if (failed)
    return { none: `the export does not verify: ${failed.name}: ${failed.reason ?? failed.detail}` };
  const proven = events.filter(({ position, version }) => (position ?? version) <= verified.proven);
  const signature = verified.verdicts.find(({ name }) => name === "signature")!.detail;
  if (events.length > 0 && proven.length === 0)
    return { none: `nothing signs or anchors the export up to the report's event: ${signature}` };
  return { events: proven.flatMap(factsIn), where: `${origin}, ${signature}` };
}

/** The report's event, as the service proves it to its buyer. */
async function madeAt(
  url: string,
  { facts }: ReportFile,
  options: Options,
): Promise<ReportEvents | UnsignedYet> {
  const { key, origin, witness, head, checkpoint, network, contract, signer, rpc } = options;
  const ofExports = { head: head[0], checkpoint: checkpoint[0], network, contract, signer, rpc };
  const other = Object.entries(ofExports).find(([, value]) => value !== undefined)?.[0];
  if (other) refuse("invalid", `--${other} requires an export: pass --export too`);
  const headers: Record<string, string> = key.api === undefined ? {} : { Authorization: `Bearer ${key.api}` };
  const get = (path: string) =>
    fetch(new URL(path, url), { headers, signal: AbortSignal.timeout(ASK_MS) }).catch((error: Error) =>
      refuse("unavailable", `${url} is unreachable: ${reasonOf(error).message}`),
    );
  const kept = await get(`/v1/agent/reports/${encodeURIComponent(facts.report_id)}`);
  await kept.body?.cancel();
  const event_id = kept.headers.get("Event-Id");
  if (!kept.ok || event_id === null)
    return { none: `${url} answers ${kept.status} for this report: pass its owner's key` };
  const answer = await get(`/log/proof/${encodeURIComponent(event_id)}`);
  const proof = await answer.json().catch(() => ({}));
  const seconds = untilSigned(proof);
  if (seconds !== undefined)
    return {
      later: `not yet: the log signs the report's event within ${seconds} s; run the same command again then`,
    };
  const event = provenEvent(proof, {
    key: key.log,
    origin,
    witnesses: witness,
    policy: options.policy === undefined ? undefined : await policyIn(options.policy),
  });
  if (typeof event === "string") return { none: event };
  if (event.stream_id !== streamOf(facts.report_id)) return { none: "the service proves another event" };
  return {
    events: factsIn(event),
    where: `position ${event.position} of ${event.origin}, signed by ${event.by}`,
  };
}

const factsIn = ({ type, payload }: { type: string; payload: string }): ReportFacts[] =>
  type === "ReportMade" ? [JSON.parse(payload) as ReportFacts] : [];

/** A report's text, or its facts and labels, must match one event's digests. */
function wordFaults({ facts, whole }: ReportFile, made: ReportEvents): Fault[] {
  const remedy = "check it in an export of the log by --export";
  if ("none" in made) return [{ at: "words", says: `have no digest in the log: ${made.none}; ${remedy}` }];
  const { events } = made;
  const [first] = events;
  if (!first) return [{ at: "report_id", says: "names no report of this log" }];
  const digest = whole && digestOf(canonical(whole));
  const isOf = (one: ReportFacts) =>
    one.facts_sha256 === facts.facts_sha256 && (digest === undefined || one.sha256 === digest);
  if (events.some(isOf)) return [];
  return [
    ...(first.facts_sha256 === facts.facts_sha256
      ? []
      : [{ at: "facts_sha256", says: `is ${first.facts_sha256} in the log` }]),
    ...(digest === undefined || digest === first.sha256
      ? []
      : [{ at: "report", says: `has the digest ${first.sha256} in the log` }]),
  ];
}

function figuresOf(
  { facts: { facts } }: ReportFile,
  { questions, faults }: { questions: number; faults: readonly Fault[] },
  url: string,
): FigureCheck {
  const cited = facts.filter(isAnswerFact);
  const bad = new Set(faults.map(({ at }) => at));
  return { asked: cited.length, verified: cited.filter(({ id }) => !bad.has(id)).length, questions, url };
}

type ReportVerdict = {
  given: ReportFile;
  made: ReportEvents;
  faults: readonly Fault[];
  figures: FigureCheck | undefined;
};

function tell({ given, made, faults, figures }: ReportVerdict, json: boolean): void {
  const ok = faults.length === 0;
  const what = given.whole ? "report" : "facts";
  const where = "where" in made ? made.where : null;
  const facts = given.facts.facts.length;
  const verdict = { ok, verified: ok ? what : null, log: where, facts, figures: figures ?? null, faults };
  const replies = figures
    ? [
        `${figures.verified} of ${figures.asked} figures verified: ${figures.questions} queries repeated at ${figures.url}`,
      ]
    : [];
  const lines = [
    ...faults.map(({ at, says }) => `${marked(false, "FAIL")} ${printable(`${at} ${says}`)}`),
    ...replies.map(printable),
    ok
      ? `${marked(true, "verified")}: ${printable(`the ${what}, ${facts} facts, by the digest in ${where}`)}`
      : `${marked(false, "NOT verified")}: the ${what}`,
  ];
  process.stdout.write(json ? `${JSON.stringify(verdict, null, 2)}\n` : `${lines.join("\n")}\n`);
}

/** A verifier key has a plus, an API key has none. */
function asKeys(text: string, before: VerificationKeys): VerificationKeys {
  const name = text.includes("+") ? "log" : "api";
  if (before[name] !== undefined)
    throw new InvalidArgumentError(`is given twice: one API key and one verifier key at most`);
  return { ...before, [name]: name === "log" ? asKey(text) : text };
}
