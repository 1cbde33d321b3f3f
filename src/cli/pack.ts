/** Reads a pack for all commands: its files, the auditor's knowledge, and the requested events. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { type Command, InvalidArgumentError } from "commander";
import { segmentsAsExport } from "../../eventstore/files/segment-export.ts";
import { openSegment } from "../../eventstore/files/segment-file.ts";
import { type NotedHead, parseNotedHead } from "../../eventstore/verify/noted-head.ts";
import { printable, type Verdict } from "../../eventstore/verify/report.ts";
import { openExport } from "../../eventstore/verify/verify-export.ts";
import { parseVerifierKey, type VerifierKey } from "../anchoring/note.ts";
import { MalformedPolicy, type Policy, parsePolicy } from "../anchoring/policy.ts";
import { evidenceOfPath } from "../anchoring/segment-path.ts";
import { eventsWith, firstIn, tapLines } from "../audit/event-lines.ts";
import type { AuditorCheckpoint } from "../audit/evidence-state.ts";
import { type PackReport, type VerifyPackOptions, verifyPack } from "../audit/verify-pack.ts";
import type { Hex } from "../core/model/chain.ts";
import { refuse } from "../core/model/refusal.ts";
import { systemReason } from "../core/model/system-reason.ts";
import { type SealedSegment, streamOf } from "../domain/log/segments.ts";
import type { LoggedEvent } from "../domain/payments/verify-receipt.ts";
import { askChain, recoverKey } from "../runtime/assemble-audit.ts";
import { asAddress, asCount } from "./option-values.ts";
import { faultOfFile, textOf } from "./read-file.ts";

/** The parsed options of `withPackOptions`. */
export type PackOptions = {
  head: NotedHead[];
  origin?: string;
  key?: VerifierKey;
  witness: VerifierKey[];
  policy?: string;
  checkpoint: string[];
  network?: string;
  contract?: Hex;
  signer?: Hex;
  rpc?: string;
  maxStreams: number;
  plain: boolean;
};

/** Adds options for the auditor's knowledge; the caller adds `--key`, by `asKey`. */
export function withPackOptions(command: Command): Command {
  return command
    .option(
      "--head <position:hash>",
      "a saved head, a stream's head as version:hash, or a feed cursor; may be repeated",
      asHeads,
      [],
    )
    .option("--checkpoint <file>", "a saved checkpoint (signed note); may be repeated", asList, [])
    .option("--origin <origin>", "the log's expected origin")
    .option("--witness <key>", "a required cosigning witness; may be repeated", asKeys, [])
    .option(
      "--policy <file>",
      "logs, witnesses and quorum (c2sp.org/tlog-policy), instead of --key and --witness",
    )
    .option("--network <id>", "the required chain of the anchor, such as eip155:8453")
    .option("--contract <address>", "the required contract", asAddress)
    .option("--signer <address>", "the required sending account", asAddress)
    .option("--rpc <url>", "an RPC endpoint of that chain, to check the anchors")
    .option("--max-streams <n>", "streams to cache, some 180 bytes each", asCount, 1_000_000)
    .option("--plain", "read every line in JavaScript, not WebAssembly: slower, the same report", false);
}

export async function heldBy(options: PackOptions): Promise<VerifyPackOptions> {
  const { head, origin, key, witness, network, contract, signer, rpc, maxStreams, plain } = options;
  const policy = options.policy === undefined ? undefined : await policyIn(options.policy);
  if (policy && (witness.length > 0 || (key && policy.logs.length > 0)))
    refuse("invalid", "--policy names the logs and witnesses: leave --key and --witness out");
  return {
    policy,
    heads: head,
    ...{ origin, key, witnesses: witness, network, contract, signer, max_streams: maxStreams, plain },
    checkpoints: await Promise.all(options.checkpoint.map(checkpointIn)),
    ask: rpc === undefined ? undefined : askChain(rpc),
    recover: recoverKey,
  };
}

/** Refuses a file that is not a policy, with the line at fault. */
export async function policyIn(path: string): Promise<Policy> {
  const bytes = await readFile(path).catch((error: Error) =>
    refuse("invalid", `--policy ${path} cannot be read: ${systemReason(error) ?? error.message}`),
  );
  try {
    return parsePolicy(bytes);
  } catch (error) {
    if (!(error instanceof MalformedPolicy)) throw error;
    return refuse("invalid", `--policy ${path}: ${error.message}`);
  }
}

/** The files are not an export of a log, or unreadable: nothing was verified. */
export class NoExport extends Error {
  override readonly name = "NoExport";
}

/** Ends the command with status 2 if nothing could be verified, because a check that did not run has not passed. */
export async function orNoExport(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof NoExport)) throw error;
    process.stderr.write(`${printable(error.message)}\n`);
    process.exitCode = 2;
  }
}

/** `events`: those of the requested stream, from the verified lines. */
export type Pack = { origin: string; report: PackReport; events: LoggedEvent[] };

/** `proof`: the file with one segment's path; `stream_id`: the stream whose events are requested. */
export type PackFiles = { files: readonly string[]; proof?: string | undefined; stream_id?: string };

/** Verifies a pack in one pass: segments and the rest are one history. Throws NoExport. */
export async function readPack(
  { files, proof, stream_id }: PackFiles,
  held: VerifyPackOptions,
): Promise<Pack> {
  for (const file of files) {
    const fault = await faultOfFile(file);
    if (fault !== undefined) throw new NoExport(fault);
  }
  const segments = files.filter((file) => file.endsWith(".parquet"));
  const [rest, ...others] = files.filter((file) => !segments.includes(file));
  if (others.length > 0)
    refuse(
      "invalid",
      `${rest} and ${others.join(", ")}: verify one export at a time, after the segments it follows`,
    );
  if (proof !== undefined && (segments.length !== 1 || rest !== undefined))
    refuse("invalid", "--proof needs one segment: name only that file");
  const evidence = proof === undefined ? [] : evidenceOfPath(await textOf(proof));
  const text =
    segments.length === 0
      ? openExport(rest!)
      : segmentsAsExport(segments, { rest: rest === undefined ? undefined : openExport(rest), evidence });
  const events: LoggedEvent[] = [];
  const sealed: LoggedEvent[] = [];
  const wanted = new Map<string, LoggedEvent[]>(stream_id === undefined ? [] : [[stream_id, events]]);
  const ends_inside = segments.length > 0 && rest === undefined;
  const kept = keeping(text, (origin) =>
    segments.length === 0 ? wanted : new Map([...wanted, [streamOf(origin), sealed]]),
  );
  const report = await verifyPack(kept, { ...held, ends_inside });
  const { origin } = report;
  if (origin === null)
    throw new NoExport(`${files.join(", ")}: not an export of a log: ${report.verdicts[0]?.reason}`);
  if (segments.length === 0) return { origin, report, events };
  const verdict = await segmentsVerdict(segments, sealed);
  const verdicts = [...report.verdicts, verdict];
  return { origin, report: { ...report, ok: report.ok && verdict.ok, verdicts }, events };
}

/** The same bytes; collects the requested streams' events by stream id. */
function keeping(
  chunks: AsyncIterable<Uint8Array>,
  wantedOf: (origin: string) => ReadonlyMap<string, LoggedEvent[]>,
): AsyncIterable<Uint8Array> {
  let wanted: ReadonlyMap<string, LoggedEvent[]> | undefined;
  return tapLines(chunks, (lines) => {
    wanted ??= wantedOf(String(firstIn(lines)?.origin ?? ""));
    const names = [...wanted.keys()].map((id) => JSON.stringify(id));
    for (const event of names.length > 0 ? eventsWith(lines, names) : [])
      wanted.get(String(event.stream_id))?.push(event as unknown as LoggedEvent);
  });
}

/** The files have the digests of the log's seal events, if those events are here. */
async function segmentsVerdict(files: readonly string[], sealed: readonly LoggedEvent[]): Promise<Verdict> {
  const name = "segments";
  const facts = sealed
    .filter(({ type, tenant }) => type === "LogSegmentSealed" && tenant === "operator")
    .map(({ payload }) => JSON.parse(payload) as SealedSegment);
  const given = new Map<number, { file: string; sha256: string }>();
  for (const file of files) given.set(await firstOf(file), { file, sha256: await digestOf(file) });
  const here = facts.filter(({ from }) => given.has(from));
  const bad = here.filter(({ from, sha256 }) => given.get(from)!.sha256 !== sha256);
  const checked = files.length;
  const detail = `${here.length} of ${checked} segments are named by LogSegmentSealed here, by their files' SHA-256`;
  if (bad.length === 0) return { name, ok: true, checked, detail };
  const faults = bad.map(({ from, sha256 }) => ({
    place: from,
    reason: `${given.get(from)!.file} is not the sealed file, whose SHA-256 is ${sha256}`,
  }));
  const [{ place, reason }] = faults as [{ place: number; reason: string }];
  return { name, ok: false, checked, first_bad: place, reason, faults, fault_count: faults.length, detail };
}

async function firstOf(file: string): Promise<number> {
  const { facts, close } = await openSegment(file);
  await close();
  return facts.first;
}

async function digestOf(file: string): Promise<string> {
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(file)) digest.update(chunk as Uint8Array);
  return digest.digest("hex");
}

async function checkpointIn(path: string): Promise<AuditorCheckpoint> {
  return { name: path, note: await textOf(path) };
}

export const asList = (text: string, before: string[]) => [...before, text];

const asKeys = (text: string, before: VerifierKey[]) => [...before, asKey(text)];

export const asKey = (text: string): VerifierKey => read(() => parseVerifierKey(text));

const asHeads = (text: string, before: NotedHead[]) => [...before, read(() => parseNotedHead(text))];

function read<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
