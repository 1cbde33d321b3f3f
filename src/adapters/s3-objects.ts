/**
 * Stores objects in an S3-compatible bucket at `<url>/<name>`; the url has the bucket in its path or host. Sources:
 * Amazon S3 API Reference (PutObject, GetObject, DeleteObject, Error responses).
 */
import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { setTimeout } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { digestOf, objectName } from "../core/model/objects.ts";
import { type FileStore, ObjectsUnavailable } from "../core/model/ports/objects.ts";
import { outgoing } from "../core/tracing.ts";

export type S3Options = {
  /** The bucket's address, optionally with a prefix of names. */
  url: string;
  access_key_id: string;
  secret_access_key: string;
  session_token?: string | undefined;
  /** Default: taken from an Amazon host name. */
  region?: string | undefined;
  /** The longest time without a byte. */
  silence_ms?: number;
  /** The longest exchange, plus the time for its bytes. */
  deadline_ms?: number;
  /** The pause before an exchange that failed by the store's fault is repeated. */
  pause_ms?: number;
};

type File = { path: string; sha256: string; bytes: number };
type StoreRequest = { method: "PUT" | "GET" | "DELETE"; name: string; file?: File | Buffer };

const TRIES = 2;
/** The slowest accepted transfer. */
const BYTES_PER_MS = 64;
/** The most bytes read of an error answer. */
const MOST_ERROR_BYTES = 16_384;
/** How long a store may take to accept a file before it is sent. */
const UNASKED_MS = 1_000;
const NOTHING = digestOf("");
const PROBE = Buffer.from("tallystick\n");

class S3Error extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof S3Error && error.status === 404 && error.code !== "NoSuchBucket";

export function s3Objects(options: S3Options): FileStore {
  const bucket = new Bucket(options);
  const get = async (name: string) => {
    try {
      return whole(await bucket.ask({ method: "GET", name }), bucket.unavailable);
    } catch (error) {
      if (isGone(error)) return undefined;
      throw bucket.unavailable(error);
    }
  };
  const remove = async (name: string) => {
    try {
      await drained(await bucket.ask({ method: "DELETE", name }));
    } catch (error) {
      if (!isGone(error)) throw bucket.unavailable(error);
    }
  };
  return {
    get,
    delete: remove,
    async put(name, file) {
      try {
        await drained(await bucket.ask({ method: "PUT", name, file }));
      } catch (error) {
        throw bucket.unavailable(error);
      }
    },
    async check() {
      // Another process that starts at this moment deletes its own probe, so each needs its own name.
      const name = objectName("probe", randomUUID(), digestOf(PROBE));
      try {
        await drained(await bucket.ask({ method: "PUT", name, file: PROBE }));
        const parts: Uint8Array[] = [];
        for await (const part of (await get(name)) ?? []) parts.push(part);
        if (!Buffer.concat(parts).equals(PROBE))
          throw new ObjectsUnavailable(
            `OBJECTS_URL: ${bucket.base} does not return what was stored there: name a bucket of an S3-compatible store`,
          );
        await remove(name);
      } catch (error) {
        throw bucket.unavailable(error);
      }
    },
  };
}

class Bucket {
  readonly base: string;
  readonly #host: string;
  readonly #options: S3Options;

  constructor(options: S3Options) {
    this.base = options.url.replace(/\/+$/, "");
    this.#host = new URL(this.base).host;
    this.#options = options;
  }

  /** An exchange that fails by the store's or network's fault is repeated once. */
  async ask(wanted: StoreRequest): Promise<IncomingMessage> {
    for (let tried = 1; ; tried++) {
      try {
        return await this.#exchange(wanted);
      } catch (error) {
        const isTheirs = !(error instanceof S3Error) || error.status >= 500;
        if (tried === TRIES || !isTheirs) throw error;
        await setTimeout(this.#options.pause_ms ?? 250);
      }
    }
  }

  readonly unavailable = (error: unknown): ObjectsUnavailable =>
    error instanceof ObjectsUnavailable
      ? error
      : new ObjectsUnavailable(
          error instanceof S3Error
            ? explained(error, this.base)
            : `OBJECTS_URL: ${this.#host} cannot be reached: ${(error as Error).message}`,
          { cause: error },
        );

  /** One exchange up to the answer's head; its body is unread. Rejects with S3Error or the connection's error. */
  async #exchange(wanted: StoreRequest): Promise<IncomingMessage> {
    const { url, headers } = await this.#signed(wanted);
    const { file, method } = wanted;
    const isLarge = file !== undefined && !Buffer.isBuffer(file);
    const answer = await outgoing("objects", { "http.request.method": method }, (traced) =>
      this.#send(url, wanted, {
        ...headers,
        ...traced,
        ...(file !== undefined && { "content-length": String(sizeOf(file)) }),
        ...(isLarge && { expect: "100-continue" }),
      }),
    );
    const { statusCode: status = 0 } = answer;
    if (status >= 200 && status < 300) return answer;
    const text = await textOf(answer);
    const part = (tag: string) => new RegExp(`<${tag}>([^<]{0,500})</${tag}>`).exec(text)?.[1] ?? "";
    throw new S3Error(status, part("Code"), part("Message"));
  }

  async #signed({
    method,
    name,
    file,
  }: StoreRequest): Promise<{ url: URL; headers: Record<string, string> }> {
    const { access_key_id, secret_access_key, session_token, region } = this.#options;
    const sha256 = file === undefined ? NOTHING : Buffer.isBuffer(file) ? digestOf(file) : file.sha256;
    const signer = new AwsV4Signer({
      method,
      url: `${this.base}/${name}`,
      headers: { "x-amz-content-sha256": sha256 },
      accessKeyId: access_key_id,
      secretAccessKey: secret_access_key,
      ...(session_token !== undefined && { sessionToken: session_token }),
      ...(region !== undefined && { region }),
      service: "s3",
    });
    const { url, headers } = await signer.sign();
    return { url, headers: Object.fromEntries(headers) };
  }

  #send(url: URL, { method, file }: StoreRequest, headers: Record<string, string>): Promise<IncomingMessage> {
    const { silence_ms = 30_000, deadline_ms = 60_000 } = this.#options;
    const request = url.protocol === "https:" ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, timeout: silence_ms });
      let heard: IncomingMessage | undefined;
      const late = () => (heard ?? sent).destroy(new Error("it did not answer in time"));
      let whole = globalThis.setTimeout(late, deadline_ms + sizeOf(file) / BYTES_PER_MS);
      sent.on("timeout", late);
      sent.on("error", (error: NodeJS.ErrnoException) => reject(new Error(error.message || error.code)));
      sent.on("close", () => clearTimeout(whole));
      sent.on("response", (answer) => {
        heard = answer;
        clearTimeout(whole);
        const length = Number(answer.headers["content-length"] ?? 0);
        whole = globalThis.setTimeout(late, deadline_ms + length / BYTES_PER_MS);
        resolve(answer);
      });
      if (file === undefined || Buffer.isBuffer(file)) sent.end(file);
      else sendOnceAsked(sent, file.path);
    });
  }
}

const sizeOf = (file: StoreRequest["file"]): number =>
  file === undefined ? 0 : Buffer.isBuffer(file) ? file.length : file.bytes;

/**
 * A store that refuses answers before the file is sent; one that does not answer gets it all the same (RFC 9110,
 * section 10.1.1).
 */
function sendOnceAsked(sent: ClientRequest, path: string): void {
  let isBegun = false;
  const begin = () => {
    if (isBegun || sent.destroyed) return;
    isBegun = true;
    const file = createReadStream(path, { highWaterMark: 1024 * 1024 });
    file.on("error", (error) => sent.destroy(error));
    sent.on("close", () => file.destroy());
    file.pipe(sent);
  };
  const unasked = globalThis.setTimeout(begin, UNASKED_MS);
  sent.on("continue", begin);
  const settle = () => clearTimeout(unasked);
  sent.on("response", settle).on("close", settle);
  sent.flushHeaders();
}

/** The body; one that breaks off or stalls rejects as unavailable. */
async function* whole(answer: IncomingMessage, unavailable: (error: unknown) => Error) {
  try {
    for await (const chunk of answer) yield chunk as Buffer;
  } catch (error) {
    throw unavailable(error);
  }
}

/** Read to its end, so that the connection can be reused. */
async function drained(answer: IncomingMessage): Promise<void> {
  for await (const _ of answer);
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      parts.push(part);
      size += part.length;
      if (size > MOST_ERROR_BYTES) break;
    }
  } catch {
    // The status is enough.
  }
  return Buffer.concat(parts).toString();
}

/** A refusal as a sentence that begins with the setting to change. */
function explained({ status, code, message }: S3Error, base: string): string {
  const said = [status, code, message].filter(Boolean).join(" ");
  switch (code) {
    case "NoSuchBucket":
      return `OBJECTS_URL: there is no bucket at ${base}: create it, or name another (${said})`;
    case "InvalidAccessKeyId":
    case "SignatureDoesNotMatch":
    case "InvalidToken":
    case "ExpiredToken":
      return `AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: ${base} does not take these credentials, with AWS_SESSION_TOKEN where they are temporary (${said})`;
    case "AuthorizationHeaderMalformed":
    case "PermanentRedirect":
    case "IllegalLocationConstraintException":
      return `AWS_REGION: the bucket at ${base} is in another region (${said})`;
    case "RequestTimeTooSkewed":
      return `OBJECTS_URL: the clock of this machine differs from that of ${base} by too much: set it (${said})`;
  }
  if (status === 401 || status === 403)
    return `OBJECTS_URL: the credentials of AWS_ACCESS_KEY_ID may not use ${base}: they need s3:PutObject, s3:GetObject and s3:DeleteObject (${said})`;
  return `OBJECTS_URL: ${base} refuses (${said})`;
}
