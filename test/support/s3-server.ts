/**
 * A bucket over HTTP that refuses unsigned requests: each request's Signature Version 4 is computed here from AWS's
 * specification ("Create a signed AWS API request", Amazon S3's variant: the path is encoded once, the payload's
 * hash is signed), independent of any client's code.
 */
import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Credentials = { access_key_id: string; secret_access_key: string; session_token?: string };

/** A request's fault instead of its answer; undefined: the answer. */
export type Misfortune =
  | { status: number; code: string }
  /** Takes the request and sends nothing. */
  | "silent"
  /** Sends half of the body and stalls. */
  | "stalled"
  /** Sends the same byte every few milliseconds, without an end. */
  | "dripping"
  /** Sends half of the body and ends the connection. */
  | "cut"
  /** Ends the connection at once. */
  | "broken";

export type Bucket = {
  /** The bucket is in the path, or (`virtual`) the whole host. */
  url: string;
  objects: Map<string, Buffer>;
  /** `method name`, in order. */
  requests: string[];
  misfortune: (text: string, times: number) => Misfortune | undefined;
  close(): Promise<void>;
};

const REGION = "eu-test-1";
const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
/** RFC 3986: everything but the unreserved. */
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

export async function startBucket({
  credentials,
  virtual = false,
  name = "archive",
}: {
  credentials: Credentials;
  virtual?: boolean;
  name?: string;
}): Promise<Bucket> {
  const beginning = virtual ? "/" : `/${name}/`;
  const server = createServer();
  const answer = async (request: IncomingMessage, response: ServerResponse, wantsBody: boolean) => {
    const { method = "", headers } = request;
    const { pathname, searchParams } = new URL(request.url!, "http://bucket");
    const refuse = (status: number, code: string) => {
      response.writeHead(status, {
        "content-type": "application/xml",
        ...(wantsBody && { connection: "close" }),
      });
      response.end(
        `<?xml version="1.0"?><Error><Code>${code}</Code><Message>so says the test</Message></Error>`,
      );
    };
    const fault = signatureFault(request, pathname, searchParams, credentials);
    if (fault) return refuse(...fault);
    if (!pathname.startsWith(beginning)) return refuse(404, "NoSuchBucket");
    const object = decodeURIComponent(pathname.slice(beginning.length));
    const text = `${method} ${object}`;
    bucket.requests.push(text);
    const times = bucket.requests.filter((one) => one === text).length;
    const misfortune = bucket.misfortune(text, times);
    if (misfortune === "silent") return;
    if (misfortune === "broken") return request.socket.destroy();
    if (typeof misfortune === "object") return refuse(misfortune.status, misfortune.code);
    if (method === "PUT") {
      if (wantsBody) response.writeContinue();
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const bytes = Buffer.concat(parts);
      if (sha256(bytes) !== headers["x-amz-content-sha256"]) return refuse(400, "XAmzContentSHA256Mismatch");
      if (headers["content-length"] === undefined) return refuse(411, "MissingContentLength");
      bucket.objects.set(object, bytes);
      return response.writeHead(200).end();
    }
    if (method === "DELETE") {
      bucket.objects.delete(object);
      return response.writeHead(204).end();
    }
    const bytes = bucket.objects.get(object);
    if (!bytes) return refuse(404, "NoSuchKey");
    response.writeHead(200, misfortune === "dripping" ? {} : { "content-length": bytes.length });
    if (misfortune === undefined) return response.end(bytes);
    if (misfortune === "dripping") {
      const drip = setInterval(() => response.write(bytes.subarray(0, 1)), 10);
      response.on("close", () => clearInterval(drip));
      response.on("error", () => clearInterval(drip));
      return;
    }
    response.write(bytes.subarray(0, bytes.length / 2), () => {
      if (misfortune === "cut") request.socket.destroy();
    });
  };
  server.on("request", (request, response) => answer(request, response, false));
  server.on("checkContinue", (request, response) => answer(request, response, true));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const bucket: Bucket = {
    url: `http://127.0.0.1:${port}${virtual ? "" : `/${name}`}`,
    objects: new Map(),
    requests: [],
    misfortune: () => undefined,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
  return bucket;
}

/** Status and code of a request's signature fault. */
function signatureFault(
  { method, headers }: IncomingMessage,
  pathname: string,
  query: URLSearchParams,
  { access_key_id, secret_access_key, session_token }: Credentials,
): [number, string] | undefined {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, id, day, region, names = "", signature] = form.exec(headers.authorization ?? "") ?? [];
  if (signature === undefined) return [403, "AccessDenied"];
  if (id !== access_key_id) return [403, "InvalidAccessKeyId"];
  if (region !== REGION) return [400, "AuthorizationHeaderMalformed"];
  const time = String(headers["x-amz-date"]);
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time) ?? [];
  const at = Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
  if (!(Math.abs(Date.now() - at) < 15 * 60_000) || !time.startsWith(day!))
    return [403, "RequestTimeTooSkewed"];
  const signed = names.split(";");
  for (const needed of ["host", "x-amz-content-sha256", "x-amz-date"])
    if (!signed.includes(needed)) return [403, "AccessDenied"];
  if (session_token !== headers["x-amz-security-token"]) return [403, "InvalidToken"];
  if (session_token !== undefined && !signed.includes("x-amz-security-token")) return [403, "AccessDenied"];
  const canonical = [
    method,
    pathname
      .split("/")
      .map((part) => encoded(decodeURIComponent(part)))
      .join("/"),
    [...query]
      .map(([key, value]) => `${encoded(key)}=${encoded(value)}`)
      .sort()
      .join("&"),
    ...signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, " ")}`),
    "",
    names,
    headers["x-amz-content-sha256"],
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = [region, "s3", "aws4_request"].reduce<Buffer>(hmac, hmac(`AWS4${secret_access_key}`, day!));
  return hmac(key, text).toString("hex") === signature ? undefined : [403, "SignatureDoesNotMatch"];
}

export const BUCKET_REGION = REGION;
