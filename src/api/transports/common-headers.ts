import cors from "cors";
import type { Request, RequestHandler, Response } from "express";
import helmet, { type HelmetOptions } from "helmet";

const EXPOSED =
  "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Payment-Receipt, RateLimit, RateLimit-Policy, ETag, Last-Modified, Accept-Ranges, Content-Range, Content-Length, Content-Encoding, Accept-Encoding, Vary, Allow, WWW-Authenticate, Unencoded-Digest, X-Request-Id, Retry-After, Content-Disposition, Event-Id, Log-Position, Link, Preference-Applied, Tlog-Proof, Content-Digest, Signature, Signature-Input, Mcp-Session-Id";
const ALLOWED =
  "Authorization, X-API-Key, Accept, Content-Type, Content-Encoding, Range, If-Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, X-PAYMENT, PAYMENT-SIGNATURE, Payment-Authorization, SIGN-IN-WITH-X, Signature, Signature-Input, Signature-Agent, On-Behalf-Of, Access-Control-Expose-Headers, Idempotency-Key, Prefer, Content-Digest, Min-Log-Position, Last-Event-ID, X-Request-Id, traceparent, tracestate, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name";

/**
 * For answers that are not pages: they lack the headers that only pages need, and a browser that shows one as a page
 * may load nothing.
 */
const SECURITY: HelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  crossOriginResourcePolicy: { policy: "cross-origin" },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
};

const sharing = cors({
  allowedHeaders: ALLOWED,
  exposedHeaders: EXPOSED,
  maxAge: 86_400,
  preflightContinue: true,
});

/** The package sets a Content-Length, which a 204 answer must not have. */
export const crossOrigin: RequestHandler = (req, res, next) =>
  sharing(req, res, (error?: unknown) => (error ? next(error) : res.status(204).end()));

/** Collects the headers that a middleware sets. Works only for middleware that ignores the request. */
function headersOf(middleware: (req: Request, res: Response, next: (error?: unknown) => void) => void) {
  const headers: Record<string, string> = {};
  const res = {
    setHeader(name: string, value: string) {
      headers[name] = value;
    },
    removeHeader: () => undefined,
  };
  const req = { method: "GET", headers: {} };
  middleware(req as Request, res as unknown as Response, (error) => {
    if (error) throw error;
  });
  return headers;
}

/** Computed once, because they are the same for every call. */
export const commonHeaders: Readonly<Record<string, string>> = {
  ...headersOf(helmet(SECURITY)),
  ...headersOf(sharing),
};
