/**
 * A download that continues after an interruption or kill. Next to `<file>` are
 *   <file>.part        the bytes so far
 *   <file>.part.json   the address and state that they belong to
 *   <file>.sha256      the finished file's digest, in `sha256sum` format
 */

import { open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { Refusal, refuse } from "../core/model/refusal.ts";
import { tradeProblems } from "../domain/trade/problems.ts";
import { fileDigest } from "./manifest.ts";

export type Download = {
  url: string;
  path: string;
  /** The meaning of a 404. */
  absent: string;
  /** Refuses a wrong file, which is then deleted. */
  check: (part: string, name: string) => Promise<void>;
  /** Downloads even if the finished file exists. */
  again?: boolean;
  /** Bytes received, and the total if known. */
  progress?: (done: number, total: number | undefined) => void;
  signal?: AbortSignal;
  /** Waits between two tries; tests replace it. */
  pause?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
};

export type DownloadedFile = {
  path: string;
  sha256: string;
  bytes: number;
  /** False: the file and its digest existed. */
  fetched: boolean;
};

const part = (path: string) => `${path}.part`;
const stateFile = (path: string) => `${path}.part.json`;
const digestFile = (path: string) => `${path}.sha256`;

/** Consecutive tries without any bytes before it gives up. */
const FRUITLESS = 6;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A size only serves an estimate, so it is not waited for long. */
const HEAD_MS = 15_000;
/** A longer Retry-After ends the download. */
const LONGEST_RETRY_AFTER_MS = 600_000;

/** A failure of the whole server, so that requests for other files are useless. */
export class ServerAway extends Refusal {}

/** The server is busy, breaks off or is unreachable; a later request may succeed. */
export class ServerBusy extends Refusal {
  /** A short description. */
  readonly why: string;
  constructor(message: string, why: string) {
    super("unavailable", message);
    this.why = why;
  }
}

/** Downloads the file, or finds it. `unavailable` if the server or disk fails; received bytes stay. */
export async function download(request: Download): Promise<DownloadedFile> {
  const { path, signal, pause = sleepFor } = request;
  const finished = request.again ? undefined : await finishedFile(path);
  if (finished) return finished;
  let fruitless = 0;
  let furthest = await sizeOf(part(path));
  for (;;) {
    try {
      await once(request);
      break;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof TemporaryFailure)) throw explained(error, path);
      const come = await sizeOf(part(path));
      fruitless = come > furthest ? 0 : fruitless + 1;
      furthest = Math.max(furthest, come);
      if (fruitless === FRUITLESS) giveUp(request, error.message);
      const backoff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, fruitless - 1));
      await pause(Math.max(error.retryAfterMs, backoff), signal);
    }
  }
  return finish(request);
}

/** An abort rejects with its reason. */
export const sleepFor = (ms: number, signal: AbortSignal | undefined): Promise<unknown> =>
  sleep(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());

/** A temporary failure: a busy server, or a broken connection. */
class TemporaryFailure extends Error {
  readonly retryAfterMs: number;
  constructor(message: string, retryAfterMs = 0) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The state of the remote file; without a validator, the part cannot be continued. */
const state = z.strictObject({
  url: z.string(),
  validator: z.string().nullable(),
  total: z.int().nullable(),
});
type State = z.infer<typeof state>;

async function once({ url, path, absent, progress, signal }: Download): Promise<void> {
  const known = await stateOf(path, url);
  const have = known?.validator ? await sizeOf(part(path)) : 0;
  if (have > 0 && have === known?.total) return;
  const validator = have > 0 ? known?.validator : undefined;
  const response = await fetch(url, {
    signal,
    // Lengths and ranges count the file's bytes, so no encoding is accepted.
    headers: {
      "accept-encoding": "identity",
      ...(validator && { range: `bytes=${have}-`, "if-range": validator }),
    },
  }).catch((error) => cut(error, signal));
  const { status, headers } = response;
  const rest = status === 206 ? restOf(headers, have, known) : undefined;
  if (status === 200 || rest) {
    const total = rest ? rest.total : (lengthOf(headers) ?? null);
    if (!rest) await startOver(path, { url, validator: validatorOf(headers), total });
    await append(response, path, { at: rest ? have : 0, total, progress, signal });
    return;
  }
  await response.body?.cancel();
  if (status === 206 || status === 416) {
    await discard(path);
    throw new TemporaryFailure(`the server answered ${status} to a range that it should have`);
  }
  if (status === 404 || status === 410) refuse("not_found", absent);
  if (status === 429 || status === 408 || status >= 500) throw busy(status, headers);
  refuse("unavailable", `${url} answered ${status}; nothing was fetched`);
}

function busy(status: number, headers: Headers): TemporaryFailure {
  const text = headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  const wait = Number.isNaN(ms) ? 0 : Math.max(0, ms);
  if (wait <= LONGEST_RETRY_AFTER_MS) return new TemporaryFailure(`the server answered ${status}`, wait);
  throw new ServerAway(
    "unavailable",
    `the server answered ${status} and asks to wait for ${Math.ceil(wait / 60_000)} minutes: run it again then`,
  );
}

/** A 206's bytes, if they belong to the same file state and are exactly the requested range. */
function restOf(headers: Headers, have: number, known: State | undefined): { total: number } | undefined {
  const found = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get("content-range") ?? "");
  if (!found || !known || (validatorOf(headers) ?? known.validator) !== known.validator) return undefined;
  const [from, to, of] = found.slice(1).map(Number) as [number, number, number];
  return from === have && to === of - 1 && of === (known.total ?? of) ? { total: of } : undefined;
}

/** The file's size by HEAD: undefined if the server does not state it, "absent" if the file does not exist. */
export async function sizeAt(url: string, signal?: AbortSignal): Promise<number | "absent" | undefined> {
  const response = await fetch(url, {
    method: "HEAD",
    headers: { "accept-encoding": "identity" },
    signal: AbortSignal.any([AbortSignal.timeout(HEAD_MS), ...(signal ? [signal] : [])]),
  }).catch(() => undefined);
  signal?.throwIfAborted();
  if (response?.status === 404 || response?.status === 410) return "absent";
  return response?.ok ? lengthOf(response.headers) : undefined;
}

/** Bytes on disk of a finished or partial file. */
export async function bytesHere(path: string): Promise<number> {
  return (await sizeOf(path)) || (await sizeOf(part(path)));
}

function lengthOf(headers: Headers): number | undefined {
  const text = headers.get("content-length");
  return text === null || !/^\d+$/.test(text) ? undefined : Number(text);
}

/** The validator for If-Range, which accepts no weak ETag (RFC 9110, 13.1.5). */
function validatorOf(headers: Headers): string | null {
  const etag = headers.get("etag");
  return etag?.startsWith('"') ? etag : headers.get("last-modified");
}

/** Deletes the old part before it records the new state, so that a kill never mixes two states. */
async function startOver(path: string, now: State): Promise<void> {
  await discard(path);
  await writeFile(`${stateFile(path)}.new`, JSON.stringify(now));
  await rename(`${stateFile(path)}.new`, stateFile(path));
}

/** Removes a finished file and its metadata. */
export async function removeDownload(path: string): Promise<void> {
  await discard(path);
  for (const one of [path, digestFile(path)]) await rm(one, { force: true });
}

async function discard(path: string): Promise<void> {
  await rm(part(path), { force: true });
  await rm(stateFile(path), { force: true });
}

type AppendOptions = Pick<Download, "progress" | "signal"> & { at: number; total: number | null };

async function append(
  response: Response,
  path: string,
  { at, total, progress, signal }: AppendOptions,
): Promise<void> {
  const file = await open(part(path), "a");
  const reader = response.body!.getReader();
  let done = at;
  try {
    for (;;) {
      progress?.(done, total ?? undefined);
      const chunk = await reader.read().catch((error) => cut(error, signal));
      if (chunk.done) break;
      await file.appendFile(chunk.value);
      done += chunk.value.length;
    }
    await file.sync();
  } finally {
    // An unread answer would keep the process alive.
    await reader.cancel().catch(() => undefined);
    await file.close();
  }
  if (total !== null && done < total) throw new TemporaryFailure(`cut off after ${done} of ${total} bytes`);
  if (total !== null && done > total) {
    await discard(path);
    throw new TemporaryFailure(`${done} bytes arrived, but the server had announced ${total}`);
  }
}

/** Node's TLS error codes for a certificate of another host, or an untrusted one. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|HOSTNAME_MISMATCH/;

function cut(error: unknown, signal: AbortSignal | undefined): never {
  signal?.throwIfAborted();
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code = "", message = "" } = (cause ?? {}) as NodeJS.ErrnoException;
  if (CERTIFICATE.test(code)) {
    throw new ServerAway(
      "unavailable",
      `the server's certificate was not accepted (${code}: ${message}): check the address; where a proxy of yours opens TLS, name its authority by NODE_EXTRA_CA_CERTS`,
    );
  }
  throw new TemporaryFailure(cause instanceof Error ? cause.message : String(cause));
}

/** Checks the bytes, and renames the file last. */
async function finish({ path, check, signal }: Download): Promise<DownloadedFile> {
  try {
    await check(part(path), basename(path));
  } catch (error) {
    signal?.throwIfAborted();
    // The disk would reject later bytes too.
    if (error instanceof Refusal && error.code === "invalid") await discard(path);
    throw explained(error, path);
  }
  const sha256 = await fileDigest(part(path));
  const bytes = await sizeOf(part(path));
  // After a kill in between, the digest matches no file yet, and the part is complete.
  await writeFile(digestFile(path), `${sha256}  ${basename(path)}\n`);
  await rename(part(path), path);
  await rm(stateFile(path), { force: true });
  return { path, sha256, bytes, fetched: true };
}

/** The existing file with its recorded digest. */
export async function finishedFile(path: string): Promise<DownloadedFile | undefined> {
  const said = await readFile(digestFile(path), "utf8").catch(() => "");
  const sha256 = /^([0-9a-f]{64}) /.exec(said)?.[1];
  if (sha256 === undefined || (await sizeOf(path)) === 0 || (await fileDigest(path)) !== sha256)
    return undefined;
  return { path, sha256, bytes: await sizeOf(path), fetched: false };
}

async function stateOf(path: string, url: string): Promise<State | undefined> {
  const text = await readFile(stateFile(path), "utf8").catch(() => "null");
  try {
    const found = state.parse(JSON.parse(text));
    return found.url === url ? found : undefined;
  } catch {
    return undefined;
  }
}

const sizeOf = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

function giveUp({ url, path }: Download, why: string): never {
  throw new ServerBusy(
    `${url} could not be fetched (${why}): what arrived is in ${part(path)}; run it again to continue from there`,
    why,
  );
}

function explained(error: unknown, path: string): unknown {
  if ((error as NodeJS.ErrnoException).code !== "ENOSPC") return error;
  return new Refusal(
    tradeProblems["disk-full"],
    `no space left for ${path}: received bytes stay; free some space and run it again to continue`,
  );
}
