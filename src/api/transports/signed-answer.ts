/**
 * `Prefer: signed`: the log's key signs the request, the answer and the log position (RFC 9421), so that a caller can
 * prove a false answer. Content-Digest (RFC 9530) has the digest of the body.
 */
import { createHash } from "node:crypto";
import type { Request } from "express";
import { component, createSignatureSync } from "http-message-sig";
import type { App } from "../../core/app.ts";
import { refuse } from "../../core/model/refusal.ts";
import { keyUrl } from "../../domain/payments/receipt.ts";
import { logPositionOf } from "../declare/log-position.ts";
import { prefers } from "../declare/named-event.ts";

export const ANSWER_TAG = "tallystick-answer";

/**
 * The signed parts of the request. The authority is left out, because proxies change it; the key identifies the
 * service.
 */
const OF_REQUEST = ["@method", "@path", "@query"];
const OF_ANSWER = ["@status", "content-type", "content-digest", "log-position"];
const ofRequest = (name: string) => component(name, { req: true });

export const prefersSigned = ({ headers }: Pick<Request, "headers">): boolean =>
  prefers(headers.prefer as string | undefined, "signed");

/** Refuses a request whose Content-Digest does not match its bytes. */
export function checkContentDigest(header: string | undefined, bytes: Uint8Array): void {
  if (header === undefined) return;
  const known = ["sha-256", "sha-512"].filter((name) => header.includes(`${name}=:`));
  const isRight = known.every((name) => header.includes(contentDigest(bytes, name)));
  if (known.length > 0 && isRight) return;
  const message =
    known.length === 0 ? "is sha-256=:…: or sha-512=:…: (RFC 9530)" : "is not the digest of this body";
  refuse("invalid", `Content-Digest ${message}`, { errors: [{ path: "Content-Digest", message }] });
}

const contentDigest = (bytes: Uint8Array, name = "sha-256") =>
  `${name}=:${createHash(name.replace("-", "")).update(bytes).digest("base64")}:`;

const hasBody = ({ headers }: Request) =>
  Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined;

export type UnsignedAnswer = { status: number; headers: Record<string, string>; body: Buffer };
/** Signs an answer, and returns its headers with the signature. */
export type SignAnswer = (answer: UnsignedAnswer) => Promise<Record<string, string>>;

/** Called before the request is answered, so that the answer includes at least the log up to this moment. */
export function answerSigner(app: App, req: Request): SignAnswer | undefined {
  if (!prefersSigned(req)) return undefined;
  const { position } = app.tail;
  return (answer) => signed(app, req, position, answer);
}

async function signed(
  app: App,
  req: Request,
  position: number,
  { status, headers, body }: UnsignedAnswer,
): Promise<Record<string, string>> {
  const { "content-digest": digest, "content-encoding": coding } = req.headers;
  // If no digest was compared with the body, the signature would not identify the request.
  if (hasBody(req) && (digest === undefined || coding !== undefined)) return headers;
  const { signer, clock, settings } = app;
  const unsigned = {
    "Log-Position": await logPositionOf(app, position),
    ...headers,
    "Content-Digest": contentDigest(body),
    "Preference-Applied": [headers["Preference-Applied"], "signed"].filter(Boolean).join(", "),
    // Forbids compression, which would change the bytes under the digest.
    "Cache-Control": [headers["Cache-Control"], "no-transform"].filter(Boolean).join(", "),
    Vary: [headers.Vary, "Prefer"].filter(Boolean).join(", "),
  };
  const { signature, signatureInput } = createSignatureSync(
    {
      kind: "response",
      status,
      fields: fieldsOf(unsigned),
      request: {
        kind: "request",
        method: req.method,
        targetUri: new URL(req.originalUrl, settings.public_url).href,
        fields: digest === undefined ? [] : fieldsOf({ "Content-Digest": digest as string }),
      },
    },
    {
      label: "answer",
      components: [
        ...OF_ANSWER,
        ...[...OF_REQUEST, ...(digest === undefined ? [] : ["content-digest"])].map(ofRequest),
      ],
      parameters: {
        created: Math.floor(clock.now().getTime() / 1_000),
        keyid: keyUrl(settings.public_url, signer.kid),
        alg: "ed25519",
        tag: ANSWER_TAG,
      },
      signer: { algorithm: "ed25519", sign: (bytes) => signer.sign(bytes) },
    },
  );
  return { ...unsigned, Signature: signature, "Signature-Input": signatureInput };
}

const fieldsOf = (headers: Record<string, string>) =>
  Object.entries(headers).map(([name, value]) => ({ name: name.toLowerCase(), value }));
