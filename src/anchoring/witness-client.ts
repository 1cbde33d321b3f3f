/** A log's requests to a witness (c2sp.org/tlog-witness), with limited time and size. */
import type { Signer } from "../core/model/ports/signer.ts";
import { outgoing } from "../core/tracing.ts";
import { openCheckpoint, signCheckpoint } from "./checkpoint.ts";
import { MalformedNote, parseVerifierKey, type VerifierKey } from "./note.ts";
import { type AddCheckpoint, formatAddCheckpoint, originHash } from "./tlog-proof.ts";
import { EMPTY_ROOT, isCount } from "./tree.ts";

/** `url` is the submission and monitoring prefix, with its slash; `key` is of type cosignature/v1. */
export type WitnessAddress = { url: string; key: VerifierKey };

const MOST_WITNESSES = 20;
const NAME_LENGTH = 200;

/** Parses `url#name+id+key`, several separated by commas. Throws MalformedNote. */
export function parseWitnesses(text: string): WitnessAddress[] {
  const witnesses = text
    .split(",")
    .flatMap((entry) => (entry.trim() === "" ? [] : parseWitness(entry.trim())));
  if (witnesses.length > MOST_WITNESSES)
    throw new MalformedNote(`${witnesses.length} witnesses are more than ${MOST_WITNESSES}`);
  const names = witnesses.map(({ key }) => key.name);
  const twice = names.find((name, n) => names.indexOf(name) !== n);
  if (twice) throw new MalformedNote(`two witnesses are called ${twice}`);
  return witnesses;
}

function parseWitness(entry: string): WitnessAddress {
  const [, url = "", text = ""] = /^([^#]*)#(.*)$/s.exec(entry) ?? [];
  const prefix = URL.canParse(url) ? new URL(url) : undefined;
  if (!prefix || !/^https?:$/.test(prefix.protocol) || prefix.search || prefix.username)
    throw new MalformedNote(
      `${JSON.stringify(entry)} is not a witness: https://witness.example.org/#name+id+key`,
    );
  const key = parseVerifierKey(text);
  if (key.type !== "cosignature/v1")
    throw new MalformedNote(`the key of ${key.name} is a log's, not a witness's`);
  if (key.name.length > NAME_LENGTH)
    throw new MalformedNote(`a witness's name has at most ${NAME_LENGTH} characters`);
  return { url: prefix.href.replace(/\/*$/, "/"), key };
}

/**
 * `cosigned`: its lines, unverified. `other-size`: the size of its last cosigned checkpoint. `unknown`: it does not
 * follow the log.
 */
export type WitnessAnswer =
  | { kind: "cosigned"; lines: string }
  | { kind: "other-size"; size: number }
  | { kind: "contradicted"; reason: string }
  | { kind: "unusable"; reason: string; unknown?: true };

/** A hundred signatures are some 12 KB. */
const ANSWER_BYTES = 64 * 1024;
const REASON_LENGTH = 200;

/** Never rejects: an unavailable, late or invalid witness is `unusable`. */
export async function submit(
  { url }: WitnessAddress,
  request: AddCheckpoint,
  signal: AbortSignal,
): Promise<WitnessAnswer> {
  try {
    const body = formatAddCheckpoint(request);
    const headers = { "Content-Type": "text/plain; charset=utf-8" };
    const response = await outgoing("witness", { "server.address": new URL(url).hostname }, (traced) =>
      fetch(`${url}add-checkpoint`, {
        method: "POST",
        headers: { ...headers, ...traced },
        body,
        signal,
        redirect: "error",
      }),
    );
    return meaningOf(response.status, await textOf(response));
  } catch (error) {
    return unusable(failureOf(error as Error, signal));
  }
}

function failureOf({ message, cause }: Error, signal: AbortSignal): string {
  if (signal.aborted) return "it does not answer in time";
  return cause instanceof Error ? cause.message : message;
}

function meaningOf(status: number, text: string): WitnessAnswer {
  const reason = `it answers ${status}: ${JSON.stringify(text.trim().slice(0, REASON_LENGTH))}`;
  switch (status) {
    case 200:
      return { kind: "cosigned", lines: text };
    case 409: {
      const size = /^\d{1,16}\n?$/.test(text) ? Number(text) : Number.NaN;
      return isCount(size) ? { kind: "other-size", size } : unusable(reason);
    }
    case 422:
      return { kind: "contradicted", reason };
    case 403:
      return unusable(`${reason}: its operator has to add the key at /log/key`);
    case 404:
      return { ...unusable(`${reason}: its operator has to add the key at /log/key`), unknown: true };
    default:
      return unusable(reason);
  }
}

const unusable = (reason: string) => ({ kind: "unusable", reason }) as const;

/** `note`: the newest checkpoint that the witness cosigned, verified under both keys. */
export type WitnessNote =
  | { kind: "note"; note: string; size: number; root: Buffer }
  | { kind: "none" }
  | { kind: "unusable"; reason: string };

/**
 * The last cosigned checkpoint of a log, from the witness's monitoring address. It has the log's own signature, so
 * a contradicting checkpoint is proof. Never rejects.
 */
export async function newestNoteOf(
  { url, key }: WitnessAddress,
  log: VerifierKey,
  signal: AbortSignal,
): Promise<WitnessNote> {
  try {
    const response = await outgoing("witness", { "server.address": new URL(url).hostname }, (headers) =>
      fetch(`${url}${originHash(log.name)}/checkpoint`, { headers, signal, redirect: "error" }),
    );
    const note = await textOf(response);
    if (response.status === 404) return { kind: "none" };
    if (response.status !== 200) return unusable(`its monitoring address answers ${response.status}`);
    const { size, root, cosignatures } = openCheckpoint(note, { log, witnesses: [key] });
    if (cosignatures.length === 0) return unusable("its own cosignature is not on its checkpoint");
    return { kind: "note", note, size, root };
  } catch (error) {
    return unusable(failureOf(error as Error, signal));
  }
}

const EMPTY = { size: 0, root: EMPTY_ROOT, extensions: [] };

/**
 * The cosigned size of a log, or why the witness gives no answer. The request shows the empty checkpoint, which
 * every history begins with, so it commits nobody.
 */
export async function cosignedBy(
  witness: WitnessAddress,
  origin: string,
  signer: Signer,
  signal: AbortSignal,
): Promise<{ size: number } | { reason: string }> {
  const checkpoint = signCheckpoint({ origin, ...EMPTY }, signer);
  const answer = await submit(witness, { old_size: 0, proof: [], checkpoint }, signal);
  if (answer.kind === "other-size") return { size: answer.size };
  if (answer.kind === "unusable" && !answer.unknown) return { reason: answer.reason };
  return { size: 0 };
}

async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > ANSWER_BYTES) throw new Error(`its answer has more than ${ANSWER_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
